/* base/pages.c - cache lines for small blocks, huge pages for large ones, where the system has them. */
#include "base/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, HUGE_PAGE = 2 << 20, LARGE = 2 * HUGE_PAGE };

void *bex_pages_alloc(size_t bytes) {
    size_t unit = bytes < LARGE ? LINE : HUGE_PAGE;
    if (bytes > SIZE_MAX - unit) return NULL;
    size_t size = (bytes + unit - 1) / unit * unit;
    void *p = aligned_alloc(unit, size ? size : unit);
#ifdef MADV_HUGEPAGE
    if (p && unit == HUGE_PAGE) madvise(p, size, MADV_HUGEPAGE); // a wish: fine if refused
#endif
    return p;
}
