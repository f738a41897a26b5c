/* base/parallel.h - the only way bex uses threads: independent pieces of work, one level deep.
 *
 * Which thread takes which piece is not fixed, so a piece must not depend on it: results are the same
 * bits for any thread count. With one thread it is a plain loop: OpenMP would allocate a team for it
 * on every call. Built without OpenMP (BEX_OPENMP=OFF) it is that plain loop for any number of threads. */
#ifndef BEX_BASE_PARALLEL_H
#define BEX_BASE_PARALLEL_H

/* work(piece, payload) for piece = 0..pieces-1. threads 0: as many as the machine offers. */
void bex_parallel(int threads, long pieces, void (*work)(long piece, void *payload), void *payload);

/* Part i of n things cut in `parts`: first..first+count-1, sizes differing by at most one. */
void bex_part(int n, int parts, int i, int *first, int *count);

/* Which of the threads of bex_parallel runs this piece, below `threads`: for scratch memory, nothing else. */
int bex_parallel_worker(void);

/* Threads this process may use: what OMP_NUM_THREADS says, or the cores the machine offers. */
int bex_parallel_threads(void);

#endif
