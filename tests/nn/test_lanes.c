/* For any number of threads and of ranks the loss and the gradient are the bits of lanes one by one. The
 * ranks are processes here too, made by fork, which meet in shared memory: no MPI is needed. */
#include "base/error.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "nn/lanes.h"

#include "test.h"

#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { LANES = 7, N = 1000, PIECE = 77 };

typedef struct {
    pthread_barrier_t all;
    char table[LANES * 512]; // of a gathering
    bex_real piece[PIECE];   // of a fold
    struct {
        double loss;
        bex_real grad[N];
    } came_to[LANES]; // each rank
} meeting;

static meeting *place;
static bex_ranks me;

static int gather(void *all, int n, size_t size) {
    int first, count;
    assert_true((size_t)n * size <= sizeof place->table);
    bex_part(n, me.count, me.rank, &first, &count);
    memcpy(place->table + (size_t)first * size, (char *)all + (size_t)first * size,
           (size_t)count * size);
    pthread_barrier_wait(&place->all);
    memcpy(all, place->table, (size_t)n * size);
    pthread_barrier_wait(&place->all);
    return 0;
}

static int fold(bex_real *data, size_t n, bex_fold_fn *fn, void *payload) {
    for (size_t first = 0; first < n; first += PIECE) {
        size_t size = n - first < PIECE ? n - first : PIECE;
        for (int r = 0; r < me.count; r++) {
            if (r == me.rank) {
                fn(first, size, r ? place->piece : NULL, payload);
                memcpy(place->piece, data + first, size * sizeof *data);
            }
            pthread_barrier_wait(&place->all);
        }
        memcpy(data + first, place->piece, size * sizeof *data);
        pthread_barrier_wait(&place->all);
    }
    return 0;
}

// gradients from 1e-6 to 1e+6: in another order their sum has other bits
static int lane_work(bex_tape *tape, int lane, void *payload, double *result) {
    const bex_param *p = payload;
    bex_rng rng = tape->rng;
    int add;
    bex_tape_train(tape, p->block);
    bex_real *g = bex_grad(tape, bex_use(tape, p), &add);
    for (size_t i = 0; i < p->count; i++)
        g[i] = R(bex_rng_normal(&rng) * pow(10, 12 * bex_rng_uniform(&rng) - 6));
    *result = (double)g[0] + 1.0 / (lane + 3);
    return 0;
}

static void train_one(bex_params *p, const bex_param *x, bex_lanes *lanes, double *loss) {
    bex_params_build(p, bex_lanes_blocks(lanes), bex_rng_seed(1));
    void *payload = (void *)(uintptr_t)x;
    assert_int_equal(bex_lanes_learn(lanes, bex_rng_seed(2), lane_work, payload, p, loss), 0);
}

static void rank_work(int rank, int ranks) {
    me = (bex_ranks){rank, ranks, gather, fold};
    bex_ranks_join(&me);
    bex_params *p = bex_params_new();
    const bex_param *x = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(N), "x");
    bex_lanes *lanes = bex_lanes_spread(LANES, 1);
    assert_int_equal(bex_lanes_count(lanes), LANES);
    train_one(p, x, lanes, &place->came_to[rank].loss);
    memcpy(place->came_to[rank].grad, bex_param_grad(x, 0), N * sizeof(bex_real));
    bex_lanes_free(lanes);
    bex_params_free(p);
}

static void start_ranks(int ranks, void (*work)(int rank, int ranks)) {
    pthread_barrierattr_t shared;
    pid_t child[LANES];
    memset(place, 0, sizeof *place);
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&place->all, &shared, (unsigned)ranks);
    for (int r = 0; r < ranks; r++) {
        child[r] = fork();
        assert_true(child[r] >= 0);
        if (child[r]) continue;
        alarm(60); // a rank that fails leaves the others at the barrier
        work(r, ranks);
        _exit(0);
    }
    for (int r = 0; r < ranks; r++) {
        int status;
        waitpid(child[r], &status, 0);
        assert_int_equal(status, 0);
    }
}

// what the lanes come to one by one, in order or backwards
static void add_up(bex_real *sum, double *loss, bool backwards) {
    bex_params *p = bex_params_new();
    const bex_param *x = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(N), "x");
    bex_arena *arena = bex_arena_new();
    bex_params_build(p, 1, bex_rng_seed(1));
    for (int i = 0; i < LANES; i++) {
        int lane = backwards ? LANES - 1 - i : i;
        bex_tape tape;
        bex_tape_init(&tape, arena);
        tape.rng = bex_rng_split(bex_rng_seed(2), "lane", (uint64_t)lane);
        double one;
        assert_int_equal(lane_work(&tape, lane, (void *)(uintptr_t)x, &one), 0);
        *loss += one;
        for (int k = 0; k < N; k++) sum[k] += bex_param_grad(x, 0)[k];
    }
    bex_arena_free(arena);
    bex_params_free(p);
}

