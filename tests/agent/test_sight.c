/* Learning from pictures: what only the picture tells is learned and lost with another picture; the same
 * bits on
 * any number of threads and after loading; nothing is allocated in a steady update; frozen networks give
 * features
 * once; an encoder learns the state; what cannot be learned from is told. */
#include "agent/imitation/open_loop.h"
#include "agent/sight/encoder.h"
#include "agent/sight/pixels.h"
#include "host/folder.h"
#include "policy/control.h"

#include "agent/learner.h"
#include "malloc_count.h"
#include "scratch_folder.h"

#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SLOW_BUILD = 1 };
#else
enum { SLOW_BUILD = 0 };
#endif
enum { SIDE = 16, EPISODES = 12, LONG = 16, SEEN_ROWS = EPISODES * LONG };

static const char base[] =
    "model.history=0 model.chunk=2 train.batch=16 train.lanes=4 train.micro=4 "
    "vision.channels=16 train.crop=0.95 train.lr=3e-3 ";

// a spot at (u,v); the state says nothing of it, the action is where it is
static bex_dataset *spots_new(void) {
    int *start = malloc((EPISODES + 1) * sizeof *start);
    bex_dataset *d = bex_dataset_new();
    bex_names cameras = {0};
    unsigned char *p = calloc((size_t)SEEN_ROWS * 2, SIDE * SIDE * 3);
    bex_names_push(&cameras, "one"), bex_names_push(&cameras, "two");
    d->pictures = bex_pictures_new(&cameras, SIDE, SIDE, &(bex_pictures_options){.size = 0});
    assert_int_equal(bex_dataset_allocate(d, SEEN_ROWS, 4, 2, 0, 0), 0);
    for (int e = 0; e <= EPISODES; e++) start[e] = e * LONG;
    assert_int_equal(bex_dataset_take_episodes(d, start, EPISODES), 0);
    bex_rng g = bex_rng_seed(4);
    for (int r = 0; r < SEEN_ROWS; r++) {
        int u = 1 + (int)bex_rng_below(&g, SIDE - 3), v = 1 + (int)bex_rng_below(&g, SIDE - 3);
        for (int c = 0; c < 2; c++)
            for (int y = 0; y < SIDE; y++)
                for (int x = 0; x < SIDE; x++) {
                    bool in = x >= u && x < u + 2 && y >= v && y < v + 2;
                    unsigned char *q = p + (((r * 2 + c) * SIDE + y) * SIDE + x) * 3;
                    q[0] = in ? 250 : 60, q[1] = (unsigned char)(80 * c + 40), q[2] = 90;
                }
        for (int i = 0; i < 4; i++) d->observations[r * 4 + i] = R(bex_rng_normal(&g));
        d->actions[2 * r] = R(u) / SIDE, d->actions[2 * r + 1] = R(v) / SIDE;
        d->frames[r] = r;
    }
    assert_int_equal(bex_pictures_add_memory(d->pictures, p, SEEN_ROWS, SIDE, SIDE), 0);
    bex_names_fini(&cameras);
    free(p);
    return d;
}

static bex_train_config sight_config(const char *more) {
    char settings[1000];
    snprintf(settings, sizeof settings, "%s %s", base, more);
    return walk_config(settings);
}

static bex_agent *try_agent(const char *more, const char *cache) {
    bex_train_config c = sight_config(more);
    return bex_agent_new(&c, &(bex_sources){.data = spots_new(), .cache = cache});
}

static bex_agent *agent_seeing(const char *more) {
    bex_agent *a = try_agent(more, NULL);
    if (!a) fail_msg("%s: %s", more, bex_error());
    return a;
}

static double mean_loss(bex_agent *a, int64_t first, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += update(a, first + i);
    return sum / (double)count;
}

// of a chunk, held out, in open loop
static double chunk_error(bex_agent *a, bool other_pictures) {
    bex_open_loop r;
    bex_open_loop_options o = {.windows = 64, .chunks = 2, .other_pictures = other_pictures};
    if (a->class->open_loop(a, ((bex_imitation *)a)->policy, &o, &r) < 0)
        fail_msg("%s", bex_error());
    double error = r.all[BEX_OPEN_LOOP_ONE];
    bex_open_loop_fini(&r);
    return error;
}

