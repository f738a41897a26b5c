/* env/tabletop/view.h - what the two cameras of a LIBERO scene see, for all instances of a world.
 *
 * A renderer is made when a picture is first asked for, one for each thread that draws at the same
 * moment; later pictures take whichever is free. So worlds without pictures cost nothing, and threads draw
 * side by side. */
#ifndef BEX_ENV_TABLETOP_VIEW_H
#define BEX_ENV_TABLETOP_VIEW_H

#include "env/mj.h"
#include "env/tabletop/bddl.h"

typedef struct bex_view bex_view;

typedef struct bex_view_options {
    int size;    // pixels of a side
    int samples; // a pixel
    bool reflection;
    bool solids; // what collides is drawn too: our own parts
} bex_view_options;

/* model and scene are borrowed. Negative with a message: too small, more than 1024 sites. */
int bex_view_new(bex_view **out, const bex_mj_model *model, const bex_bddl *scene,
                 const bex_view_options *options);
void bex_view_free(bex_view *v); // NULL is fine

/* Camera 0: agentview, 1: the wrist's. rgb (size, size, 3), top row first. Any thread. Negative with a
 * message. */
int bex_view_draw(bex_view *v, const bex_mj_sim *sim, int camera, unsigned char *rgb);

#endif
