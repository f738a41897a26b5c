/* A deployment's memory: what each rule draws and how often, thinning, capacity, files. */
#include "base/error.h"
#include "nn/safetensors.h"
#include "policy/memory.h"

#include "malloc_count.h"
#include "test.h"

#include <math.h>

enum { H = 12 };

static bex_memory *make(bex_memory_kind kind, int most, long long capacity) {
    bex_memory *h = bex_memory_new(&(bex_memory_options){
        .O = 2, .N = H, .kind = kind, .episode_most = most, .capacity = capacity});
    if (!h) fail_msg("%s", bex_error());
    return h;
}

// episode e of n states (e, t)
static void push_states(bex_memory *h, int e, int n) {
    for (int t = 0; t < n; t++) bex_memory_push(h, (bex_real[2]){R(e), R(t)});
}

static void add_episode(bex_memory *h, int e, int n) {
    push_states(h, e, n);
    assert_int_equal(bex_memory_end(h), 0);
}

static bex_rng stream(int i) {
    return bex_rng_split(bex_rng_seed(5), "draw", (uint64_t)i);
}

static void names_are_parsed(void **state) {
    (void)state;
    bex_memory_kind kind;
    const char *file;
    assert_int_equal(bex_memory_parse(&kind, &file, "uniform"), 0);
    assert_int_equal(kind, BEX_MEMORY_UNIFORM);
    assert_int_equal(bex_memory_parse(&kind, &file, "first"), 0);
    assert_int_equal(kind, BEX_MEMORY_FIRST);
    assert_int_equal(bex_memory_parse(&kind, &file, "last3"), 0);
    assert_int_equal(kind, BEX_MEMORY_LAST3);
    assert_null(file);
    assert_int_equal(bex_memory_parse(&kind, &file, "file:a:b"), 0);
    assert_int_equal(kind, BEX_MEMORY_FILE);
    assert_string_equal(file, "a:b");
    assert_true(bex_memory_parse(&kind, &file, "unifrom") < 0);
    assert_message("did you mean uniform?");
    assert_true(bex_memory_parse(&kind, &file, "file:") < 0);
    assert_true(bex_memory_parse(&kind, &file, "") < 0);
    assert_message("no history rule ''");
}

static void sizes_are_checked(void **state) {
    (void)state;
    assert_null(bex_memory_new(&(bex_memory_options){.O = 0, .N = 1}));
    assert_message("states of 0 values");
    assert_null(bex_memory_new(&(bex_memory_options){.O = 1, .N = 0}));
    assert_message("history of 0 states");
    assert_null(bex_memory_new(&(bex_memory_options){.O = 1, .N = 1, .episode_most = 1}));
    assert_message("at least 2");
}

static void an_empty_memory_repeats_the_first_state(void **state) {
    (void)state;
    for (int kind = BEX_MEMORY_UNIFORM; kind <= BEX_MEMORY_LAST3; kind++) {
        bex_memory *h = make((bex_memory_kind)kind, 0, 0);
        bex_real out[H][2];
        push_states(h, 7, 3);
        bex_memory_draw(h, out[0], stream(0));
        for (int i = 0; i < H; i++) assert_true(out[i][0] == 7 && out[i][1] == 0);
        bex_memory_free(h);
    }
}

static void first_ignores_the_past(void **state) {
    (void)state;
    bex_memory *h = make(BEX_MEMORY_FIRST, 0, 0);
    bex_real out[H][2];
    add_episode(h, 1, 50);
    push_states(h, 2, 4);
    bex_memory_draw(h, out[0], stream(0));
    for (int i = 0; i < H; i++) assert_true(out[i][0] == 2 && out[i][1] == 0);
    bex_memory_free(h);
}

// every state equally often, never twice, never one of the running episode
static void uniform_draws_every_state_equally(void **state) {
    (void)state;
    enum { N = 30, DRAWS = 5000 };
    bex_memory *h = make(BEX_MEMORY_UNIFORM, 0, 0);
    int count[N] = {0};
    add_episode(h, 0, 10);
    add_episode(h, 1, 20);
    push_states(h, 2, 5);
    for (int d = 0; d < DRAWS; d++) {
        bex_real out[H][2];
        int seen[N] = {0};
        bex_memory_draw(h, out[0], stream(d));
        for (int i = 0; i < H; i++) {
            assert_true(out[i][0] == 0 || out[i][0] == 1);
            int s = (int)(out[i][0] * 10 + out[i][1]);
            assert_false(seen[s]++);
            count[s]++;
        }
    }
    double mean = (double)DRAWS * H / N, sd = sqrt(mean * (1 - (double)H / N));
    for (int s = 0; s < N; s++) assert_true(fabs(count[s] - mean) < 5 * sd);
    bex_memory_free(h);
}