// what a policy that saw nothing could not: its loss falls far, and another picture brings it back
static void it_looks(void **state) {
    (void)state;
    if (SLOW_BUILD) skip();
    bex_agent *a =
        agent_seeing("train.agent=bc model.chunk=1 diffusion.predicts=chunk data.held_out=0.1");
    double first = mean_loss(a, 0, 10);
    mean_loss(a, 10, 290);
    double last = mean_loss(a, 300, 40);
    bex_evaluation e = evaluation(a);
    if (!(last < 0.4 * first)) fail_msg("loss %g, at first %g", last, first);
    if (!(e.more[BEX_JUDGED_OTHER_PICTURES] > 2 * e.score))
        fail_msg("held out %g, with other pictures %g", e.score, e.more[BEX_JUDGED_OTHER_PICTURES]);
    assert_string_equal(a->judged[BEX_JUDGED_OTHER_PICTURES], "other_pictures");
    double own = chunk_error(a, false), other = chunk_error(a, true);
    if (!(other > 1.5 * own)) fail_msg("chunks off by %g, with other pictures %g", own, other);
    a->class->free(a);
}

static void same_params(bex_agent *a, bex_agent *b) {
    const bex_params *p = params_of(a), *q = params_of(b);
    assert_int_equal(p->count, q->count);
    assert_memory_equal(p->value, q->value, p->count * sizeof *p->value);
    assert_memory_equal(p->m, q->m, p->count * sizeof *p->m);
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    static const char *const kinds[] = {
        "train.agent=bc vision.shared=false train.blur=1 train.colour=0.3 train.threads=%d",
        "train.agent=be model.history=6 train.samples_per_history=4 vision.pool=places train.threads=%d",
        "train.agent=be model.history=6 model.mode=full vision.pool=keypoints train.threads=%d",
        "train.agent=bc train.overfit=32 train.threads=%d"};
    for (int k = 0; k < 4; k++) {
        bex_agent *a[3];
        for (int i = 0; i < 3; i++) {
            char settings[200];
            snprintf(settings, sizeof settings, kinds[k], i + 1);
            a[i] = agent_seeing(settings);
            for (int64_t s = 0; s < 4; s++) update(a[i], s);
            if (i) same_params(a[0], a[i]);
        }
        for (int i = 0; i < 3; i++) a[i]->class->free(a[i]);
    }
}

// augmentation belongs to a window, not to where it is computed
static void micro_batches_see_the_same_pictures(void **state) {
    (void)state;
    bex_dataset *d = spots_new();
    bex_arena *arena = bex_arena_new();
    bex_augmentation change = {0.8, 1, 0.3};
    enum { B = 6, ALL = 2 * B * SIDE * SIDE * 3, ONE = SIDE * SIDE * 3 };
    static bex_real all[ALL], part[2 * 2 * ONE], still[ALL];
    int frames[B], number[B];
    for (int i = 0; i < B; i++) frames[i] = 3 * i, number[i] = i;
    bex_pixels_request q = {.pictures = d->pictures, .frames = frames, .number = number, .B = B};
    assert_int_equal(bex_pixels_gather(still, arena, &q), 0);
    q.augment = &change, q.rng = bex_rng_seed(8);
    assert_int_equal(bex_pixels_gather(all, arena, &q), 0);
    q.B = 2, q.frames += 2, q.number += 2;
    assert_int_equal(bex_pixels_gather(part, arena, &q), 0);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 2; i++)
            assert_memory_equal(part + (c * 2 + i) * ONE, all + (c * B + i + 2) * ONE,
                                ONE * sizeof *all);
    assert_memory_not_equal(all, still, sizeof all);
    bex_arena_free(arena);
    bex_dataset_free(d);
}

