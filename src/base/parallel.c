/* base/parallel.c */
#include "base/parallel.h"

#include <omp.h>

int bex_parallel_threads(void) {
    return omp_get_max_threads();
}

int bex_parallel_worker(void) {
    return omp_get_thread_num();
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
