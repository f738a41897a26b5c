/* base/parallel.c - the only OpenMP of the program. */
#include "base/parallel.h"

#include "base/error.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef _OPENMP
#include <omp.h>
#endif

// this thread is one of several that share a call
static _Thread_local bool shared;

typedef struct call {
    bex_piece_fn *work;
    void *payload;
    atomic_flag busy; // somebody writes what follows
    long failed;      // the lowest piece that did; LONG_MAX: none
    bex_failure failure;
} call;

static void run_piece(call *c, long piece, int worker) {
    if (c->work(piece, worker, c->payload) == 0) return;
    // failures are rare: a lock that spins, and no symbol of OpenMP's in the library
    while (atomic_flag_test_and_set(&c->busy)) continue;
    if (piece < c->failed) {
        c->failed = piece;
        bex_failure_take(&c->failure);
    }
    atomic_flag_clear(&c->busy);
}

#ifdef _OPENMP

int bex_parallel_threads(void) {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

static void run_shared(call *c, int threads, long pieces) {
#pragma omp parallel num_threads(threads)
    {
        int worker = omp_get_thread_num();
        shared = true;
#pragma omp for schedule(dynamic, 1) nowait // the region ends in a barrier
        for (long i = 0; i < pieces; i++) run_piece(c, i, worker);
        shared = false;
    }
}

#else

int bex_parallel_threads(void) {
    return 1;
}

static void run_shared(call *c, int threads, long pieces) {
    (void)threads;
    for (long i = 0; i < pieces; i++) run_piece(c, i, 0);
}

#endif

int bex_try_parallel(int threads, long pieces, bex_piece_fn *work, void *payload) {
    call c = {.work = work, .payload = payload, .busy = ATOMIC_FLAG_INIT, .failed = LONG_MAX};
    if (threads == 0) threads = bex_parallel_threads();
    if (threads == 1 || pieces <= 1 || shared)
        for (long i = 0; i < pieces; i++) run_piece(&c, i, 0);
    else
        run_shared(&c, threads, pieces);
    return c.failed == LONG_MAX ? 0 : bex_failure_restore(&c.failure);
}

typedef struct sure_call {
    void (*work)(long piece, void *payload);
    void *payload;
} sure_call;

static int run_sure(long piece, int worker, void *payload) {
    const sure_call *c = payload;
    (void)worker;
    c->work(piece, c->payload);
    return 0;
}

void bex_parallel(int threads, long pieces, void (*work)(long piece, void *payload),
                  void *payload) {
    bex_try_parallel(threads, pieces, run_sure, &(sure_call){work, payload});
}

void bex_part(int n, int parts, int i, int *first, int *count) {
    int each = n / parts, more = n % parts;
    *first = i * each + (i < more ? i : more);
    *count = each + (i < more);
}
