/* demo/demonstrator.h - who shows a world: one class a family of worlds, one row of the table in
 * demonstrator.c.
 *
 *     const bex_demonstrator_class *c = bex_demonstrator_for(world);
 *     bex_demonstrations *d;
 *     bex_demonstrations_open(&d, world, "noise=0.1\nepisode_length=300", seed, rows);
 *     bex_demonstrations_make(d, first, rows);  ... d->obs, d->act ...
 *     bex_demonstrations_free(d);
 *
 * Rows come in pieces that are made alone, in any order, by any thread: piece p of a file depends on
 * (world, options, seed, p) and nothing else. Rows follow one another in order of pieces. */
#ifndef BEX_DEMO_DEMONSTRATOR_H
#define BEX_DEMO_DEMONSTRATOR_H

#include "base/config.h"
#include "env/env.h"
#include "host/json.h"

typedef struct bex_demonstrator_class bex_demonstrator_class;

/* The head of every demonstrator at work, with the rows it made last; a class keeps its members behind it. */
typedef struct bex_demonstrations {
    const bex_demonstrator_class *class;
    const bex_world *world; // borrowed
    const void *options;    // class->options_size bytes
    uint64_t seed;
    int piece;     // rows of one piece, set by class->init
    bool episodes; // pieces are episodes, set by class->init; else one run, cut in pieces
    int room;      // rows the arrays hold

    bex_real *obs, *act; // (room,O), (room,A)
    bex_real *reward;    // (room)
    bex_real *goal;      // (room,2)
    bex_real *after;     // (room,O) the state after the action; NULL unless class->after
    unsigned char *terminal, *timeout; // (room)
} bex_demonstrations;

struct bex_demonstrator_class {
    const char *family;    // of the worlds it knows: bex_env_class.family
    const char *algorithm; // in a few words, for the file's metadata
    const char *instead;   // the command, if it is not `bex data gen`: all below is then NULL
    bool after;            // files hold infos/qpos, infos/qvel of the state after the action

    /* Its options: --demo.KEY=VALUE. */
    const bex_config_row *rows;
    size_t options_size;

    size_t size; // bytes of one at work

    /* Makes ready; sets `piece`. Arrays are there already. Negative with a message; bex_misused() where an
     * option is wrong. */
    int (*init)(bex_demonstrations *d);
    void (*fini)(bex_demonstrations *d); // also after an init that failed

    /* Rows 0..count-1 of the arrays from piece `first` on, the last piece cut short if need be; on all
     * cores. */
    int (*make)(bex_demonstrations *d, long long first, int count);

    /* Counts the rows made last, whole pieces; and what was counted so far, as numbers by name. NULL:
     * nothing. */
    int (*count)(bex_demonstrations *d, int rows);
    json_t *(*facts)(const bex_demonstrations *d);
};

/* The class that knows a world; NULL with a message. One with `instead` set makes nothing itself. */
const bex_demonstrator_class *bex_demonstrator_for(const bex_world *world);

/* keys: lines "key=value" over the class's defaults, NULL for none. rows >= 1: how many are wanted in all;
 * the arrays hold a wave of them, all or about 200,000 in whole pieces. Negative with a message,
 * bex_error_is_misuse() for a wrong option. */
int bex_demonstrations_open(bex_demonstrations **out, const bex_world *world, const char *keys,
                            uint64_t seed, long long rows);
void bex_demonstrations_free(bex_demonstrations *d); // NULL is fine

/* Rows of one piece. */
int bex_demonstrations_piece(const bex_demonstrations *d);

/* class->make, count <= room. */
int bex_demonstrations_make(bex_demonstrations *d, long long first, int count);

/* " --noise 0.1 --episode-length 300": its options as `bex data gen` takes them, empty ones left out, `world`
 * put behind the first. malloced; NULL when out of memory. */
char *bex_demonstrations_command(const bex_demonstrations *d, const char *world);

/* The keys of all demonstrators, for --help. */
void bex_demonstrators_help(FILE *out);

#endif
