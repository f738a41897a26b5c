/* draw/colour.h - the colours of every figure: a palette safe for colour-blind readers, a
 * perceptual map for values.
 *
 * A colour is 0xRRGGBB. 0 means "not chosen": a mark then takes the next palette entry; write
 * BEX_BLACK for black. */
#ifndef BEX_DRAW_COLOUR_H
#define BEX_DRAW_COLOUR_H

typedef unsigned bex_colour;

/* Okabe and Ito's set without its yellow, which vanishes on white. */
enum {
    BEX_BLUE = 0x0072B2,
    BEX_VERMILION = 0xD55E00,
    BEX_GREEN = 0x009E73,
    BEX_PURPLE = 0xCC79A7,
    BEX_ORANGE = 0xE69F00,
    BEX_SKY = 0x56B4E9,
    BEX_GREY = 0x7A7A7A,
    BEX_BLACK = 0x1A1A1A,
    BEX_WALL = 0x4A5568, // maze walls
};

bex_colour bex_palette(int index);   // repeats after 7; index >= 0
bex_colour bex_colour_map(double t); // viridis; t is clamped to [0, 1], NaN is white

#endif