static void going_on_equals_not_stopping(void **state) {
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s", scratch_folder("sight"));
    bex_agent *a = agent_seeing("train.agent=bc train.ema=0.9"),
              *b = agent_seeing("train.agent=bc train.ema=0.9");
    for (int64_t s = 0; s < 3; s++) update(a, s);
    assert_int_equal(a->class->save(a, folder), 0);
    if (b->class->load(b, folder) < 0) fail_msg("%s", bex_error());
    for (int64_t s = 3; s < 6; s++) update(a, s), update(b, s);
    same_params(a, b);
    bex_policy *p = bex_policy_load(folder);
    if (!p) fail_msg("%s", bex_error());
    assert_string_equal(p->config.vision.images, "one,two");
    assert_true(p->vision.o.height == SIDE && p->vision.o.width == SIDE);
    bex_policy_free(p);
    a->class->free(a), b->class->free(b);
    bex_folder_remove(folder);
}

static void a_steady_update_takes_no_memory(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    bex_agent *a = agent_seeing("train.agent=bc data.held_out=0.1");
    for (int64_t s = 0; s < 4; s++) update(a, s);
    long before = malloc_calls();
    for (int64_t s = 4; s < 8; s++) update(a, s);
    assert_int_equal(malloc_calls(), before);
    a->class->free(a);
}

// the same states, drawn anew: a file of features is not taken for theirs
static void features_know_their_pictures(const bex_policy *p, const char *folder) {
    char path[640];
    snprintf(path, sizeof path, "%s.drawn", folder);
    bex_dataset *d = spots_new();
    bex_names cameras = {0};
    unsigned char *dark = calloc((size_t)SEEN_ROWS * 2, SIDE * SIDE * 3);
    size_t size = 2 * (size_t)p->vision.features * sizeof(bex_real);
    bex_features *one = bex_features_new(p, d, path, 1), *again = bex_features_new(p, d, path, 1);
    bex_names_push(&cameras, "one"), bex_names_push(&cameras, "two");
    bex_pictures_free(d->pictures);
    d->pictures = bex_pictures_new(&cameras, SIDE, SIDE, &(bex_pictures_options){.size = 0});
    assert_int_equal(bex_pictures_add_memory(d->pictures, dark, SEEN_ROWS, SIDE, SIDE), 0);
    bex_features *other = bex_features_new(p, d, path, 1);
    assert_true(one && again && other);
    assert_memory_equal(bex_features_at(one, 7), bex_features_at(again, 7), size);
    assert_memory_not_equal(bex_features_at(one, 7), bex_features_at(other, 7), size);
    bex_features_free(one), bex_features_free(again), bex_features_free(other);
    bex_dataset_free(d);
    bex_names_fini(&cameras);
    free(dark);
    unlink(path);
}

