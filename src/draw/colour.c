/* draw/colour.c - palette and colour map. */
#include "draw/colour.h"

#include <math.h>

bex_colour bex_palette(int index) {
    static const bex_colour palette[] = {BEX_BLUE,   BEX_VERMILION, BEX_GREEN, BEX_PURPLE,
                                         BEX_ORANGE, BEX_SKY,       BEX_GREY};
    return palette[index % (int)(sizeof palette / sizeof *palette)];
}

bex_colour bex_colour_map(double t) {
    // viridis at t = i/9, joined linearly: the error is below what a screen shows
    static const bex_colour knots[] = {0x440154, 0x482878, 0x3E4989, 0x31688E, 0x26828E,
                                       0x1F9E89, 0x35B779, 0x6ECE58, 0xB5DE2B, 0xFDE725};
    enum { LAST = sizeof knots / sizeof *knots - 1 };
    if (isnan(t)) return 0xFFFFFF;
    double at = fmin(fmax(t, 0), 1) * LAST;
    int i = at >= LAST ? LAST - 1 : (int)at;
    double f = at - i;
    bex_colour mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double a = (double)(knots[i] >> shift & 255), b = (double)(knots[i + 1] >> shift & 255);
        mixed |= (bex_colour)lround(a + f * (b - a)) << shift;
    }
    return mixed;
}
