/* policy/memory.h - a deployment's memory: the states of its previous episodes, and how the N
 * history states of the next one are drawn from them.
 *
 *     bex_memory *h = bex_memory_new(&(bex_memory_options){.O = 4, .N = 32});
 *     each episode:  bex_memory_push(h, state)      every state, allocates nothing
 *                    bex_memory_draw(h, out, rng)   once, after the first push
 *                    bex_memory_end(h)              the episode joins the memory
 *
 *   rule      the N states of an episode                                     empty memory
 *   uniform   at random from all previous episodes, all different if there   the current episode's
 *             are N, else with replacement                                   first state, N times
 *   last3     one random state of each of the last 3 episodes, a third of    the same
 *             the N places each (LIBERO); halves or all while fewer exist
 *   first     the current episode's first state, N times: the ablation       the same
 *   file:F    as uniform, from a memory saved in F; own episodes are not     an empty file is refused
 *             added to it
 *
 * Only previous episodes count: the running one enters at its end. It waits in a buffer of
 * `episode_most` states; when that is full every second state is dropped and from then on only every
 * 2nd, 4th, 8th ... state is kept, so what joins is always evenly spaced and begins with the first
 * state. The memory holds at most `capacity` states: the oldest episodes leave first, whole.
 *
 * Saved as safetensors: history.states (rows, O), history.start (E + 1), and episodes ever played as
 * metadata. One thread at a time. */
#ifndef BEX_POLICY_MEMORY_H
#define BEX_POLICY_MEMORY_H

#include "base/real.h"
#include "base/rng.h"
#include "policy/normaliser.h"

typedef enum {
    BEX_MEMORY_UNIFORM,
    BEX_MEMORY_FIRST,
    BEX_MEMORY_LAST3,
    BEX_MEMORY_FILE,
} bex_memory_kind;

/* "uniform", "first", "last3", "file:F". *file points into text, NULL for the others. Negative with
 * a message. */
int bex_memory_parse(bex_memory_kind *kind, const char **file, const char *text);

typedef struct bex_memory_options {
    int O, N; // size of a state; states drawn
    bex_memory_kind kind;
    const char *file;                 // for BEX_MEMORY_FILE
    const bex_normaliser *normaliser; // checks the states of a file; borrowed. NULL: nothing does
    int episode_most;                 // states of one episode, at least 2; 0: 4096
    long long capacity;               // states of all previous episodes; 0: 1,000,000
} bex_memory_options;

typedef struct bex_memory bex_memory;

/* NULL with a message: a size out of range, a file that does not fit. */
bex_memory *bex_memory_new(const bex_memory_options *options);
void bex_memory_free(bex_memory *h); // NULL is fine

/* The next state (O) of the running episode. */
void bex_memory_push(bex_memory *h, const bex_real *state);

/* The running episode joins the memory (file: is dropped); no state pushed: nothing happens.
 * Negative with a message if there is no memory left: then it is dropped. */
int bex_memory_end(bex_memory *h);

/* Forget the running episode; forget everything. */
void bex_memory_abandon(bex_memory *h);
void bex_memory_clear(bex_memory *h);

/* out (N, O). All randomness from rng: one stream an episode. Allocates nothing. While the rule
 * falls back on the running episode, that must have a state (a bug otherwise). */
void bex_memory_draw(const bex_memory *h, bex_real *out, bex_rng rng);

/* Where draw takes its states from: `places` of the N come from these n rows, each as likely. uniform
 * and file: have one such source, last3 up to three; none (0) while draw falls back on the running
 * episode. Rows until the memory changes. */
typedef struct bex_memory_source {
    const bex_real *rows; // (n, O)
    long long n;
    int places;
} bex_memory_source;
enum { BEX_MEMORY_SOURCES = 3 };
int bex_memory_sources(const bex_memory *h, bex_memory_source source[BEX_MEMORY_SOURCES]);

/* Another number whenever the memory has changed: what was computed of it is old. */
unsigned long long bex_memory_revision(const bex_memory *h);

int bex_memory_size(const bex_memory *h);             // N
int bex_memory_episodes(const bex_memory *h);         // previous episodes held
long long bex_memory_states(const bex_memory *h);     // their states
const bex_real *bex_memory_rows(const bex_memory *h); // (states,O), oldest first; till the next end

/* Episodes that ever joined, those before a restart included: who goes on with a file's memory goes on
 * counting, so that its random streams are not those of before. 0 for file:, whose memory is another's. */
long long bex_memory_played(const bex_memory *h);
bool bex_memory_loaded(bex_memory *h);      // from a file since this was last asked
int bex_memory_stride(const bex_memory *h); // of the running episode: 1, or 2, 4 .. when thinned

/* The memory without the running episode, atomically over what was there; and back, replacing the
 * memory (episodes beyond the capacity leave, the oldest first). Negative with a message naming the
 * file: another state size, offsets that do not fit, a value that is not finite or no reading
 * (policy/normaliser.h). The memory is then as before. */
int bex_memory_save(const bex_memory *h, const char *path);
int bex_memory_load(bex_memory *h, const char *path);

#endif