static void an_encoder_learns_and_freezes(void **state) {
    (void)state;
    char folder[600], settings[900], cache[700];
    snprintf(folder, sizeof folder, "%s", scratch_folder("encoder"));
    snprintf(cache, sizeof cache, "%s.features", folder);
    bex_train_config c = sight_config("train.agent=encoder data.held_out=0.1 train.threads=2");
    bex_dataset *d = spots_new();
    // the state is where the spot is
    for (int r = 0; r < d->rows; r++)
        for (int i = 0; i < 4; i++) d->observations[4 * r + i] = d->actions[2 * r + i % 2];
    bex_agent *e = bex_agent_new(&c, &(bex_sources){.data = d});
    if (!e) fail_msg("%s", bex_error());
    double first = mean_loss(e, 0, 5);
    int64_t steps = SLOW_BUILD ? 10 : 150;
    mean_loss(e, 5, steps);
    double last = mean_loss(e, 5 + steps, 10);
    if (!SLOW_BUILD && !(last < 0.5 * first)) fail_msg("loss %g, at first %g", last, first);
    assert_true(isfinite(evaluation(e).score));
    assert_int_equal(e->class->save(e, folder), 0);
    e->class->free(e);
    snprintf(settings, sizeof settings, "train.agent=bc model.encoder=frozen train.encoder=%s",
             folder);
    bex_agent *a = try_agent(settings, cache), *b;
    if (!a) fail_msg("%s", bex_error());
    assert_int_equal(access(cache, F_OK), 0);
    b = try_agent(settings, cache); // from the file
    if (!b) fail_msg("%s", bex_error());
    bex_imitation *x = (bex_imitation *)a, *y = (bex_imitation *)b;
    size_t size = 2 * (size_t)x->policy->vision.features * sizeof(bex_real);
    for (int f = 0; f < SEEN_ROWS; f++)
        assert_memory_equal(bex_features_at(x->train.features, f),
                            bex_features_at(y->train.features, f), size);
    // the policy's own sight gives the same features when it acts
    bex_arena *arena = bex_arena_new();
    bex_tape tape;
    unsigned char picture[2][SIDE * SIDE * 3];
    bex_tape_init(&tape, arena);
    bex_tape_reset(&tape);
    for (int i = 0; i < 2; i++)
        assert_int_equal(bex_pictures_read(x->train.data->pictures, 7, i, picture[i]), 0);
    bex_real *features = malloc(size);
    bex_policy_see(x->policy, &tape, &(bex_observation){.image = {picture[0], picture[1]}},
                   features);
    assert_memory_equal(features, bex_features_at(x->train.features, 7), size);
    free(features);
    bex_arena_free(arena);
    features_know_their_pictures(x->policy, folder);
    for (int64_t s = 0; s < 3; s++) update(a, s), update(b, s);
    same_params(a, b);
    assert_int_equal(a->class->save(a, folder),
                     0); // in place of the encoder: a policy holds its network too
    bex_policy *p = bex_policy_load(folder);
    if (!p) fail_msg("%s", bex_error());
    assert_memory_equal(p->frozen->value, x->policy->frozen->value,
                        p->frozen->count * sizeof *p->frozen->value);
    bex_policy_free(p);
    a->class->free(a), b->class->free(b);
    unlink(cache);
    bex_folder_remove(folder);
}

// weights of a network that was not taught: any will do
static void save_encoder(const char *folder) {
    bex_agent *e = agent_seeing("train.agent=encoder");
    assert_int_equal(e->class->save(e, folder), 0);
    e->class->free(e);
}

enum { COLUMNS = 3 };

static bex_agent *agent_of_columns(const char *folder, const char *more) {
    char settings[1200];
    snprintf(
        settings, sizeof settings,
        "model.history=4 train.samples_per_history=4 coverage.future=4 coverage.bank=8 "
        "model.encoder=frozen train.encoder=%s vision.columns=%d coverage.dims=4,5,6 data.held_out=0 %s",
        folder, COLUMNS, more);
    bex_train_config c = sight_config(settings);
    bex_dataset *d = spots_new();
    assert_int_equal(bex_dataset_widen(d, COLUMNS, BEX_SEEN_KEY), 0);
    bex_agent *a = bex_agent_new(&c, &(bex_sources){.data = d});
    if (!a) fail_msg("%s", bex_error());
    return a;
}

// coverage of what is seen: columns behind the state, in training as in acting, in memory as in training
static void coverage_is_of_what_is_seen(void **state) {
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s", scratch_folder("columns"));
    save_encoder(folder);
    bex_agent *a = agent_of_columns(folder, "model.waypoints=true train.threads=1"),
              *b = agent_of_columns(folder, "model.waypoints=true train.threads=3");
    for (int64_t s = 0; s < 3; s++) update(a, s), update(b, s);
    same_params(a, b);
    const bex_imitation *x = (bex_imitation *)a;
    assert_int_equal(x->policy->O, 4 + COLUMNS);
    assert_int_equal(x->policy->given, 4);
    assert_int_equal(bex_feature_input(x->policy->phi), 4 + COLUMNS);
    assert_int_equal(x->policy->chunk.W, COLUMNS);
    assert_int_equal(a->class->save(a, folder), 0);
    bex_policy *p = bex_policy_load(folder);
    if (!p) fail_msg("%s", bex_error());
    bex_control *c = bex_control_new(p, NULL, 0);
    if (!c) fail_msg("%s", bex_error());
    bex_dataset *d = spots_new();
    unsigned char picture[2][SIDE * SIDE * 3];
    bex_real row[4 + COLUMNS], normal[4 + COLUMNS];
    for (int r = 0; r < SEEN_ROWS; r += 31) {
        for (int i = 0; i < 2; i++)
            assert_int_equal(bex_pictures_read(d->pictures, r, i, picture[i]), 0);
        bex_observation now = {.state = d->observations + 4 * r, .image = {picture[0], picture[1]}};
        if (bex_control_row(c, &now, row) < 0) fail_msg("%s", bex_error());
        bex_policy_inputs(p, normal, row, 1);
        assert_memory_equal(normal, x->train.states + (size_t)r * (4 + COLUMNS), sizeof normal);
    }
    bex_dataset_free(d);
    bex_control_free(c);
    bex_policy_free(p);
    a->class->free(a), b->class->free(b);
    bex_folder_remove(folder);
}

