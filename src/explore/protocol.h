/* explore/protocol.h - what `bex explore --protocol NAME` stands for: a world and how trials are played in
 * it, as an INI file. NAME is configs/protocols/NAME.ini beside the other files of bex (host/share.h), or the
 * path of a file of your own. */
#ifndef BEX_EXPLORE_PROTOCOL_H
#define BEX_EXPLORE_PROTOCOL_H

#include "agent/rl/learner_config.h"

/* How many worlds it is played in. */
typedef enum { BEX_EACH_WORLD, BEX_EACH_SCENE, BEX_EACH_TASK } bex_each;
extern const char *const bex_each_names[]; // NULL-terminated

typedef struct bex_protocol {
    char env[64], maze[BEX_CONFIG_TEXT_SIZE], start[16], history[BEX_CONFIG_TEXT_SIZE];
    int each; // bex_each
    bool until;
    char tell[16];
    long long episode_length, steps, episodes, trials, splits;
    char keys[512];            // of section [env]: bex_world_options.keys
    bex_learner_config online; // how agents learn that learn while they explore
} bex_protocol;

extern const bex_config_schema bex_protocol_schema;

/* Negative with a message: no such protocol, a key that is wrong, steps and episodes both. */
int bex_protocol_load(bex_protocol *protocol, const char *name);

#endif
