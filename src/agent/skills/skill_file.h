/* agent/skills/skill_file.h - what a file of skills says of itself: the head of model.safetensors of supe
 * and hilp.
 *
 * Metadata "format" = bex-skills-1, "agent" (who learned them), "world" (of whose demonstrations; may be
 * empty), "observation", "state" (its first entries, which are used), "action", "skill", "steps", "hidden"
 * (widths, by commas). Tensors are those of model/segment_vae.h or model/hilbert.h by name. */
#ifndef BEX_AGENT_SKILLS_SKILL_FILE_H
#define BEX_AGENT_SKILLS_SKILL_FILE_H

#include "model/mlp.h"
#include "nn/safetensors.h"

typedef struct bex_skill_about {
    char agent[16], world[64];
    int O, S, A; // observation of the demonstrations, of which the first S are used; action
    int Z, H;    // numbers of a skill; steps it is held
    int hidden[BEX_MLP_LAYERS - 1];
} bex_skill_about;

void bex_skill_about_write(const bex_skill_about *about, bex_st_writer *w);

/* Negative with a message: not a file of skills. */
int bex_skill_about_read(bex_skill_about *about, const bex_st_file *f);

/* Is it such a file? Anything else, one that cannot be read among them: false. */
bool bex_skill_file_is(const char *path);

#endif
