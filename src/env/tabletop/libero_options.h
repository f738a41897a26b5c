/* env/tabletop/libero_options.h - what can be chosen of LIBERO's worlds (--env.KEY=VALUE). */
#ifndef BEX_ENV_TABLETOP_LIBERO_OPTIONS_H
#define BEX_ENV_TABLETOP_LIBERO_OPTIONS_H

#include "base/config.h"
#include "env/env.h"

enum { BEX_LIBERO_AUTO, BEX_LIBERO_FILE, BEX_LIBERO_SAMPLE }; // start

typedef struct bex_libero_options {
    char libero[160], robosuite[160], scene[40], task[160], cameras[160];
    int proprio, start, detail; // places in the lists of libero_options.c
    bool timestep, poses, objects, tasks, reflection;
    long long settle, images, textures, samples, fixtures;
} bex_libero_options;

extern const bex_config_row bex_libero_rows[];

/* bex_env_class.suit */
void bex_libero_suit(const bex_env_seen *seen, char *keys, size_t size);

#endif
