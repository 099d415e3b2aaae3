# SPDX-License-Identifier: GPL-2.0-or-later
if HAVE_CMOCKA
UNIT_TESTS +=
endif
