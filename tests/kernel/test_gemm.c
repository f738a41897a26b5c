/* The blocked product against three plain loops, and the promise of gemm.h: an element's bits depend
 * on its row and column alone, whether B was packed before or not. */
#include "kernel/gemm.h"

#include "kernel/buffers.h"
#include "kernel/ref/ref_gemm.h"

static double tolerance(int K) {
    return 4 * EPS * (K + 4);
}

static void one_case(int M, int N, int K, int flags, int offset, int gap) {
    int ta = (flags & BEX_GEMM_TA) != 0, tb = (flags & BEX_GEMM_TB) != 0;
    int lda = (ta ? M : K) + gap, ldb = (tb ? K : N) + gap, ldc = N + gap;
    bex_real *A = input((size_t)(ta ? K : M) * (size_t)lda, offset);
    bex_real *B = input((size_t)(tb ? N : K) * (size_t)ldb, offset);
    matrix C = output(M, N, ldc, offset), want = copy_of(C, 0);
    bex_gemm(C.p, ldc, A, lda, B, ldb, M, N, K, flags);
    bex_ref_gemm(want.p, ldc, A, lda, B, ldb, M, N, K, flags);
    char what[96];
    snprintf(what, sizeof what, "M %d N %d K %d flags %d offset %d gap %d", M, N, K, flags, offset,
             gap);
    assert_close(C, want, tolerance(K), what);
    release_all();
}

static void equals_plain_loops(void **state) {
    (void)state;
    static const int Ms[] = {1, 2, 3, 4, 5, 6, 7, 12, 13, 50}, Ns[] = {1, 7, 8, 15, 16, 17, 33, 65},
                     Ks[] = {0, 1, 2, 7, 8, 9, 31, 256, 257};
    for (int m = 0; m < COUNT(Ms); m++)
        for (int n = 0; n < COUNT(Ns); n++)
            for (int k = 0; k < COUNT(Ks); k++)
                for (int flags = 0; flags < 8; flags++)
                    one_case(Ms[m], Ns[n], Ks[k], flags, (m + n + k) & 1, (m + k) % 3 ? 0 : 3);
}

static void equals_plain_loops_past_every_block(void **state) {
    (void)state;
    static const int shapes[][3] = {{1203, 70, 30}, {250, 130, 520}, {241, 64, 256},
                                    {6, 200, 1000}, {0, 5, 5},       {5, 0, 5}};
    for (int s = 0; s < COUNT(shapes); s++)
        for (int flags = 0; flags < 8; flags++)
            one_case(shapes[s][0], shapes[s][1], shapes[s][2], flags, s & 1, flags & 1 ? 5 : 0);
}

// rows 0..M-1 of a product, each as a product of its own, and columns too
static void bits_do_not_depend_on_the_batch(void **state) {
    (void)state;
    enum { M = 1000, N = 70, K = 300 };
    for (int flags = 0; flags < 4; flags++) {
        int ta = flags & BEX_GEMM_TA, tb = flags & BEX_GEMM_TB;
        int lda = ta ? M : K, ldb = tb ? K : N, a_row = ta ? 1 : lda;
        bex_real *A = input((size_t)M * K, 0), *B = input((size_t)N * K, 0);
        bex_real *C = input((size_t)M * N, 0), *row = input(N * 13, 1), one;
        bex_gemm(C, N, A, lda, B, ldb, M, N, K, flags);
        for (int i = 0; i < M; i += 7) {
            bex_gemm(row, N, A + (ptrdiff_t)i * a_row, lda, B, ldb, 1, N, K, flags);
            assert_same_bits(row, C + (ptrdiff_t)i * N, N, "a batch of one");
        }
        bex_gemm(row, N, A + (ptrdiff_t)500 * a_row, lda, B, ldb, 13, N, K, flags);
        assert_same_bits(row, C + (ptrdiff_t)500 * N, 13 * N, "a batch of 13");
        for (int j = 0; j < N; j++) {
            bex_gemm(&one, 1, A, lda, B + (ptrdiff_t)j * (tb ? ldb : 1), ldb, 1, 1, K, flags);
            assert_same_bits(&one, C + j, 1, "one column");
        }
        release_all();
    }
}