static void few_states_are_drawn_with_replacement(void **state) {
    (void)state;
    bex_memory *h = make(BEX_MEMORY_UNIFORM, 0, 0);
    int count[5] = {0};
    add_episode(h, 0, 5);
    push_states(h, 1, 1);
    for (int d = 0; d < 2000; d++) {
        bex_real out[H][2];
        bex_memory_draw(h, out[0], stream(d));
        for (int i = 0; i < H; i++) count[(int)out[i][1]]++;
    }
    for (int s = 0; s < 5; s++) assert_true(abs(count[s] - 4800) < 5 * 62);
    bex_memory_free(h);
}

static void a_draw_depends_on_its_stream_only(void **state) {
    (void)state;
    bex_memory *h = make(BEX_MEMORY_UNIFORM, 0, 0);
    bex_real a[H][2], b[H][2], c[H][2];
    add_episode(h, 0, 400);
    bex_memory_draw(h, a[0], stream(1));
    bex_memory_draw(h, c[0], stream(2));
    bex_memory_draw(h, b[0], stream(1));
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    bex_memory_free(h);
}

static void last3_gives_each_episode_a_third(void **state) {
    (void)state;
    bex_memory *h = make(BEX_MEMORY_LAST3, 0, 0);
    int count[4] = {0};
    for (int episodes = 1; episodes <= 5; episodes++) {
        add_episode(h, episodes, 4);
        int n = episodes < 3 ? episodes : 3;
        for (int d = 0; d < 400; d++) {
            bex_real out[H][2];
            bex_memory_draw(h, out[0], stream(d));
            for (int i = 0; i < H; i++) {
                int third = i * n / H;
                assert_int_equal((int)out[i][0], episodes - n + 1 + third);
                assert_true(out[i][1] == out[third * H / n][1]); // one state fills it
            }
            if (episodes == 5) count[(int)out[H - 1][1]]++;
        }
    }
    for (int t = 0; t < 4; t++) assert_true(abs(count[t] - 100) < 45);
    bex_memory_free(h);
}

// lengths round the places where the stride doubles: evenly spaced, from the first, enough left
// what a source promises is what draws give on average
static void sources_are_where_draws_come_from(void **state) {
    (void)state;
    static const bex_memory_kind kinds[] = {BEX_MEMORY_UNIFORM, BEX_MEMORY_LAST3};
    enum { DRAWS = 4000 };
    for (int k = 0; k < 2; k++) {
        bex_memory *h = make(kinds[k], 0, 0);
        bex_memory_source source[BEX_MEMORY_SOURCES];
        assert_int_equal(bex_memory_sources(h, source), 0);
        for (int e = 0; e < 5; e++) {
            unsigned long long before = bex_memory_revision(h);
            add_episode(h, e, 4 + 3 * e);
            assert_true(bex_memory_revision(h) != before);
            double expected[5] = {0}, drawn[5] = {0};
            int n = bex_memory_sources(h, source), places = 0;
            assert_int_equal(n, k == 0 ? 1 : e < 3 ? e + 1 : 3);
            for (int i = 0; i < n; places += source[i++].places)
                for (int r = 0; r < source[i].n; r++)
                    expected[(int)source[i].rows[2 * r]] +=
                        (double)source[i].places / (double)source[i].n;
            assert_int_equal(places, H);
            for (int d = 0; d < DRAWS; d++) {
                bex_real out[H * 2];
                bex_memory_draw(h, out, stream(d));
                for (int i = 0; i < H; i++) drawn[(int)out[2 * i]] += 1.0 / DRAWS;
            }
            for (int i = 0; i < 5; i++) assert_true(fabs(drawn[i] - expected[i]) < 0.15);
        }
        bex_memory_free(h);
    }
    bex_memory_source source[BEX_MEMORY_SOURCES];
    bex_memory *h = make(BEX_MEMORY_FIRST, 0, 0);
    add_episode(h, 0, 5);
    assert_int_equal(bex_memory_sources(h, source), 0);
    bex_memory_free(h);
}

