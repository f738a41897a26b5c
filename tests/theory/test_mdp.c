/* Worlds: the text format reads, writes back equal, and refuses bad files in one clear line; random
 * worlds cover the corners they are meant to. */
#include "theory/mdp.h"

#include "base/error.h"

#include "test.h"

#include <math.h>

#define HEAD "states 4\nactions 2\nhorizon 2\nstart 0\nterminal 2 3\n"
#define GOOD HEAD "move 0 0 1 0.5\nmove 0 1 2 0.5\nmove 1 0 3 1/4 # fine\nmove 1 1 3 3/4\n"

static bex_mdp *parse(const char *text) {
    return bex_mdp_parse(text, strlen(text), "w.txt");
}

static char *written(const bex_mdp *w) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    bex_mdp_write(w, f);
    fclose(f);
    return text;
}

static void reads_the_format(void **state) {
    (void)state;
    bex_mdp *w = parse("\t# a comment\r\n\n" GOOD);
    if (!w) fail_msg("%s", bex_error());
    assert_int_equal(w->states, 4);
    assert_int_equal(w->horizon, 2);
    assert_int_equal(w->n_beta, 2);
    assert_int_equal(w->longest, 2);
    assert_int_equal(w->reachable, 4);
    assert_int_equal(w->order[0], 0);
    assert_true(w->beta[2] == 0.25 && w->next[2] == 3);
    bex_mdp_free(w);
}

static void bad_worlds_get_one_clear_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "w.txt: 'states' is missing"},
        {"states 4\nactions 2\nstart 0\n", "w.txt: 'horizon' is missing"},
        {"states x\n", "w.txt:1: states: 'x' is not a whole number"},
        {"states 4 5\n", "w.txt:1: '5' after the end"},
        {"states 4\nstates 4\n", "w.txt:2: 'states' is given twice"},
        {"states 0\n", "w.txt:1: states 0 is out of range"},
        {"states 99999999999999999999\n", "out of range"},
        {"states 20000\nactions 1000\nhorizon 1\nstart 0\n", "at most 200000 moves"},
        {"actions 1001\n", "out of range (1 to 1000)"},
        {"horizon 0\n", "horizon 0 is out of range"},
        {"states 4\nmove 0 0 1 1\n", "w.txt:2: 'move' comes before 'actions'"},
        {"stats 4\n", "unknown word 'stats' (did you mean states?)"},
        {"states 2\nactions 1\nhorizon 1\nstart 5\nterminal 1\nmove 0 0 1 1\n",
         "w.txt: start 5 is not a state (0 to 1)"},
        {"states 2\nactions 1\nhorizon 1\nstart 1\nterminal 1\nmove 0 0 1 1\n",
         "start 1 is terminal"},
        {HEAD "terminal 3\n", "w.txt:6: state 3 is terminal twice"},
        {HEAD "terminal\n", "w.txt:6: state is missing"},
        {HEAD "move 0 0 1\n", "w.txt:6: probability is missing"},
        {HEAD "move 0 0 9 1\n", "w.txt:6: next state 9 is out of range (0 to 3)"},
        {HEAD "move 0 2 1 1\n", "action 2 is out of range"},
        {HEAD "move 0 0 1 half\n", "probability 'half' is not a number"},
        {HEAD "move 0 0 1 nan\n", "probability 'nan' is not a number"},
        {HEAD "move 0 0 1 1/0\n", "probability '1/0' is not a number"},
        {HEAD "move 0 0 1 0x1\n", "not a number"},
        {HEAD "move 0 0 1 1.5\n", "probability 1.5 is not in [0, 1]"},
        {HEAD "move 0 0 1 -0.5\n", "not in [0, 1]"},
        {HEAD "move 0 0 1 0.5\nmove 0 0 2 0.5\n",
         "w.txt:7: state 0, action 0 has a move already, in line 6"},
        {HEAD "move 0 0 1 1\nmove 0 1 2 0\nmove 1 0 3 1\n",
         "w.txt:8: state 1 has no move for action 1"},
        {HEAD "move 0 0 1 1\nmove 0 1 2 0\n", "state 1 has no move for action 0"},
        {HEAD "move 0 0 1 0.5\nmove 0 1 2 0.4\nmove 1 0 3 1\nmove 1 1 3 0\n",
         "w.txt:7: probabilities in state 0 sum to 0.9, not 1"},
        {GOOD "move 2 0 3 1\n", "w.txt:10: state 2 is terminal but has a move for action 0"},
        {HEAD "move 0 0 1 0.5\nmove 0 1 2 0.5\nmove 1 0 0 0.5\nmove 1 1 3 0.5\n",
         "w.txt:8: states 0 -> 1 -> 0 form a cycle: an episode can go past the horizon of 2"},
        {HEAD "move 0 0 0 0.5\nmove 0 1 2 0.5\nmove 1 0 3 1\nmove 1 1 3 0\n",
         "states 0 -> 0 form a cycle"},
        {"states 3\nactions 1\nhorizon 1\nstart 0\nterminal 2\nmove 0 0 1 1\nmove 1 0 2 1\n",
         "an episode can take 2 steps (to state 2), the horizon is 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_error_clear();
        bex_mdp *w = parse(cases[i].text);
        if (w) fail_msg("accepted: %s", cases[i].text);
        assert_message(cases[i].message);
        assert_null(strchr(bex_error(), '\n'));
    }
    assert_null(bex_mdp_parse("states\0 4", 9, "w.txt"));
    assert_message("not a text file");
    assert_null(bex_mdp_load("/nowhere.txt"));
    assert_message("/nowhere.txt");
}

