/* Alignment, mark and release, reuse without malloc, poisoning; in the -DBEX_ARENA_MALLOC build the
 * same contract with one malloc per allocation. */
#include "base/arena.h"
#include "base/error.h"
#include "base/rng.h"

#include "malloc_count.h"
#include "test.h"

#include <signal.h>
#include <sys/wait.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

static void pointers_are_aligned_and_apart(void **state) {
    (void)state;
    bex_arena *a = bex_arena_new();
    bex_rng g = bex_rng_seed(1);
    enum { N = 400 };
    unsigned char *p[N];
    size_t size[N];
    for (int i = 0; i < N; i++) {
        size[i] = (size_t)bex_rng_below(&g, i % 10 == 0 ? 300000 : 300);
        p[i] = bex_arena_alloc(a, size[i]);
        assert_int_equal((uintptr_t)p[i] % 64, 0);
        memset(p[i], i % 251, size[i]);
    }
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < size[i]; k++) assert_int_equal(p[i][k], i % 251);
    assert_true(bex_arena_peak(a) == bex_arena_used(a));
    bex_arena_free(a);
}

static void an_empty_request_is_a_pointer_of_its_own(void **state) {
    (void)state;
    bex_arena *a = bex_arena_new();
    void *p = bex_arena_alloc(a, 0), *q = bex_arena_alloc(a, 0);
    assert_true(p && q && p != q);
    bex_arena_free(a);
}

static void zalloc_zeroes_reused_memory(void **state) {
    (void)state;
    bex_arena *a = bex_arena_new();
    memset(bex_arena_alloc(a, 1000), 0xff, 1000);
    bex_arena_reset(a);
    unsigned char *p = bex_arena_zalloc(a, 1000);
    for (int i = 0; i < 1000; i++) assert_int_equal(p[i], 0);
    bex_arena_free(a);
}

// nested marks at every depth, over several blocks: what lies before a mark survives its release
static void release_keeps_what_is_before_the_mark(void **state) {
    (void)state;
    enum { DEPTH = 40, EACH = 10000 };
    bex_arena *a = bex_arena_new();
    unsigned char *p[DEPTH];
    size_t mark[DEPTH];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < DEPTH; i++) {
            mark[i] = bex_arena_mark(a);
            p[i] = memset(bex_arena_alloc(a, EACH), i + 1, EACH);
        }
        for (int i = DEPTH - 1; i >= 0; i--) {
            bex_arena_release(a, mark[i]);
            assert_true(bex_arena_used(a) == mark[i]);
            for (int j = 0; j < i; j++) assert_true(p[j][0] == j + 1 && p[j][EACH - 1] == j + 1);
            // scratch after a release, and release it again
            memset(bex_arena_alloc(a, 3 * EACH), 0xee, 3 * EACH);
            bex_arena_release(a, mark[i]);
        }
        assert_int_equal(bex_arena_used(a), 0);
    }
    bex_arena_free(a);
}

static void step(bex_arena *a) {
    for (int i = 0; i < 50; i++) {
        size_t mark = bex_arena_mark(a);
        memset(bex_arena_alloc(a, (size_t)i * 3000), 1, (size_t)i * 3000);
        bex_arena_release(a, mark);
        memset(bex_arena_alloc(a, (size_t)i * 500), 2, (size_t)i * 500);
    }
    bex_arena_reset(a);
}

static void a_repeated_step_stops_calling_malloc(void **state) {
    (void)state;
#if defined(BEX_ARENA_MALLOC)
    skip(); // every allocation is a malloc there
#endif
    bex_arena *a = bex_arena_new();
    long before = malloc_calls();
    step(a);
    if (malloc_counted()) assert_true(malloc_calls() > before); // the counter counts
    size_t peak = bex_arena_peak(a);
    before = malloc_calls();
    for (int i = 0; i < 20; i++) step(a);
    assert_int_equal(malloc_calls(), before);
    assert_true(bex_arena_peak(a) == peak);
    bex_arena_free(a);
}

