/* data/dataset.h - demonstrations in memory: all episodes' rows end to end, one array a field.
 *
 *   episode        0             1           2
 *   rows      [ s_0 s_1 .. | s_0 s_1 .. | s_0 .. ]     start[0] start[1] start[2] start[3] = rows
 *
 * Row t of an episode is (s_t, a_t, r_t, flags); the state after the last action is not kept (Minari
 * stores it, D4RL and robomimic do not). Rows are addressed by their index in the whole data set,
 * which is an int: at most 2^31 - 1 rows. After loading nothing changes: share it between threads.
 *
 * terminals and timeouts are what the file says, row by row, and need not agree with the episode
 * ends (AntMaze marks every row near the goal terminal); episodes are what `start` says. */
#ifndef BEX_DATA_DATASET_H
#define BEX_DATA_DATASET_H

#include "base/columns.h"
#include "base/observation.h"
#include "data/names.h"
#include "data/pictures.h"

#include <stdint.h>

/* One list for allocation, copy and free: X(field, type, values a row). A width of 0: absent. */
#define BEX_DATASET_ROWS(X, d)                                                                     \
    X(observations, bex_real, (d)->O)                                                              \
    X(actions, bex_real, (d)->A)                                                                   \
    X(rewards, bex_real, (d)->has_rewards)                                                         \
    X(terminals, unsigned char, 1)                                                                 \
    X(timeouts, unsigned char, 1)                                                                  \
    X(frames, int, (d)->pictures != NULL)

enum { BEX_DATASET_MOST_KEYS = 64 };

typedef struct bex_dataset {
    int rows, O, A, has_rewards;
    bex_real *observations;   // (rows, O)
    bex_real *actions;        // (rows, A)
    bex_real *rewards;        // (rows), NULL if the file has none
    unsigned char *terminals; // (rows)
    unsigned char *timeouts;  // (rows)

    // pictures beside the states, read when they are wanted; NULL: none, or none was asked for
    bex_pictures *pictures; // owned or shared; set before bex_dataset_allocate
    int *frames;            // (rows) the frame of each row in `pictures`
    bex_names cameras;      // that the files have, asked for or not, by the names of their keys

    int episodes;
    int *start; // (episodes + 1): rows of episode e are start[e] .. start[e + 1] - 1
    int *task;  // (episodes) index into tasks, -1 none
    int *scene; // (episodes) index into scenes, -1 none
    bex_names tasks, scenes;

    bex_names keys; // what the observation columns were made of, in order
    int key_width[BEX_DATASET_MOST_KEYS];
    bex_column_names columns; // names of the observation columns, O of them or none
    bex_names notes;          // defects noticed while loading, one line each
    char kind[16];            // "d4rl", "minari", "robomimic", "libero"
} bex_dataset;

/* What tells an episode from all others, in any file and beside any columns of states: a hash of its actions.
 * While rows are in the world's units. */
uint64_t bex_dataset_identity(const bex_dataset *d, int episode);

static inline int bex_dataset_length(const bex_dataset *d, int episode) {
    return d->start[episode + 1] - d->start[episode];
}

/* How many cameras' pictures there are, 0 without. */
static inline int bex_dataset_cameras(const bex_dataset *d) {
    return d->pictures ? bex_pictures_cameras(d->pictures)->count : 0;
}

bex_dataset *bex_dataset_new(void);    // empty, zero rows; NULL with a message
void bex_dataset_free(bex_dataset *d); // NULL is fine

/* Memory for rows of (O, A), flags zeroed; refuses more than `limit` bytes in all, before allocating.
 * limit 0: three quarters of this machine's memory. `d` holds none yet. */
int bex_dataset_allocate(bex_dataset *d, unsigned long long rows, unsigned long long O,
                         unsigned long long A, int has_rewards, unsigned long long limit);

/* `more` columns of a key behind those of the observations, 0 everywhere. Negative with a message. */
int bex_dataset_widen(bex_dataset *d, int more, const char *key);

/* Take over `start` (malloced, episodes + 1 long); tasks and scenes become -1. */
int bex_dataset_take_episodes(bex_dataset *d, int *start, int episodes);

/* Keep the first `episodes` only. */
void bex_dataset_truncate(bex_dataset *d, int episodes);

/* Free the rows, which someone else has taken or copied; sizes, episodes and labels stay. */
void bex_dataset_forget_rows(bex_dataset *d);

/* Add other's episodes after d's. Widths, cameras and presence of rewards must agree. */
int bex_dataset_append(bex_dataset *d, const bex_dataset *other, unsigned long long limit);

/* A line for `bex data show` and the log. */
int bex_dataset_note(bex_dataset *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* out (n, O) = the observations of rows[0..n-1]. */
void bex_dataset_gather(const bex_dataset *d, const int *rows, int n, bex_real *out);

#endif
