/* policy/history.h - a deployment's memory: the states of its previous episodes, and how the H
 * history states of the next one are drawn from them.
 *
 *     bex_history *h = bex_history_new(&(bex_history_options){.O = 4, .H = 32});
 *     each episode:  bex_history_push(h, state)      every state, allocates nothing
 *                    bex_history_draw(h, out, rng)   once, after the first push
 *                    bex_history_end(h)              the episode joins the memory
 *
 *   rule      the H states of an episode                                     empty memory
 *   uniform   at random from all previous episodes, all different if there   the current episode's
 *             are H, else with replacement                                   first state, H times
 *   last3     one random state of each of the last 3 episodes, a third of    the same
 *             the H places each (LIBERO); halves or all while fewer exist
 *   first     the current episode's first state, H times: the ablation       the same
 *   file:F    as uniform, from a memory saved in F; own episodes are not     an empty file is refused
 *             added to it
 *
 * Only previous episodes count: the running one enters at its end. It waits in a buffer of
 * `episode_most` states; when that is full every second state is dropped and from then on only every
 * 2nd, 4th, 8th ... state is kept, so what joins is always evenly spaced and begins with the first
 * state. The memory holds at most `capacity` states: the oldest episodes leave first, whole.
 *
 * Saved as safetensors: history.states (N, O), history.start (E + 1). One thread at a time. */
#ifndef BEX_POLICY_HISTORY_H
#define BEX_POLICY_HISTORY_H

#include "base/real.h"
#include "base/rng.h"

typedef enum {
    BEX_HISTORY_UNIFORM,
    BEX_HISTORY_FIRST,
    BEX_HISTORY_LAST3,
    BEX_HISTORY_FILE,
} bex_history_kind;

/* "uniform", "first", "last3", "file:F". *file points into text, NULL for the others. Negative with
 * a message. */
int bex_history_parse(bex_history_kind *kind, const char **file, const char *text);

typedef struct bex_history_options {
    int O, H; // size of a state; states drawn
    bex_history_kind kind;
    const char *file;   // for BEX_HISTORY_FILE
    int episode_most;   // states of one episode, at least 2; 0: 4096
    long long capacity; // states of all previous episodes; 0: 1,000,000
} bex_history_options;

typedef struct bex_history bex_history;

/* NULL with a message: a size out of range, a file that does not fit. */
bex_history *bex_history_new(const bex_history_options *options);
void bex_history_free(bex_history *h); // NULL is fine

/* The next state (O) of the running episode. */
void bex_history_push(bex_history *h, const bex_real *state);

/* The running episode joins the memory (file: is dropped); no state pushed: nothing happens.
 * Negative with a message if there is no memory left: then it is dropped. */
int bex_history_end(bex_history *h);

/* Forget the running episode; forget everything. */
void bex_history_abandon(bex_history *h);
void bex_history_clear(bex_history *h);

/* out (H, O). All randomness from rng: one stream an episode. Allocates nothing. While the rule
 * falls back on the running episode, that must have a state (a bug otherwise). */
void bex_history_draw(const bex_history *h, bex_real *out, bex_rng rng);

/* Where draw takes its states from: `places` of the H come from these n rows, each as likely. uniform
 * and file: have one such source, last3 up to three; none (0) while draw falls back on the running
 * episode. Rows until the memory changes. */
typedef struct bex_history_source {
    const bex_real *rows; // (n, O)
    long long n;
    int places;
} bex_history_source;
enum { BEX_HISTORY_SOURCES = 3 };
int bex_history_sources(const bex_history *h, bex_history_source source[BEX_HISTORY_SOURCES]);

/* Another number whenever the memory has changed: what was computed of it is old. */
unsigned long long bex_history_revision(const bex_history *h);

int bex_history_size(const bex_history *h);         // H
int bex_history_episodes(const bex_history *h);     // previous episodes held
long long bex_history_states(const bex_history *h); // their states
const bex_real *
bex_history_rows(const bex_history *h);       // (states, O), oldest first; until the next end
int bex_history_stride(const bex_history *h); // of the running episode: 1, or 2, 4 .. when thinned

/* The memory without the running episode, atomically over what was there; and back, replacing the
 * memory (episodes beyond the capacity leave, the oldest first). Negative with a message naming the
 * file: another state size, offsets that do not fit, a value that is not finite. The memory is then
 * as before. */
int bex_history_save(const bex_history *h, const char *path);
int bex_history_load(bex_history *h, const char *path);

#endif
