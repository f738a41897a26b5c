/* web/stage.h - what all in the playground share: the maze, the policies, the demonstrations that are
 * looked up, and the past, which is what was drawn and what was lived, episode by episode.
 *
 * One stage; plain structs that others read. What fails returns negative with a message (base/error.h) and
 * leaves the stage as it was. Whoever holds a policy or the demonstrations (web/walker.h, web/fan.h) is
 * made anew after a change: `revision` tells. */
#ifndef BEX_WEB_STAGE_H
#define BEX_WEB_STAGE_H

#include "agent/actors/retrieval.h"
#include "policy/policy.h"
#include "web/ball.h"

/* Who acts: a policy that explores, the same with its history replaced by the first state, one that
 * imitates, and the look-up in the demonstrations. */
typedef enum {
    STAGE_EXPLORES,
    STAGE_FORGETS,
    STAGE_IMITATES,
    STAGE_LOOKS_UP,
    STAGE_KINDS
} stage_kind;

enum {
    STAGE_SIDE = 24,   // rows and columns of a maze, at most
    STAGE_STEPS = 300, // of an episode: the exploration protocol of Maze2D
    STAGE_STATE = 4,
    STAGE_ACTION = 2,
    STAGE_ROWS = 4000, // states of an episode of the past, at most
    STAGE_PAST = 400   // episodes remembered, at most
};

typedef struct stage_episode {
    bex_real *states; // (rows, 4)
    int rows;
} stage_episode;

typedef struct stage {
    ball_walls walls;
    unsigned char wall[STAGE_SIDE * STAGE_SIDE];
    int start[2]; // row, column
    bex_policy *explores, *imitates;
    bex_dataset *demonstrations;
    bex_retrieval *retrieval;
    stage_episode past[STAGE_PAST];
    int episodes;
    uint64_t seed;
    unsigned revision; // changes with everything but the past
} stage;

/* The bytes of a model.safetensors with states of 4 and actions of 2 takes the place of `imitates` if it
 * has neither history nor coverage, else of `explores`. Returns which: STAGE_EXPLORES or STAGE_IMITATES. */
int stage_take_policy(stage *s, const void *bytes, size_t size);

/* What tests/web and web/build write: int32 episodes, rows of each; float low[6], high[6]; then per
 * episode and column (x, y, vx, vy, ax, ay) the rows as uint16 between low and high, each but the first as
 * the difference to the one before. */
int stage_take_demonstrations(stage *s, const unsigned char *bytes, size_t size);

/* wall (rows, cols): 1 wall. Start at a free cell. The past stays. */
int stage_set_maze(stage *s, const unsigned char *wall, int rows, int cols, int start_row,
                   int start_col);
void stage_set_seed(stage *s, uint64_t seed);

/* An episode joins the past: states (rows,4), copied. */
int stage_remember(stage *s, const bex_real *states, int rows);
void stage_forget(stage *s, int keep); // all but the first `keep` episodes

/* A line through n points (n,2), metres, as the states of a ball that goes along it at 3 m/s; what lies in
 * walls is left out. Joins the past, unless nothing is left: returns its states, 0 for none. */
int stage_draw(stage *s, const float *points, int n);

/* A number that any changed bit of the past changes. */
unsigned stage_digest(const stage *s);

/* The policy that acts as `kind`; NULL for the look-up or where there is none. */
const bex_policy *stage_policy(const stage *s, stage_kind kind);

/* The first state of episode `index`: the start cell and D4RL's noise. */
ball stage_begin(const stage *s, int index);

#endif
