/* The tree's answer is brute force's, bit for bit: many sizes, clumps, ties, repeated points. */
#include "base/rng.h"
#include "data/neighbours.h"

#include "malloc_count.h"
#include "test.h"

static int compare(const void *a, const void *b) {
    const bex_neighbour *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->point < y->point ? -1 : x->point > y->point;
}

static void brute_force(bex_neighbour *all, const bex_real *points, int n, int D,
                        const bex_real *query) {
    for (int i = 0; i < n; i++) {
        bex_real sum = 0;
        for (int c = 0; c < D; c++) {
            bex_real gap = points[i * D + c] - query[c];
            sum += gap * gap;
        }
        all[i] = (bex_neighbour){sum, i};
    }
    qsort(all, (size_t)n, sizeof *all, compare);
}

// kind 0: normal; 1: a random walk, as trajectories are; 2: a coarse grid, full of ties
static bex_real *make_points(int n, int D, int kind, bex_rng *rng) {
    bex_real *p = malloc((size_t)n * (size_t)D * sizeof *p);
    for (int i = 0; i < n * D; i++) {
        double x = bex_rng_normal(rng);
        if (kind == 1) x = 0.1 * x + (i >= D ? (double)p[i - D] : 0);
        if (kind == 2) x = (double)bex_rng_below(rng, 3);
        p[i] = R(x);
    }
    return p;
}

static void equals_brute_force(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 63, 64, 65, 129, 1000, 4097};
    static const int widths[] = {1, 2, 4, 29};
    bex_rng rng = bex_rng_seed(1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int kind = 0; kind < 3; kind++) {
                int n = sizes[s], D = widths[w];
                bex_real *points = make_points(n, D, kind, &rng), *queries;
                bex_neighbours *t = bex_neighbours_new(points, n, D);
                bex_neighbour *all = malloc((size_t)n * sizeof *all);
                bex_neighbour *found = malloc((size_t)n * sizeof *found);
                queries = make_points(20, D, kind, &rng);
                for (int q = 0; q < 20; q++) {
                    const bex_real *query =
                        q < 10 || q > n ? queries + q * D : points + (q % n) * D;
                    static const int ks[] = {1, 7, 64, 1 << 30};
                    brute_force(all, points, n, D, query);
                    for (int i = 0; i < 4; i++) {
                        int k = ks[i] < n ? ks[i] : n;
                        bex_neighbours_find(t, query, k, found);
                        for (int j = 0; j < k; j++)
                            if (compare(&found[j], &all[j]) != 0)
                                fail_msg("n %d D %d kind %d k %d: place %d has %d, not %d", n, D,
                                         kind, k, j, found[j].point, all[j].point);
                    }
                }
                bex_neighbours_free(t);
                free(points), free(queries), free(all), free(found);
            }
}

static void finding_allocates_nothing(void **state) {
    (void)state;
    bex_rng rng = bex_rng_seed(2);
    bex_real *points = make_points(5000, 4, 1, &rng);
    bex_neighbours *t = bex_neighbours_new(points, 5000, 4);
    bex_neighbour found[64];
    long before = malloc_calls();
    for (int i = 0; i < 100; i++) bex_neighbours_find(t, points + 4 * i, 64, found);
    assert_int_equal(malloc_calls(), before);
    assert_int_equal(found[0].point, 99);
    bex_neighbours_free(t);
    free(points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_brute_force),
        cmocka_unit_test(finding_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
