/* web/absent/pictures.c - the page has data sets without pictures: what data/dataset.c calls of them,
 * whose own file maps files into memory and needs threads. */
#include "data/pictures.h"
#include "base/error.h"

void bex_pictures_free(bex_pictures *p) {
    BEX_CHECK(!p, "pictures in the page");
}

int bex_pictures_append(bex_pictures *p, const bex_pictures *other) {
    BEX_CHECK(!p && !other, "pictures in the page");
    return -1;
}