static void bits_do_not_depend_on_alignment(void **state) {
    (void)state;
    enum { M = 37, N = 45, K = 290 };
    bex_real *A = input(M * K, 0), *B = input(N * K, 0), *C[2] = {input(M * N, 0), input(M * N, 1)};
    for (int flags = 0; flags < 4; flags++) {
        int lda = flags & BEX_GEMM_TA ? M : K, ldb = flags & BEX_GEMM_TB ? K : N;
        bex_gemm(C[0], N, A, lda, B, ldb, M, N, K, flags);
        bex_gemm(C[1], N, input_copy(A, M * K, 1), lda, input_copy(B, N * K, 1), ldb, M, N, K,
                 flags);
        assert_same_bits(C[0], C[1], M * N, "offset by one");
    }
    release_all();
}

// products with columns n.. and rows k.. of a packed B (K,N) of which a part is asked
static void packed_case(int M, int N, int K, int tb, int k, int n) {
    int ldb = (tb ? K : N) + 3, flags = tb ? BEX_GEMM_TB : 0;
    bex_real *A = input((size_t)M * (size_t)K, 1);
    bex_real *B = input((size_t)(tb ? N : K) * (size_t)ldb, 1);
    matrix panels = output(1, (int)bex_gemm_pack_size(N, K), (int)bex_gemm_pack_size(N, K), 0);
    bex_gemm_pack(panels.p, B, ldb, N, K, flags);
    guards_intact(panels);
    const bex_real *part = bex_gemm_packed_at(panels.p, K, k, n);
    assert_non_null(part);
    const bex_real *plain = B + (tb ? (ptrdiff_t)n * ldb + k : (ptrdiff_t)k * ldb + n);
    for (int add = 0; add <= BEX_GEMM_ADD; add += BEX_GEMM_ADD) {
        matrix C = output(M, N - n, N - n + 2, 0), want = copy_of(C, 1);
        bex_gemm(C.p, C.ld, A, K, part, K, M, N - n, K - k, BEX_GEMM_PACKED | add);
        bex_gemm(want.p, want.ld, A, K, plain, ldb, M, N - n, K - k, flags | add);
        for (int i = 0; i < M; i++)
            assert_same_bits(at(C, i, 0), at(want, i, 0), (size_t)(N - n), "packed");
        guards_intact(C);
    }
    release_all();
}

static void packed_gives_the_same_bits(void **state) {
    (void)state;
    static const int Ms[] = {1, 5, 12, 13, 300}, Ns[] = {1, 16, 17, 64, 150},
                     Ks[] = {1, 9, 256, 300};
    for (int m = 0; m < COUNT(Ms); m++)
        for (int n = 0; n < COUNT(Ns); n++)
            for (int k = 0; k < COUNT(Ks); k++)
                for (int tb = 0; tb < 2; tb++) packed_case(Ms[m], Ns[n], Ks[k], tb, 0, 0);
    packed_case(1300, 70, 300, 1, 0, 64);
    packed_case(7, 130, 520, 0, 261, 0);
    packed_case(20, 130, 520, 1, 19, 2 * BEX_GEMM_PANEL);
    bex_real one = 0;
    assert_null(bex_gemm_packed_at(&one, 8, 0, 1)); // inside a panel
}