static void what_beta_never_does_may_loop(void **state) {
    (void)state;
    bex_mdp *w = parse(HEAD "move 0 0 0 0\nmove 0 1 2 1\nmove 1 0 0 1\nmove 1 1 3 0\n");
    assert_non_null(w);
    assert_int_equal(w->n_beta, 1); // 3 is behind state 1, which nothing reaches
    assert_int_equal(w->omega[0], 2);
    bex_mdp_free(w);
}

static void probability_tolerance_is_1e_9(void **state) {
    (void)state;
    const char *format = "states 2\nactions 3\nhorizon 1\nstart 0\nterminal 1\n"
                         "move 0 0 1 %s\nmove 0 1 1 %s\nmove 0 2 1 %s\n";
    char text[300];
    const char *ten = "0.3333333333", *eight = "0.33333333";
    snprintf(text, sizeof text, format, ten, ten, ten);
    bex_mdp *w = parse(text);
    assert_non_null(w);
    bex_mdp_free(w);
    snprintf(text, sizeof text, format, eight, eight, eight);
    assert_null(parse(text));
    assert_message("sum to 0.99999999, not 1");
}

static void assert_equal_worlds(const bex_mdp *a, const bex_mdp *b) {
    size_t S = (size_t)a->states, SA = S * (size_t)a->actions;
    assert_int_equal(a->states, b->states);
    assert_int_equal(a->actions, b->actions);
    assert_int_equal(a->horizon, b->horizon);
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->n_beta, b->n_beta);
    assert_memory_equal(a->next, b->next, SA * sizeof *a->next);
    assert_memory_equal(a->beta, b->beta, SA * sizeof *a->beta);
    assert_memory_equal(a->terminal, b->terminal, S * sizeof *a->terminal);
}

static void random_worlds_write_and_read_back(void **state) {
    (void)state;
    int single = 0, many = 0, unreachable = 0, never = 0, joined = 0;
    for (uint64_t i = 0; i < 500; i++) {
        bex_rng rng = bex_rng_split(bex_rng_seed(11), "world", i);
        bex_mdp *w = bex_mdp_random(rng), *same = bex_mdp_random(rng);
        assert_equal_worlds(w, same);
        char *text = written(w);
        bex_mdp *again = parse(text);
        if (!again) fail_msg("%s", bex_error());
        assert_equal_worlds(w, again);
        int terminals = 0, edges = 0;
        for (int s = 0; s < w->states; s++) {
            terminals += w->terminal[s];
            for (int a = 0; a < w->actions && !w->terminal[s]; a++)
                never += w->beta[s * w->actions + a] == 0;
        }
        for (int k = 0; k < w->reachable; k++)
            for (int a = 0; a < w->actions && !w->terminal[w->order[k]]; a++)
                edges += w->beta[w->order[k] * w->actions + a] > 0;
        single += w->n_beta == 1, many += w->n_beta >= 8;
        unreachable += terminals > w->n_beta, joined += edges > w->reachable;
        free(text);
        bex_mdp_free(w), bex_mdp_free(same), bex_mdp_free(again);
    }
    // every corner is met often
    assert_true(single > 20 && many > 20 && unreachable > 100 && never > 500 && joined > 100);
}

static void damaged_files_never_crash(void **state) {
    (void)state;
    size_t n = strlen(GOOD);
    char text[sizeof GOOD];
    for (size_t cut = 0; cut + 2 < n; cut++) {
        bex_mdp *w = bex_mdp_parse(GOOD, cut, "cut");
        if (w) fail_msg("%zu bytes of %zu were accepted", cut, n);
    }
    bex_rng rng = bex_rng_seed(5);
    for (int i = 0; i < 20000; i++) {
        memcpy(text, GOOD, sizeof text);
        for (int k = 0; k < 3; k++)
            text[bex_rng_below(&rng, n)] = "0123456789 \n#/-.emove\xff"[bex_rng_below(&rng, 22)];
        bex_mdp_free(bex_mdp_parse(text, n, "fuzz"));
    }
}

static void behaviour_follows_its_probabilities(void **state) {
    (void)state;
    bex_mdp *w = parse("states 2\nactions 4\nhorizon 1\nstart 0\nterminal 1\nmove 0 0 1 0\n"
                       "move 0 1 1 0.2\nmove 0 2 1 0.8\nmove 0 3 1 0\n");
    bex_rng rng = bex_rng_seed(2);
    int count[4] = {0};
    for (int i = 0; i < 20000; i++) count[bex_mdp_behave(w, 0, &rng)]++;
    assert_true(count[0] == 0 && count[3] == 0);
    assert_in_range(count[1], 3700, 4300);
    bex_mdp_free(w);
}

static void examples_load(void **state) {
    (void)state;
    bex_mdp *w = bex_mdp_load(BEX_SOURCE_DIR "/examples/worlds/two_goals.txt");
    bex_mdp *built = bex_mdp_two_goals(0.05);
    if (!w) fail_msg("%s", bex_error());
    assert_equal_worlds(w, built);
    bex_mdp_free(w), bex_mdp_free(built);
    w = bex_mdp_load(BEX_SOURCE_DIR "/examples/worlds/corridors.txt");
    if (!w) fail_msg("%s", bex_error());
    assert_int_equal(w->n_beta, 5);
    bex_mdp_free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_format),
        cmocka_unit_test(bad_worlds_get_one_clear_line),
        cmocka_unit_test(what_beta_never_does_may_loop),
        cmocka_unit_test(probability_tolerance_is_1e_9),
        cmocka_unit_test(random_worlds_write_and_read_back),
        cmocka_unit_test(damaged_files_never_crash),
        cmocka_unit_test(behaviour_follows_its_probabilities),
        cmocka_unit_test(examples_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
