/* agent/rl/explore.c - ExPLORe: Online RND, and half of every minibatch demonstrations without rewards,
 * labelled with optimism. docs/agents/explore.md. */
#include "agent/rl/learner.h"

#include "agent/skills/demonstration_rows.h"

static void read_chunks(const void *payload, bex_arena *arena, const bex_dataset *data,
                        const int *row, const int *next, int n, bex_real *out) {
    (void)payload, (void)arena, (void)next;
    for (int i = 0; i < n; i++)
        bex_rows_actions(out + (size_t)i * (size_t)data->A, data, row[i], 1);
}

const bex_learner_method bex_learner_explore = {
    .name = "explore",
    .title = "ExPLORe",
    .about = "RND with demonstrations, labelled optimistically (ExPLORe)",
    .data = true,
    .bonus = 2,
    .read = read_chunks};