static void nan_and_inf_stay_in_their_row_and_column(void **state) {
    (void)state;
    enum { M = 9, N = 21, K = 40 };
    for (int flags = 0; flags < 4; flags++) {
        int ta = flags & BEX_GEMM_TA, tb = flags & BEX_GEMM_TB;
        bex_real *A = input(M * K, 0), *B = input(N * K, 0);
        A[ta ? 17 * M + 3 : 3 * K + 17] = R(NAN);
        B[tb ? 20 * K + 5 : 5 * N + 20] = R(INFINITY);
        A[ta ? 5 * M + 8 : 8 * K + 5] = 0; // 0 x inf is nan: no term is skipped
        matrix C = output(M, N, N, 0), want = copy_of(C, 0);
        bex_gemm(C.p, N, A, ta ? M : K, B, tb ? K : N, M, N, K, flags);
        bex_ref_gemm(want.p, N, A, ta ? M : K, B, tb ? K : N, M, N, K, flags);
        assert_close(C, want, tolerance(K), "special values");
        assert_true(isnan(*at(C, 3, 0)) && isfinite(*at(C, 2, 0)) && isinf(*at(C, 0, 20)) &&
                    isnan(*at(C, 8, 20)));
        release_all();
    }
}

static void tail_case(int M, int N, int K, int tb, bex_activation act, int has_bias, int has_pre) {
    matrix C = output(M, N, N + 2, 1), want = output(M, N, N, 0), z = copy_of(want, 0);
    matrix pre = output(M, N, N, 1);
    bex_real *A = input((size_t)M * (size_t)K, 1), *B = input((size_t)N * (size_t)K, 0);
    bex_real *bias = input((size_t)N, 1);
    int ldb = tb ? K : N;
    bex_gemm_act(C.p, C.ld, A, K, B, ldb, M, N, K, tb ? BEX_GEMM_TB : 0, has_bias ? bias : NULL,
                 act, has_pre ? pre.p : NULL);
    bex_ref_gemm(z.p, N, A, K, B, ldb, M, N, K, tb ? BEX_GEMM_TB : 0);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N && has_bias; j++) *at(z, i, j) += bias[j];
    bex_activation_fwd(want.p, z.p, span(z), act); // itself held to libm by test_activation.c
    char what[64];
    snprintf(what, sizeof what, "%s M %d N %d K %d", bex_activation_name(act), M, N, K);
    assert_close(C, want, 2 * tolerance(K), what);
    if (has_pre) assert_close(pre, z, 2 * tolerance(K), what);
    guards_intact(pre);
    release_all();
}

static void finishes_with_bias_and_activation(void **state) {
    (void)state;
    static const int shapes[][3] = {{1, 1, 1},   {7, 17, 9},    {13, 64, 257},
                                    {50, 33, 0}, {245, 70, 31}, {1201, 18, 5}};
    for (int s = 0; s < COUNT(shapes); s++)
        for (int act = 0; act < BEX_ACTIVATIONS; act++)
            for (int option = 0; option < 8; option++)
                tail_case(shapes[s][0], shapes[s][1], shapes[s][2], option & 1, (bex_activation)act,
                          option & 2, option & 4);
}

static void activated_bits_do_not_depend_on_the_batch(void **state) {
    (void)state;
    enum { M = 300, N = 70, K = 50 };
    for (int act = 0; act < BEX_ACTIVATIONS; act++) {
        bex_real *A = input(M * K, 0), *B = input(N * K, 0), *bias = input(N, 0);
        bex_real *C = input(M * N, 0), *row = input(N, 1);
        bex_gemm_act(C, N, A, K, B, K, M, N, K, BEX_GEMM_TB, bias, (bex_activation)act, NULL);
        for (int i = 0; i < M; i += 7) {
            bex_gemm_act(row, N, A + i * K, K, B, K, 1, N, K, BEX_GEMM_TB, bias,
                         (bex_activation)act, NULL);
            assert_same_bits(row, C + i * N, N, bex_activation_name((bex_activation)act));
        }
        release_all();
    }
}

int main(void) {
    source = bex_rng_seed(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_plain_loops),
        cmocka_unit_test(equals_plain_loops_past_every_block),
        cmocka_unit_test(bits_do_not_depend_on_the_batch),
        cmocka_unit_test(bits_do_not_depend_on_alignment),
        cmocka_unit_test(packed_gives_the_same_bits),
        cmocka_unit_test(nan_and_inf_stay_in_their_row_and_column),
        cmocka_unit_test(finishes_with_bias_and_activation),
        cmocka_unit_test(activated_bits_do_not_depend_on_the_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
