/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds recordings to test with: those in samples/, and the larger collection
 * that lies beside the project or where $XLV_TRACES says. Tests skip what isn't
 * there. Files of the collection are kept compressed: they are unpacked into a
 * temporary folder that goes away at exit.
 */
#ifndef XLV_TESTS_TRACES_H
#define XLV_TESTS_TRACES_H

/**
 * traces_path - a recording of the collection, "matrix/6.1-i386.dat"
 *
 * Returns NULL where it is missing; the name lives until the program's end.
 */
const char *traces_path(const char *name);

/** traces_sample - a file in samples/, or NULL */
const char *traces_sample(const char *name);

/**
 * traces_list - names of all recordings, relative to their folder
 * @samples:	of samples/ instead of the collection
 * @suffix:	".dat" or ".txt"
 *
 * Returns a NULL-terminated array that lives until the program's end.
 */
const char *const *traces_list(int samples, const char *suffix);

/** traces_temp - a name in the temporary folder */
const char *traces_temp(const char *name);

/** traces_read - a whole file; the caller frees it */
void *traces_read(const char *path, unsigned long *len);
void traces_write(const char *path, const void *data, unsigned long len);

#endif