static void long_episodes_are_thinned_evenly(void **state) {
    (void)state;
    for (int most = 2; most <= 9; most++)
        for (int n = 1; n < 150; n++) {
            bex_memory *h = make(BEX_MEMORY_UNIFORM, most, 0);
            push_states(h, 0, n);
            int stride = bex_memory_stride(h);
            assert_int_equal(bex_memory_end(h), 0);
            int kept = (int)bex_memory_states(h);
            assert_int_equal(kept, (n + stride - 1) / stride);
            assert_true(kept <= most && (stride == 1 || 2 * kept >= most));
            for (int i = 0; i < kept; i++)
                assert_int_equal((int)bex_memory_rows(h)[2 * i + 1], i * stride);
            assert_int_equal(bex_memory_stride(h), 1); // the next one starts afresh
            bex_memory_free(h);
        }
}

static void pushing_and_drawing_allocate_nothing(void **state) {
    (void)state;
    bex_memory *h = make(BEX_MEMORY_UNIFORM, 64, 0);
    bex_real out[H][2];
    add_episode(h, 0, 100);
    long before = malloc_calls();
    push_states(h, 1, 1000);
    bex_memory_draw(h, out[0], stream(0));
    assert_int_equal(malloc_calls(), before);
    bex_memory_free(h);
}

static void the_oldest_episodes_leave_whole(void **state) {
    (void)state;
    bex_memory *h = make(BEX_MEMORY_UNIFORM, 0, 10);
    for (int e = 0; e < 300; e++) {
        add_episode(h, e, 1 + e % 4);
        assert_true(bex_memory_states(h) <= 10);
    }
    assert_int_equal(bex_memory_episodes(h), 4); // 299: 4, 298: 3, 297: 2, 296: 1
    assert_int_equal(bex_memory_states(h), 10);
    assert_int_equal((int)bex_memory_rows(h)[0], 296);
    add_episode(h, 300, 25); // longer than everything: its last states stay
    assert_int_equal(bex_memory_episodes(h), 1);
    assert_int_equal((int)bex_memory_rows(h)[1], 15);
    bex_memory_clear(h);
    assert_int_equal(bex_memory_states(h), 0);
    bex_memory_free(h);
}

static void nothing_pushed_is_no_episode(void **state) {
    (void)state;
    bex_memory *h = make(BEX_MEMORY_UNIFORM, 0, 0);
    assert_int_equal(bex_memory_end(h), 0);
    push_states(h, 0, 3);
    bex_memory_abandon(h);
    assert_int_equal(bex_memory_end(h), 0);
    assert_int_equal(bex_memory_episodes(h), 0);
    bex_memory_free(h);
}

static void a_file_survives_a_restart(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("history.safetensors"));
    bex_memory *h = make(BEX_MEMORY_UNIFORM, 0, 0), *g = make(BEX_MEMORY_UNIFORM, 0, 0);
    assert_int_equal(bex_memory_save(h, path), 0); // an empty memory, too
    assert_int_equal(bex_memory_load(g, path), 0);
    assert_int_equal(bex_memory_episodes(g), 0);
    for (int e = 0; e < 100; e++) add_episode(h, e, 1 + e % 7);
    push_states(h, 1000, 3); // the running episode is not saved
    assert_int_equal(bex_memory_save(h, path), 0);
    add_episode(g, 5, 5);
    assert_int_equal(bex_memory_load(g, path), 0);
    assert_int_equal(bex_memory_episodes(g), 100);
    assert_int_equal(bex_memory_states(g), bex_memory_states(h));
    assert_memory_equal(bex_memory_rows(g), bex_memory_rows(h),
                        (size_t)bex_memory_states(h) * 2 * sizeof(bex_real));
    bex_real a[H][2], b[H][2];
    bex_memory_draw(h, a[0], stream(3));
    bex_memory_draw(g, b[0], stream(3));
    assert_memory_equal(a, b, sizeof a);
    bex_memory_free(h), bex_memory_free(g);

    g = make(BEX_MEMORY_UNIFORM, 0, 6); // a smaller memory keeps the latest
    assert_int_equal(bex_memory_load(g, path), 0);
    assert_true(bex_memory_states(g) <= 6);
    assert_int_equal((int)bex_memory_rows(g)[2 * bex_memory_states(g) - 2], 99);
    bex_memory_free(g);

    g = bex_memory_new(
        &(bex_memory_options){.O = 2, .N = H, .kind = BEX_MEMORY_FILE, .file = path});
    assert_non_null(g);
    push_states(g, 77, 4);
    bex_memory_draw(g, b[0], stream(3));
    assert_memory_equal(a, b, sizeof a); // as uniform over the same states
    assert_int_equal(bex_memory_end(g), 0);
    assert_int_equal(bex_memory_episodes(g), 100); // own episodes do not join
    bex_memory_free(g);
    unlink(path);
}

