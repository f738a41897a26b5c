/* Pieces of work: each once, for any number of threads; workers, failures and calls inside calls. */
#include "base/parallel.h"

#include "base/error.h"

#include "malloc_count.h"
#include "test.h"

#include <pthread.h>
#include <stdatomic.h>

enum { PIECES = 200, THREADS = 4 };

typedef struct {
    atomic_int times[PIECES], worker_most;
    atomic_bool busy[THREADS], clash;
    pthread_t caller;
    atomic_bool stranger; // worker 0 that is not the caller
} log_of;

static int note(long piece, int worker, void *payload) {
    log_of *l = payload;
    atomic_fetch_add(&l->times[piece], 1);
    if (worker < 0 || worker >= THREADS || atomic_exchange(&l->busy[worker], true))
        atomic_store(&l->clash, true);
    if ((worker == 0) != (pthread_equal(pthread_self(), l->caller) != 0))
        atomic_store(&l->stranger, true);
    for (volatile int spin = 0; spin < 1000; spin++) continue;
    if (worker >= 0 && worker < THREADS) atomic_store(&l->busy[worker], false);
    return 0;
}

// two pieces at once never have one worker, which is what scratch memory needs
static void each_piece_runs_once_with_a_worker_of_its_own(void **state) {
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++) {
        log_of *l = calloc(1, sizeof *l);
        l->caller = pthread_self();
        assert_int_equal(bex_try_parallel(threads, PIECES, note, l), 0);
        for (int i = 0; i < PIECES; i++) assert_int_equal(l->times[i], 1);
        assert_false(l->clash);
        assert_false(l->stranger);
        free(l);
    }
    assert_int_equal(bex_try_parallel(2, 0, note, NULL), 0);
}

typedef struct {
    long lowest, other;
    bool misuse;
    atomic_int ran;
} failing;

static int fail_some(long piece, int worker, void *payload) {
    failing *f = payload;
    (void)worker;
    atomic_fetch_add(&f->ran, 1);
    if (piece == f->lowest) {
        bex_fail("piece %ld is too wide", piece);
        return f->misuse ? bex_misused() : -1;
    }
    return piece == f->other ? bex_fail("another piece") : 0;
}

static void the_lowest_failure_comes_home_for_any_number_of_threads(void **state) {
    (void)state;
    for (int threads = 1; threads <= THREADS; threads++)
        for (int misuse = 0; misuse < 2; misuse++) {
            failing f = {.lowest = 57, .other = 58, .misuse = misuse};
            bex_error_clear();
            assert_int_equal(bex_try_parallel(threads, PIECES, fail_some, &f), -1);
            assert_string_equal(bex_error(), "piece 57 is too wide");
            assert_int_equal(bex_error_is_misuse(), misuse);
            assert_int_equal(f.ran, PIECES); // what is left behind does not depend on the threads
            bex_fail_in("exploration");
            assert_string_equal(bex_error(), "exploration: piece 57 is too wide");
        }
}

// a message of before is not a failure of now, nor is one that a piece got over
static int recover(long piece, int worker, void *payload) {
    (void)piece, (void)worker, (void)payload;
    bex_fail("tried something");
    return 0;
}

static void what_a_piece_got_over_is_no_failure(void **state) {
    (void)state;
    assert_int_equal(bex_try_parallel(3, 10, recover, NULL), 0);
}

typedef struct {
    int threads;
    atomic_int inner, wrong_worker;
} nested;

static int inside(long piece, int worker, void *payload) {
    nested *n = payload;
    atomic_fetch_add(&n->inner, 1);
    if (worker != 0) atomic_fetch_add(&n->wrong_worker, 1);
    return piece == 3 ? bex_fail("inner piece %ld", piece) : 0;
}

static int outside(long piece, int worker, void *payload) {
    nested *n = payload;
    (void)worker;
    if (bex_try_parallel(n->threads, 8, inside, n) == 0) return bex_fail("inner error was lost");
    return piece >= 5 ? bex_fail_in("outer piece %ld", piece) : 0;
}

static void calls_nest(void **state) {
    (void)state;
    for (int threads = 2; threads <= THREADS; threads++) {
        nested n = {.threads = threads};
        assert_int_equal(bex_try_parallel(threads, 20, outside, &n), -1);
        assert_string_equal(bex_error(), "outer piece 5: inner piece 3");
        assert_int_equal(n.inner, 20 * 8);
        assert_int_equal(n.wrong_worker, 0);
    }
    // and a call after it has threads again
    log_of *l = calloc(1, sizeof *l);
    l->caller = pthread_self();
    assert_int_equal(bex_try_parallel(THREADS, PIECES, note, l), 0);
    assert_false(l->clash);
    assert_false(l->stranger);
    free(l);
}

static int nothing(long piece, int worker, void *payload) {
    (void)piece, (void)worker, (void)payload;
    return 0;
}

static void a_plain_loop_allocates_nothing(void **state) {
    (void)state;
    long before = malloc_calls();
    bex_try_parallel(1, PIECES, nothing, NULL);
    bex_try_parallel(THREADS, 1, nothing, NULL);
    assert_int_equal(malloc_calls(), before);
}

static void parts_cover_everything(void **state) {
    (void)state;
    for (int n = 0; n < 40; n++)
        for (int parts = 1; parts < 12; parts++) {
            int next = 0;
            for (int i = 0; i < parts; i++) {
                int first, count;
                bex_part(n, parts, i, &first, &count);
                assert_int_equal(first, next);
                assert_true(count == n / parts || count == n / parts + 1);
                next += count;
            }
            assert_int_equal(next, n);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_piece_runs_once_with_a_worker_of_its_own),
        cmocka_unit_test(the_lowest_failure_comes_home_for_any_number_of_threads),
        cmocka_unit_test(what_a_piece_got_over_is_no_failure),
        cmocka_unit_test(calls_nest),
        cmocka_unit_test(a_plain_loop_allocates_nothing),
        cmocka_unit_test(parts_cover_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
