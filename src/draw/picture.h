/* draw/picture.h - pixels to a PNG file, through cairo; without it a message. */
#ifndef BEX_DRAW_PICTURE_H
#define BEX_DRAW_PICTURE_H

/* rgb (height, width, 3), top row first. Replaces an existing file, on success only. */
int bex_picture_save(const unsigned char *rgb, int width, int height, const char *path);

#endif
