/* base/parallel.c */
#include "base/parallel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

int bex_parallel_threads(void) {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

int bex_parallel_worker(void) {
#ifdef _OPENMP
    return omp_get_thread_num();
#else
    return 0;
#endif
}

void bex_part(int n, int parts, int i, int *first, int *count) {
    int each = n / parts, more = n % parts;
    *first = i * each + (i < more ? i : more);
    *count = each + (i < more);
}

void bex_parallel(int threads, long pieces, void (*work)(long piece, void *payload),
                  void *payload) {
    if (threads == 0) threads = bex_parallel_threads();
    if (threads == 1 || pieces <= 1) {
        for (long i = 0; i < pieces; i++) work(i, payload);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (long i = 0; i < pieces; i++) work(i, payload);
}
