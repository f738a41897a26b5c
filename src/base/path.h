/* base/path.h - one size for every path, and joining that fails where a shorter buffer would cut: a name
 * that was cut is another file's. */
#ifndef BEX_BASE_PATH_H
#define BEX_BASE_PATH_H

#include "base/error.h"

enum { BEX_PATH_SIZE = 4096 }; // bytes with the NUL: Linux takes no longer one

/* "folder/" and what fmt makes. 0, or negative with the message that it is too long; then out is "". out
 * overlaps nothing else. Also for the keys of HDF5 files, which are paths too. */
int bex_path_join(char out[BEX_PATH_SIZE], const char *folder, const char *fmt, ...)
    BEX_PRINTF(3, 4);

/* The same without a folder, and a plain copy is bex_path_print(out, "%s", path). */
int bex_path_print(char out[BEX_PATH_SIZE], const char *fmt, ...) BEX_PRINTF(2, 3);

#endif
