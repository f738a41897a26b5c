/* base/parallel.h - the only way bex uses threads: independent pieces of work.
 *
 *     static int play(long piece, int worker, void *payload) { ... return bex_fail("..."); }
 *     if (bex_try_parallel(0, trials, play, &job) < 0) return bex_fail_in("exploration");
 *
 * Which thread takes which piece is not fixed, so a piece must not depend on it: results are the same
 * bits for any thread count. With one thread it is a plain loop: OpenMP would allocate a team for it
 * on every call.
 *
 * Calls nest: one made inside a piece that shares its call with other threads is a plain loop, and its pieces
 * have worker 0. Inside a plain loop a call may use threads. Without OpenMP everything is a plain loop. */
#ifndef BEX_BASE_PARALLEL_H
#define BEX_BASE_PARALLEL_H

/* One piece. `worker` is the number of the thread that runs it, below the call's `threads`: for scratch
 * memory, nothing else. Worker 0 is the thread that made the call. 0, or negative with a message. */
typedef int bex_piece_fn(long piece, int worker, void *payload);

/* work() for piece = 0..pieces-1. threads 0: as many as the machine offers.
 * Every piece runs, whatever others came to: what they leave behind does not depend on the threads. 0, or
 * negative with the message of the lowest piece that failed, in the caller's thread, misuse and all
 * (base/error.h). Allocates nothing. */
int bex_try_parallel(int threads, long pieces, bex_piece_fn *work, void *payload);

/* The same for work that cannot fail. */
void bex_parallel(int threads, long pieces, void (*work)(long piece, void *payload), void *payload);

/* Part i of n things cut in `parts`: first..first+count-1, sizes differing by at most one. */
void bex_part(int n, int parts, int i, int *first, int *count);

/* Threads this process may use: what OMP_NUM_THREADS says, or the cores the machine offers. Workers of a
 * call with threads 0 are below it. */
int bex_parallel_threads(void);

#endif
