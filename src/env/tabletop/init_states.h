/* env/tabletop/init_states.h - LIBERO's files of initial states (.pruned_init): a zip archive, stored,
 * with a pickle of one numpy array (rows, D) of doubles, as PyTorch saves it.
 *
 * Read as data, never as a program: the pickle is searched for the shape, the type and the bytes of that
 * one array, and anything else is refused. */
#ifndef BEX_ENV_TABLETOP_INIT_STATES_H
#define BEX_ENV_TABLETOP_INIT_STATES_H

#include <stddef.h>

typedef struct bex_init_states {
    int rows, width;
    double *state; // (rows, width): time, qpos, qvel
} bex_init_states;

/* Negative with a message: not such a file, cut off, not finite, absurd sizes. */
int bex_init_states_read(bex_init_states *out, const unsigned char *bytes, size_t size,
                         const char *name);
int bex_init_states_load(bex_init_states *out, const char *path);
void bex_init_states_fini(bex_init_states *s);

#endif
