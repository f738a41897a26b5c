/* data/split.h - where one episode ends and the next begins, in a file that stores rows end to end.
 *
 * Facts of D4RL's files this has to live with:
 *   timeouts missing            cut every `length` rows and at terminals, as D4RL does
 *   timeouts misplaced          AntMaze v0: rows 998, 1997 while the resets are after 1000: cut at jumps
 *   timeouts mark goal switches Maze2D: one continuous run, cut where a goal was reached
 *   terminals in runs           AntMaze: every row near the goal is terminal, the episode goes on
 *
 * Rules, any combination (a cut after row t if one of them says so):
 *   TERMINALS  terminals[t]
 *   TIMEOUTS   timeouts[t]
 *   JUMPS      |p(t+1) - p(t)| > jump, p = the `position` columns of the observation
 *   LENGTH     the episode has `length` rows
 *   FLAGS      TIMEOUTS, and TERMINALS unless two neighbouring rows are both terminal somewhere in the file:
 *              a true end is followed by a first row, so runs mean "near the goal", not "end" */
#ifndef BEX_DATA_SPLIT_H
#define BEX_DATA_SPLIT_H

#include "base/real.h"

enum {
    BEX_SPLIT_TERMINALS = 1,
    BEX_SPLIT_TIMEOUTS = 2,
    BEX_SPLIT_JUMPS = 4,
    BEX_SPLIT_LENGTH = 8,
    BEX_SPLIT_FLAGS = 16,
};

typedef struct bex_split {
    unsigned rules;  // 0: FLAGS, and LENGTH if length is set
    int length;      // rows; 0: unset
    double jump;     // 0: five times the 90th percentile of the step lengths
    int position[2]; // observation columns, default 0 and 1
} bex_split;

#define BEX_SPLIT_INIT ((bex_split){.position = {0, 1}})

/* "flags", "terminals", "timeouts", "jumps", "length", joined by commas. */
int bex_split_parse(unsigned *rules, const char *text);

/* Episode starts, *start malloced with *episodes + 1 entries, the last = rows. Flags or observations
 * (rows, O) may be NULL where no rule asks for them. rows > 0. */
int bex_split_rows(int **start, int *episodes, const bex_split *split,
                   const unsigned char *terminals, const unsigned char *timeouts,
                   const bex_real *observations, int rows, int O);

/* Are two neighbouring rows both terminal? */
int bex_split_terminals_in_runs(const unsigned char *terminals, int rows);

/* The jump length used when none is given; infinity if nothing moves. */
double bex_split_jump(const bex_real *observations, int rows, int O, const int position[2]);

/* Euclidean distance of rows t and t + 1 in the position columns; in all columns. */
double bex_split_step(const bex_real *observations, int O, const int position[2], int t);
double bex_split_change(const bex_real *observations, int O, int t);

#endif
