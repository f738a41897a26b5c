/* env/tabletop/texture.h - a PNG as large as a picture can show it. LIBERO's textures have up to 4096 pixels
 * a side, of which a picture of 128 shows a few; unpacked, a scene's are over 100 MB. */
#ifndef BEX_ENV_TABLETOP_TEXTURE_H
#define BEX_ENV_TABLETOP_TEXTURE_H

#include <stddef.h>

/* Halve a PNG, each pixel the mean of four, until no side is longer than `most` or a side is odd.
 * 1: bytes are now MuJoCo's own format of a texture, two ints (width, height) and rgb rows; the PNG is freed.
 * 0: nothing to do, or not to be read here: transparent, broken, a build without cairo. */
int bex_texture_shrink(char **bytes, size_t *size, int most);

#endif