// as `bex eval --data OTHER` does: learned, frozen, with columns; other cameras and sizes are told
static void it_is_judged_beside_other_demonstrations(void **state) {
    (void)state;
    static const char *const more[] = {"model.encoder=learned vision.columns=0 coverage.dims=0,1",
                                       "vision.columns=0 coverage.dims=0,1", ""};
    char folder[600];
    bex_open_loop_options o = {.windows = 8, .chunks = 2};
    bex_open_loop result;
    for (int k = 0; k < 3; k++) {
        snprintf(folder, sizeof folder, "%s", scratch_folder("beside"));
        save_encoder(folder);
        bex_agent *a;
        if (k < 2) {
            char settings[1000];
            snprintf(settings, sizeof settings,
                     "train.agent=bc model.encoder=frozen train.encoder=%s %s", folder, more[k]);
            a = agent_seeing(settings);
        } else {
            a = agent_of_columns(folder, "");
        }
        update(a, 0);
        assert_int_equal(a->class->save(a, folder), 0);
        a->class->free(a);
        bex_agent *beside = bex_imitation_beside(bex_policy_load(folder), spots_new());
        if (!beside) fail_msg("%d: %s", k, bex_error());
        const bex_policy *p = ((bex_imitation *)beside)->policy;
        if (bex_imitation_open_loop(beside, p, &o, &result) < 0) fail_msg("%d: %s", k, bex_error());
        assert_true(isfinite(result.all[BEX_OPEN_LOOP_ONE]));
        bex_open_loop_fini(&result);
        beside->class->free(beside);
        bex_dataset *blind = spots_new();
        bex_pictures_free(blind->pictures), blind->pictures = NULL;
        free(blind->frames), blind->frames = NULL;
        assert_null(bex_imitation_beside(bex_policy_load(folder), blind));
        assert_message("the policy sees one,two, the demonstrations have no pictures");
        bex_folder_remove(folder);
    }
}

static void what_cannot_be_learned_is_told(void **state) {
    (void)state;
    static const struct {
        const char *settings, *part;
    } cases[] = {
        {"train.agent=bc model.encoder=frozen", "train.encoder is empty"},
        {"train.agent=bc train.encoder=no/such", "there is no such file"},
        {"train.agent=bc train.encoder=/", "neither a run nor a folder"},
        {"train.agent=bc vision.channels=24", "vision.channels 24 is not a multiple of 16"},
        {"train.agent=encoder vision.channels=24", "vision.channels 24 is not a multiple"},
        {"train.agent=encoder train.warmup=2000", "train.warmup 2000 exceeds"}};
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
        if (try_agent(cases[k].settings, NULL)) fail_msg("%s is accepted", cases[k].settings);
        if (!strstr(bex_error(), cases[k].part)) fail_msg("%s: %s", cases[k].settings, bex_error());
    }
    bex_train_config c = sight_config("train.agent=encoder");
    walks = walks_new(1);
    assert_null(bex_agent_new(&c, &(bex_sources){.data = walks}));
    assert_message("data.images is empty");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_looks),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(micro_batches_see_the_same_pictures),
        cmocka_unit_test(going_on_equals_not_stopping),
        cmocka_unit_test(a_steady_update_takes_no_memory),
        cmocka_unit_test(an_encoder_learns_and_freezes),
        cmocka_unit_test(coverage_is_of_what_is_seen),
        cmocka_unit_test(it_is_judged_beside_other_demonstrations),
        cmocka_unit_test(what_cannot_be_learned_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
