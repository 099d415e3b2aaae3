// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer target: the bytes are a recording, binary or text. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "exercise.h"

const char *__lsan_default_suppressions(void);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libtraceevent loses memory on formats that make no sense. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent\n";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	char path[64];

	if (fd < 0)
		fd = memfd_create("fuzz", 0);
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	exercise(path);
	return 0;
}
