/* draw/gif.h - frames of pixels into an animated GIF that repeats for ever.
 *
 * Each frame stores only the rectangle that changed, with a palette of its own: exact while it has
 * at most 256 colours, else the most frequent ones. Needs giflib (BEX_HAVE_GIF); without it opening
 * fails with a message. */
#ifndef BEX_DRAW_GIF_H
#define BEX_DRAW_GIF_H

typedef struct bex_gif bex_gif;

/* Replaces an existing file, on commit. width, height: 1..4096. */
int bex_gif_open(bex_gif **out, const char *path, int width, int height);

/* pixels (height,width), 0xRRGGBB, the top byte ignored; shown for `centiseconds`. */
int bex_gif_add(bex_gif *gif, const unsigned *pixels, int centiseconds);

/* The file gets its name. On failure nothing is left. */
int bex_gif_commit(bex_gif *gif);
void bex_gif_free(bex_gif *gif); // NULL is fine; before commit: discards

#endif