static void save_raw(const char *path, int64_t n, int64_t O, int64_t E, const int64_t *start,
                     bex_real fill) {
    bex_real *states = malloc((size_t)(n * O + 1) * sizeof *states);
    for (int64_t i = 0; i < n * O; i++) states[i] = fill;
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_real(w, "history.states", 2, (int64_t[]){n, O}, states);
    if (start) bex_st_add(w, "history.start", BEX_ST_I64, 1, (int64_t[]){E + 1}, start);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    free(states);
}

static void bad_files_are_refused(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("bad.safetensors"));
    static const struct {
        int64_t n, O, E, start[4];
        double fill;
        const char *part;
    } bad[] = {
        {5, 3, 1, {0, 5}, 0, "states of 3 values, expected 2"},
        {5, 2, 1, {0, 4}, 0, "from 0 to 4, not from 0 to 5"},
        {5, 2, 1, {1, 5}, 0, "from 1 to 5"},
        {5, 2, 3, {0, 3, 3, 5}, 0, "episode 1 of history.start has no states"},
        {5, 2, 3, {0, 7, 2, 5}, 0, "episode 1"},
        {5, 2, 1, {0, 5}, (double)NAN, "history.states"},
    };
    bex_memory *h = make(BEX_MEMORY_UNIFORM, 0, 0);
    add_episode(h, 9, 4);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        save_raw(path, bad[i].n, bad[i].O, bad[i].E, bad[i].start, R(bad[i].fill));
        assert_true(bex_memory_load(h, path) < 0);
        assert_message(bad[i].part);
        assert_message("bad.safetensors");
    }
    // with a normaliser to judge by, no state that none can be
    bex_real mean[2] = {0, 0}, std[2] = {1, 1};
    bex_normaliser n = {.O = 2, .mean = mean, .std = std};
    bex_memory *strict = bex_memory_new(&(bex_memory_options){.O = 2, .N = H, .normaliser = &n});
    save_raw(path, 5, 2, 1, (int64_t[]){0, 5}, R(1e30));
    assert_int_equal(bex_memory_load(strict, path), -1);
    assert_message("bad.safetensors': state 0: observation 0 of 2 is 1e+30");
    save_raw(path, 5, 2, 1, (int64_t[]){0, 5}, R(1e3));
    assert_int_equal(bex_memory_load(strict, path), 0);
    bex_memory_free(strict);
    save_raw(path, 2, 2, 0, NULL, 0);
    assert_true(bex_memory_load(h, path) < 0);
    assert_message("no tensor 'history.start'");
    unlink(path);
    assert_true(bex_memory_load(h, path) < 0);
    assert_message("bad.safetensors");
    assert_int_equal(bex_memory_states(h), 4); // as before
    assert_true(bex_memory_save(h, "/no/such/dir/h.safetensors") < 0);
    assert_message("/no/such/dir");

    bex_memory_clear(h);
    assert_int_equal(bex_memory_save(h, path), 0);
    assert_null(bex_memory_new(
        &(bex_memory_options){.O = 2, .N = H, .kind = BEX_MEMORY_FILE, .file = path}));
    assert_message("holds no states");
    unlink(path);
    bex_memory_free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_parsed),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(an_empty_memory_repeats_the_first_state),
        cmocka_unit_test(first_ignores_the_past),
        cmocka_unit_test(uniform_draws_every_state_equally),
        cmocka_unit_test(few_states_are_drawn_with_replacement),
        cmocka_unit_test(a_draw_depends_on_its_stream_only),
        cmocka_unit_test(last3_gives_each_episode_a_third),
        cmocka_unit_test(sources_are_where_draws_come_from),
        cmocka_unit_test(long_episodes_are_thinned_evenly),
        cmocka_unit_test(pushing_and_drawing_allocate_nothing),
        cmocka_unit_test(the_oldest_episodes_leave_whole),
        cmocka_unit_test(nothing_pushed_is_no_episode),
        cmocka_unit_test(a_file_survives_a_restart),
        cmocka_unit_test(bad_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
