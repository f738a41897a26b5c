/* `bex compare` as a user runs it, on results whose numbers are known. */
#include "cli/program.h"

#include <unistd.h>

static char first[600], second[600], played[600];

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

// an evaluation of episodes "e0".. from `from` on, in reverse where `back`; error[i] of a chunk of e<i>
static void put_evaluation(const char *path, int from, int n, bool back, const double *error,
                           int chunks) {
    char text[4096];
    int used = snprintf(text, sizeof text,
                        "{\"of\": \"demos\", \"windows\": 64, \"chunks\": %d, \"error\": {}, "
                        "\"by_step\": [{\"mean\": 0.5}], \"episodes\": [",
                        chunks);
    for (int k = 0; k < n; k++) {
        int i = from + (back ? n - 1 - k : k);
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "%s{\"identity\": \"e%d\", \"steps\": 8, \"error\": {\"as trained\": "
                         "{\"one\": %g, \"mean\": %g}}}",
                         k ? ", " : "", i, error[i], error[i] / 2);
    }
    snprintf(text + used, sizeof text - (size_t)used, "]}");
    put(path, text);
}

static run compare(const char *more) {
    char text[1500];
    snprintf(text, sizeof text, "compare %s %s %s", first, second, more);
    return run_program(text);
}

static void has(const run *r, const char *part) {
    if (!strstr(r->text, part)) fail_msg("no '%s' in: %s", part, r->text);
}

static void lacks(const run *r, const char *part) {
    if (strstr(r->text, part)) fail_msg("'%s' in: %s", part, r->text);
}

static const double ours[] = {9, 1, 2, 3, 4, 0}, theirs[] = {0, 2, 3, 3, 6, 9};

// episodes 1 to 4 are in both, whatever their order: 1-2, 2-3, 3-3, 4-6
static void evaluations_are_paired_by_episode(void **state) {
    (void)state;
    put_evaluation(first, 0, 5, false, ours, 8);
    put_evaluation(second, 1, 5, true, theirs, 8);
    run r = compare("--names ours,theirs");
    assert_int_equal(r.code, 0);
    has(&r, "demos, A ours (4 episodes), B theirs (4): paired by episode");
    // means 2.5 and 3.5; differences -1 -1 0 -2, of which t is
    // -2.45 with 3 degrees of freedom
    has(&r, "2.5 +- 0.65        3.5 +- 0.87           -1 +- 0.41   0.0917");
    // three of four and none of four, Wilson
    has(&r, "0.75 [0.30, 0.95]  0.00 [0.00, 0.49]");
    has(&r, "error of the mean of chunks            1.25 +- 0.32");
    lacks(&r, "nearest");
    r = compare("--unpaired");
    has(&r, "(5 episodes)");
    has(&r, "as independent episodes");
    lacks(&r, "lesser");
    // the mean of more chunks is nearer: not compared
    put_evaluation(second, 1, 5, true, theirs, 16);
    r = compare("");
    has(&r, "paired by episode");
    has(&r, "error of a chunk ");
    lacks(&r, "mean of chunks");
    // no episode in common
    put_evaluation(second, 5, 1, false, theirs, 8);
    r = compare("");
    has(&r, "independent episodes: they have no episode in common");
}

static void what_cannot_be_compared_is_refused(void **state) {
    (void)state;
    char text[1300];
    put_evaluation(first, 0, 5, false, ours, 8);
    put(second, "{\"of\": \"demos\", \"windows\": 64, \"chunks\": 8, \"error\": {}}");
    snprintf(text, sizeof text, "compare %s %s", first, second);
    assert_refused(text, 1, "says nothing of single episodes (made by an older bex");
    put(played,
        "{\"trials\": 2, \"environment\": {\"name\": \"maze\"}, \"by_episode\": {\"regions\": "
        "{\"trials\": [[1, 2]]}}}");
    snprintf(text, sizeof text, "compare %s %s", first, played);
    assert_refused(text, 1, "' is an evaluation, '");
    put(second, "{\"goals\": 3}");
    snprintf(text, sizeof text, "compare %s %s", first, second);
    assert_refused(text, 1, "is neither an exploration nor an evaluation");
    assert_refused("compare", 2, "which two explorations or evaluations?");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(evaluations_are_paired_by_episode),
                                       cmocka_unit_test(what_cannot_be_compared_is_refused)};
    snprintf(first, sizeof first, "%s", scratch_path("compare-first.json"));
    snprintf(second, sizeof second, "%s", scratch_path("compare-second.json"));
    snprintf(played, sizeof played, "%s", scratch_path("compare-played.json"));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(first), unlink(second), unlink(played);
    return failed;
}
