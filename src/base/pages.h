/* base/pages.h - memory for large arrays, in huge pages where the system gives them: a fault for each 2 MiB
 * instead of 4 KiB, and far fewer misses of the translation buffer where rows are read across. */
#ifndef BEX_BASE_PAGES_H
#define BEX_BASE_PAGES_H

#include <stddef.h>

/* At least `bytes`, aligned to a cache line, values arbitrary; free() frees it. NULL if there is none. */
void *bex_pages_alloc(size_t bytes);

#endif