static void same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    bex_real sum[N] = {0};
    double loss = 0;
    add_up(sum, &loss, false);
    for (int threads = 1; threads <= LANES; threads++) {
        bex_params *p = bex_params_new();
        const bex_param *x = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(N), "x");
        bex_lanes *lanes = bex_lanes_new(LANES, threads);
        double ours;
        train_one(p, x, lanes, &ours);
        assert_int_equal(p->blocks, threads < LANES ? threads + 1 : LANES);
        assert_memory_equal(&loss, &ours, sizeof loss);
        assert_memory_equal(sum, bex_param_grad(x, 0), sizeof sum);
        bex_lanes_free(lanes);
        bex_params_free(p);
    }
}

static void same_bits_for_any_number_of_ranks(void **state) {
    (void)state;
    bex_real sum[N] = {0};
    double loss = 0;
    add_up(sum, &loss, false);
    for (int ranks = 1; ranks <= LANES; ranks++) {
        start_ranks(ranks, rank_work);
        for (int r = 0; r < ranks; r++) {
            assert_memory_equal(&loss, &place->came_to[r].loss, sizeof loss);
            assert_memory_equal(sum, place->came_to[r].grad, sizeof sum);
        }
    }
}

// or the tests above could not fail
static void order_is_part_of_the_bits(void **state) {
    (void)state;
    bex_real sum[N] = {0}, backwards[N] = {0};
    double loss = 0, other = 0;
    add_up(sum, &loss, false);
    add_up(backwards, &other, true);
    assert_true(memcmp(sum, backwards, sizeof sum) != 0);
}

// lanes 2 and 5 fail; the others do not
static int failing_work(bex_tape *tape, int lane, void *payload, double *result) {
    (void)tape, (void)payload;
    *result = 1;
    return lane == 2 || lane == 5 ? bex_fail("lane %d has no labels", lane) : 0;
}

static void the_lowest_lane_that_failed_is_told_for_any_number_of_threads(void **state) {
    (void)state;
    for (int threads = 1; threads <= LANES; threads++) {
        bex_params *p = bex_params_new();
        bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(N), "x");
        bex_lanes *lanes = bex_lanes_new(LANES, threads);
        bex_params_build(p, bex_lanes_blocks(lanes), bex_rng_seed(1));
        double sum = 0;
        assert_int_equal(bex_lanes_run(lanes, bex_rng_seed(2), failing_work, NULL, &sum), -1);
        assert_string_equal(bex_error(), "lane 2 has no labels");
        assert_true(isnan(sum));
        assert_int_equal(bex_lanes_learn(lanes, bex_rng_seed(2), failing_work, NULL, p, &sum), -1);
        assert_string_equal(bex_error(), "lane 2 has no labels");
        bex_lanes_free(lanes);
        bex_params_free(p);
    }
}

static void failing_rank(int rank, int ranks) {
    me = (bex_ranks){rank, ranks, gather, fold};
    bex_ranks_join(&me);
    bex_lanes *lanes = bex_lanes_spread(LANES, 1);
    double sum;
    assert_int_equal(bex_lanes_run(lanes, bex_rng_seed(2), failing_work, NULL, &sum), -1);
    assert_string_equal(bex_error(),
                        ranks < 4 ? "lane 2 has no labels" : "rank 1: lane 2 has no labels");
    bex_lanes_free(lanes);
}

static void every_rank_is_told(void **state) {
    (void)state;
    start_ranks(2, failing_rank); // lanes 0..3 | 4..6
    start_ranks(4, failing_rank); // 0 1 | 2 3 | 4 5 | 6
}

typedef struct {
    double loss;
    bex_real grad[N];
} learned;

// a learner of its own, two threads if it may
static int learn_inside(long trial, int worker, void *payload) {
    (void)worker;
    learned *out = (learned *)payload + trial;
    bex_params *p = bex_params_new();
    const bex_param *x = bex_param_add(p, BEX_INIT_ZERO, 1, BEX_DIMS(N), "x");
    bex_lanes *lanes = bex_lanes_new(LANES, trial % 2 ? 2 : 1);
    train_one(p, x, lanes, &out->loss);
    memcpy(out->grad, bex_param_grad(x, 0), sizeof out->grad);
    bex_lanes_free(lanes);
    bex_params_free(p);
    return 0;
}

// a learner may live in a trial that shares its threads with others
static void lanes_work_inside_a_piece(void **state) {
    (void)state;
    enum { TRIALS = 8 };
    bex_real sum[N] = {0};
    double loss = 0;
    learned *trials = calloc(TRIALS, sizeof *trials);
    add_up(sum, &loss, false);
    assert_int_equal(bex_try_parallel(4, TRIALS, learn_inside, trials), 0);
    for (int i = 0; i < TRIALS; i++) {
        assert_memory_equal(&loss, &trials[i].loss, sizeof loss);
        assert_memory_equal(sum, trials[i].grad, sizeof sum);
    }
    free(trials);
}

int main(void) {
    place = mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return skip_all("no shared memory");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_bits_for_any_number_of_threads),
        cmocka_unit_test(same_bits_for_any_number_of_ranks),
        cmocka_unit_test(order_is_part_of_the_bits),
        cmocka_unit_test(the_lowest_lane_that_failed_is_told_for_any_number_of_threads),
        cmocka_unit_test(every_rank_is_told),
        cmocka_unit_test(lanes_work_inside_a_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