static void reserve_makes_the_first_step_free_of_malloc(void **state) {
    (void)state;
#if defined(BEX_ARENA_MALLOC)
    skip();
#endif
    bex_arena *a = bex_arena_new();
    bex_arena_alloc(a, 40000); // a block partly used
    assert_int_equal(bex_arena_reserve(a, 1 << 20), 0);
    long before = malloc_calls();
    for (int i = 0; i < 16; i++) bex_arena_alloc(a, 1 << 16);
    assert_int_equal(malloc_calls(), before);
    bex_arena_free(a);
}

static void an_impossible_reserve_is_an_error(void **state) {
    (void)state;
#if defined(BEX_ARENA_MALLOC) || defined(__SANITIZE_ADDRESS__)
    skip(); // nothing is reserved there; the sanitizer stops the program at such a request
#endif
    bex_arena *a = bex_arena_new();
    assert_true(bex_arena_reserve(a, (size_t)1 << 60) < 0);
    assert_message("out of memory");
    assert_true(bex_arena_reserve(a, SIZE_MAX) < 0);
    assert_message("MiB for a step arena");
    assert_non_null(bex_arena_alloc(a, 100)); // and it still works
    bex_arena_free(a);
}

// step memory of a pass that goes wrong in its middle
static void greedy(void *payload) {
    bex_arena *a = payload;
    bex_arena_alloc(a, 100);
    malloc_fail(1, true);
    for (;;) bex_arena_alloc(a, 1 << 20);
}

static void modest(void *payload) {
    memset(bex_arena_alloc(payload, 100), 1, 100);
}

static void greedy_inside(void *payload) {
    int code = bex_arena_guard(greedy, payload);
    malloc_fail(0, false);
    assert_int_equal(code, -1);
    modest(payload); // goes on
}

static void a_guard_is_gone_back_to(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    bex_arena *a = bex_arena_new();
    long live = malloc_live();
    for (int i = 0; i < 3; i++) {
        bex_error_clear();
        int code = bex_arena_guard(greedy, a);
        malloc_fail(0, false);
        assert_int_equal(code, -1);
        assert_message("out of memory");
        bex_arena_reset(a);
        assert_int_equal(bex_arena_guard(modest, a), 0);
        assert_int_equal(bex_arena_guard(greedy_inside, a), 0); // guards nest
        bex_arena_reset(a);
    }
    bex_arena_free(a);
    malloc_fail(1, false);
    a = bex_arena_new();
    malloc_fail(0, false);
    assert_null(a);
    assert_message("out of memory for an arena");
    assert_true(malloc_live() < live);
}

static void without_a_guard_it_aborts(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        bex_arena *a = bex_arena_new();
        bex_arena_guard(modest, a); // one that is over is none
        greedy(a);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void release_poisons(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) && !defined(BEX_ARENA_MALLOC)
    bex_arena *a = bex_arena_new();
    size_t mark = bex_arena_mark(a);
    char *p = bex_arena_alloc(a, 100);
    assert_false(__asan_address_is_poisoned(p) || __asan_address_is_poisoned(p + 99));
    assert_true(__asan_address_is_poisoned(p + 100)); // the padding catches an overrun
    bex_arena_release(a, mark);
    assert_true(__asan_address_is_poisoned(p));
    bex_arena_free(a);
#else
    skip();
#endif
}

static void release_ahead_is_a_bug(void **state) {
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr)) _exit(1);
        bex_arena *a = bex_arena_new();
        bex_arena_release(a, 64);
        _exit(0);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    bex_arena_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointers_are_aligned_and_apart),
        cmocka_unit_test(an_empty_request_is_a_pointer_of_its_own),
        cmocka_unit_test(zalloc_zeroes_reused_memory),
        cmocka_unit_test(release_keeps_what_is_before_the_mark),
        cmocka_unit_test(a_repeated_step_stops_calling_malloc),
        cmocka_unit_test(reserve_makes_the_first_step_free_of_malloc),
        cmocka_unit_test(an_impossible_reserve_is_an_error),
        cmocka_unit_test(a_guard_is_gone_back_to),
        cmocka_unit_test(without_a_guard_it_aborts),
        cmocka_unit_test(release_poisons),
        cmocka_unit_test(release_ahead_is_a_bug),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
