/* agent/sight/prefetch.h - the pictures of the next update are decoded while this one is learned.
 *
 * A thread of its own fills one of two buffers; what is in them is a function of the frames asked for
 * alone. One
 * thread calls. */
#ifndef BEX_AGENT_SIGHT_PREFETCH_H
#define BEX_AGENT_SIGHT_PREFETCH_H

#include "data/pictures.h"

typedef struct bex_prefetch bex_prefetch;

/* For updates of n frames each. The pictures are borrowed. NULL with a message. */
bex_prefetch *bex_prefetch_new(bex_pictures *pictures, int n);
void bex_prefetch_free(bex_prefetch *p); // NULL is fine; waits for the thread

/* The pictures (n,cameras,height,width,3) of these frames: those begun before, or else read now. Valid
 * until the
 * next call but one of begin. NULL with a message. */
const unsigned char *bex_prefetch_take(bex_prefetch *p, const int *frames);

/* Have these read meanwhile. */
void bex_prefetch_begin(bex_prefetch *p, const int *frames);

#endif
