/* web/no_pictures.c - the page's data sets have no pictures: what data/dataset.c calls of data/pictures.h,
 * whose own file maps files into memory and needs threads. */
#ifdef __EMSCRIPTEN__
#include "base/error.h"
#include "data/pictures.h"

void bex_pictures_free(bex_pictures *p) {
    BEX_CHECK(!p, "pictures in the page");
}

int bex_pictures_append(bex_pictures *p, const bex_pictures *other) {
    BEX_CHECK(!p && !other, "pictures in the page");
    return -1;
}

#endif
