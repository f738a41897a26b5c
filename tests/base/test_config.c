/* The config table: every type in and out, every failure with its line, and the round trip. */
#include "base/config.h"

#include "base/config_sample.h"
#include "base/error.h"

#include "test.h"

#include <float.h>
#include <math.h>

static int parse(sample *c, const char *text) {
    bex_config_defaults(&sample_schema, c);
    return bex_config_parse(&sample_schema, c, text, strlen(text), "x.ini");
}

static void defaults_come_from_the_table(void **state) {
    (void)state;
    sample c;
    bex_config_defaults(&sample_schema, &c);
    assert_true(c.train.lr == 3e-4 && c.train.decay == 0 && signbit(c.train.decay));
    assert_int_equal(c.train.steps, 50000);
    assert_int_equal(c.train.seed, 0);
    assert_true(c.train.ema);
    assert_string_equal(c.data.path, "");
    assert_int_equal(c.data.history, RULE_UNIFORM);
    assert_int_equal(c.data.mode, 1);
}

static void every_type_is_read(void **state) {
    (void)state;
    sample c;
    // BOM, CRLF, comments of both kinds, indentation, ':' and a section given twice
    assert_int_equal(parse(&c, "\xef\xbb\xbf; first\r\n# second\r\n[train] ; here\r\n"
                               "  lr = 0.5 ; half\r\n\tsteps: 7\r\nema=off\r\n\r\n"
                               "[data]\r\npath = a b/\xc3\xa9;x.hdf5\r\nhistory = last3\r\n"
                               "[train]\r\nseed = 9007199254740992"),
                     0);
    assert_true(c.train.lr == 0.5);
    assert_int_equal(c.train.steps, 7);
    assert_true(c.train.seed == 9007199254740992);
    assert_false(c.train.ema);
    assert_string_equal(c.data.path, "a b/\xc3\xa9;x.hdf5");
    assert_int_equal(c.data.history, RULE_LAST3);
    assert_int_equal(c.data.mode, 1);
    // a comment may be longer than inih's line
    char text[1000];
    memset(text, 'x', sizeof text);
    text[0] = '#';
    strcpy(text + 600, "\n[data]\npath =\n");
    assert_int_equal(parse(&c, text), 0);
    assert_int_equal(parse(&c, ""), 0);
}

static void words_of_bool(void **state) {
    (void)state;
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "1", "0"};
    sample c;
    for (int i = 0; i < 8; i++) {
        char text[64];
        snprintf(text, sizeof text, "[train]\nema = %s\n", words[i]);
        assert_int_equal(parse(&c, text), 0);
        assert_int_equal(c.train.ema, i % 2 == 0);
    }
}

static void malformed_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"[train]\nlrr = 1\n", "x.ini:2: unknown key 'train.lrr' (did you mean train.lr?)"},
        {"[train]\npath = 1\n", "x.ini:2: unknown key 'train.path' (did you mean data.path?)"},
        {"[train]\nzzzzzzzzzz = 1\n", "x.ini:2: unknown key 'train.zzzzzzzzzz'"},
        {"\n[trian]\n", "x.ini:2: unknown section 'trian' (did you mean train?)"},
        {"[ train ]\nlr = 1\n", "x.ini:1: unknown section ' train '"},
        {"[]\nlr = 1\n", "x.ini:1: unknown section ''"},
        {"lr = 1\n[train]\n", "x.ini:1: key 'lr' stands before any [section]"},
        {"[train]\nlr = 1\nlr = 1\n", "x.ini:3: train.lr was set on line 2 already"},
        {"[train]\nlr\n", "x.ini:2: neither [section] nor key = value"},
        {"[train]\nwhat\nlr = x\n", "x.ini:2: neither [section] nor key = value"},
        {"[train]\nlr = x\nwhat\n", "x.ini:2: train.lr = 'x'"},
        {"[train\nlr = 1\n", "x.ini:1: neither"},
        {"[train] lr = 1\n", "x.ini:1: text after [train]"},
        {"[train]\nlr = fast\n", "x.ini:2: train.lr = 'fast': not a number in [0, 1]"},
        {"[train]\nlr =\n", "train.lr = '': not a number"},
        {"[train]\nlr = 1.5\n", "not a number in [0, 1]"},
        {"[train]\nlr = -1e-9\n", "not a number in [0, 1]"},
        {"[train]\nlr = nan\n", "not a number"},
        {"[train]\nlr = 0x1p-3\n", "not a number"},
        {"[train]\nlr = 0,5\n", "not a number"},
        {"[train]\nlr = 1e-999\n", "not a number"},
        {"[train]\nlr = 1 2\n", "not a number"},
        {"[train]\nlr = 1 # one\n", "a comment after a value begins with ' ;'"},
        {"[train]\ndecay = 1e999\n", "not a number"},
        {"[train]\nsteps = 0\n", "not a whole number in [1, 1000000000]"},
        {"[train]\nsteps = 1e3\n", "not a whole number"},
        {"[train]\nsteps = 99999999999999999999\n", "not a whole number"},
        {"[train]\nseed = 9007199254740994\n", "not a whole number in [0, 9007199254740992]"},
        {"[train]\nema = True\n", "train.ema = 'True': not true or false"},
        {"[data]\nhistory = last\n", "not one of uniform, last3, first (did you mean last3?)"},
        {"[data]\npath = 0123456789012345678901234567890123456789\n", "at most 39 fit"},
        {"[data]\npath = a #b\n", "where a comment begins"},
        {"[data]\npath = #b\n", "where a comment begins"},
        {"[data]\npath = a\xff\n", "invalid UTF-8"},
        {"[data]\npath = a\tb\n", "control characters"},
        {"\xff\xfe[train]\n", "x.ini:1: neither"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sample c;
        bex_error_clear();
        assert_int_equal(parse(&c, cases[i].text), -1);
        assert_message(cases[i].message);
    }
    sample c;
    bex_config_defaults(&sample_schema, &c);
    assert_int_equal(bex_config_parse(&sample_schema, &c, "[train]\nlr\0=1", 13, "x.ini"), -1);
    assert_message("x.ini:2: a NUL byte");
}

// the boundary of inih's buffer: 198 bytes are read whole, 199 are refused, none is ever cut
static void long_lines_are_errors(void **state) {
    (void)state;
    for (int length = 150; length < 450; length++) {
        char text[600];
        sample c;
        int used = snprintf(text, sizeof text, "[train]\nlr = 0.25");
        while (used < 8 + length) text[used++] = ' ';
        strcpy(text + used - 1, "1\n[data]\n");
        assert_int_equal(parse(&c, text), -1);
        assert_message(length <= 198 ? "train.lr = '0.25" : "x.ini:2: the line has");
        // with blanks only, the short ones are fine
        text[used - 1] = ' ';
        assert_int_equal(parse(&c, text), length <= 198 ? 0 : -1);
    }
}

static void overrides(void **state) {
    (void)state;
    sample c;
    bex_config_defaults(&sample_schema, &c);
    assert_int_equal(bex_config_set(&sample_schema, &c, "--train.lr=0.125"), 0);
    assert_int_equal(bex_config_set(&sample_schema, &c, "data.path=a=b.hdf5"), 0);
    assert_int_equal(bex_config_set(&sample_schema, &c, "data.mode=full"), 0);
    assert_true(c.train.lr == 0.125);
    assert_string_equal(c.data.path, "a=b.hdf5");
    assert_int_equal(c.data.mode, 0);
    assert_int_equal(bex_config_set(&sample_schema, &c, "data.path="), 0);
    assert_string_equal(c.data.path, "");
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"--train.lr", "'--train.lr' has no value (write section.key=value)"},
        {"lr=1", "names no section"},
        {"--tran.lr=1", "unknown section 'tran' (did you mean train?)"},
        {"--train.steps_=1", "did you mean train.steps?"},
        {"--train.=1", "unknown key 'train.'"},
        {"--.=1", "unknown section ''"},
        {"--train.lr.x=1", "unknown key 'train.lr.x'"},
        {"--train.lr=2", "train.lr = '2': not a number in [0, 1]"},
        {"data.path=a ;b", "where a comment begins"},
        {"data.path= a", "a space at an end"},
        {"data.path=a ", "a space at an end"},
        {"data.path=;a", "where a comment begins"},
        {"data.path=a\nmode = full", "control characters"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.b=1",
         "unknown key"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bex_error_clear();
        assert_int_equal(bex_config_set(&sample_schema, &c, cases[i].text), -1);
        assert_message(cases[i].message);
    }
    assert_true(c.train.lr == 0.125); // a refused value changes nothing
}

static void overrides_leave_the_arguments(void **state) {
    (void)state;
    char *argv[] = {"train",      "x.ini",     "--train.lr=1", "--json", "--data.path",  "a.b=c",
                    "../a.b/c=d", "--out=a.b", "a.hdf5",       "--",     "--train.lr=2", NULL};
    const char *taken[11];
    int argc = 11;
    assert_int_equal(bex_config_take_overrides(&argc, argv, taken), 3);
    assert_int_equal(argc, 8);
    assert_string_equal(taken[0], "--train.lr=1");
    assert_string_equal(taken[1], "--data.path");
    assert_string_equal(taken[2], "a.b=c");
    static const char *const left[] = {"train",     "x.ini",  "--json", "../a.b/c=d",
                                       "--out=a.b", "a.hdf5", "--",     "--train.lr=2"};
    for (int i = 0; i < 8; i++) assert_string_equal(argv[i], left[i]);
    assert_null(argv[8]);
}

static void round_trip_is_bitwise(void **state) {
    (void)state;
    static const double numbers[] = {0.1,     1.0 / 3, 5e-324, DBL_MIN, 2.2250738585072011e-308,
                                     1e300,   -0.0,    123456, 1e22,    0.30000000000000004,
                                     -1e-300, 1e23};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sample a, b;
        memset(&a, 0, sizeof a);
        memset(&b, 0xff, sizeof b);
        bex_config_defaults(&sample_schema, &a);
        a.train.decay = numbers[i];
        a.train.seed = 9007199254740992;
        a.train.ema = false;
        a.data.history = RULE_FIRST;
        strcpy(a.data.path, "\xc3\xa9;x = [y] \"z\"");
        char *text = bex_config_text(&sample_schema, &a);
        bex_config_defaults(&sample_schema, &b);
        assert_int_equal(bex_config_parse(&sample_schema, &b, text, strlen(text), "text"), 0);
        assert_memory_equal(&a.train.decay, &b.train.decay, sizeof(double));
        assert_true(a.train.seed == b.train.seed && a.train.ema == b.train.ema);
        assert_memory_equal(&a.data, &b.data, sizeof a.data);
        char *again = bex_config_text(&sample_schema, &b);
        assert_string_equal(text, again);
        free(text);
        free(again);
    }
}

static void text_is_minimal_and_commented(void **state) {
    (void)state;
    sample c;
    bex_config_defaults(&sample_schema, &c);
    char *text = bex_config_text(&sample_schema, &c);
    assert_non_null(strstr(text, "; optimisation\n[train]\n"));
    assert_non_null(
        strstr(text, "; learning rate after warm-up: a number in [0, 1]\nlr = 0.0003\n"));
    assert_non_null(strstr(text, "\nsteps = 50000\n"));
    assert_non_null(strstr(text, "; how a history is drawn: one of uniform, last3, first\n"));
    assert_non_null(strstr(text, "\nhistory = uniform\n"));
    assert_non_null(strstr(text, "\npath = \n"));
    free(text);
}

static void files_are_saved_and_loaded(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s", scratch_path("config.ini"));
    sample a, b;
    bex_config_defaults(&sample_schema, &a);
    a.train.lr = 1.0 / 3;
    assert_int_equal(bex_config_save(&sample_schema, &a, path, 0), 0);
    bex_config_defaults(&sample_schema, &b);
    assert_int_equal(bex_config_load(&sample_schema, &b, path), 0);
    assert_true(a.train.lr == b.train.lr);
    // never silently overwritten
    assert_int_equal(bex_config_save(&sample_schema, &a, path, 0), -1);
    assert_message("exists");
    assert_int_equal(bex_config_save(&sample_schema, &a, path, 1), 0);
    unlink(path);
    assert_int_equal(bex_config_load(&sample_schema, &b, path), -1);
    assert_message("config.ini': No such file");
    assert_int_equal(bex_config_load(&sample_schema, &b, "/"), -1);
    assert_message("not a regular file");
    assert_int_equal(bex_config_save(&sample_schema, &a, "/no/such/place.ini", 0), -1);
    assert_message("/no/such/place.ini");
}

static void help_lists_every_key(void **state) {
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bex_config_help(&sample_schema, out);
    fclose(out);
    assert_non_null(strstr(text, "[train] optimisation\n"));
    for (int i = 0; i < sample_schema.count; i++)
        for (const bex_config_row *row = sample_sections[i].rows; row->name; row++) {
            char key[100];
            snprintf(key, sizeof key, "  --%s.%s=%s ", sample_sections[i].name, row->name,
                     row->initial);
            assert_non_null(strstr(text, key));
            assert_non_null(strstr(text, row->help));
        }
    free(text);
}

typedef struct {
    double rate;
    char word[16], gone[16];
} moved;

// rate came from another section, word from a section that is no more, gone is gone
static const bex_config_row moved_rows[] = {
    BEX_CONFIG_NUMBER(moved, rate, "1", 0, 10, "a number", .was = "other.speed"),
    BEX_CONFIG_TEXT(moved, word, "", "a word", .was = "past.word"),
    BEX_CONFIG_END,
};
static const bex_config_row other_rows[] = {
    BEX_CONFIG_TEXT(moved, gone, "", "what it was", .retired = true),
    BEX_CONFIG_END,
};
static const bex_config_section moved_sections[] = {
    {"new", moved_rows, 0, "today's"},
    {"other", other_rows, 0, "of both times"},
};
static const bex_config_schema moved_schema = {.sections = moved_sections, .count = 2};

static int parse_moved(moved *c, const char *text) {
    bex_config_defaults(&moved_schema, c);
    return bex_config_parse(&moved_schema, c, text, strlen(text), "x.ini");
}

static void old_spellings_are_read_and_new_ones_written(void **state) {
    (void)state;
    moved c, again;
    assert_int_equal(parse_moved(&c, "[other]\nspeed = 3\ngone = x\n[past]\nword = hello\n"), 0);
    assert_true(c.rate == 3);
    assert_string_equal(c.word, "hello");
    assert_string_equal(c.gone, "x");
    assert_int_equal(parse_moved(&again, "[new]\nrate = 3\nword = hello\n"), 0);
    assert_true(again.rate == c.rate);
    char *text = bex_config_text(&moved_schema, &c);
    assert_non_null(strstr(text, "\nrate = 3\n"));
    assert_null(strstr(text, "speed"));
    assert_null(strstr(text, "gone")); // read, never written
    free(text);
    // overrides take either
    assert_int_equal(bex_config_set(&moved_schema, &c, "--other.speed=4"), 0);
    assert_true(c.rate == 4);
    assert_int_equal(bex_config_set(&moved_schema, &c, "past.word=w"), 0);
    assert_string_equal(c.word, "w");
    // messages speak of today's key
    assert_int_equal(bex_config_set(&moved_schema, &c, "other.speed=11"), -1);
    assert_message("new.rate = '11': not a number in [0, 10]");
    assert_int_equal(bex_config_set(&moved_schema, &c, "other.sped=1"), -1);
    assert_message("unknown key 'other.sped'");
    assert_int_equal(parse_moved(&c, "[pas]\n"), -1);
    assert_message("unknown section 'pas'");
}

static void a_key_and_its_old_spelling_do_not_go_together(void **state) {
    (void)state;
    moved c;
    assert_int_equal(parse_moved(&c, "[new]\nrate = 3\n[other]\nspeed = 3\n"), -1);
    assert_string_equal(bex_error(), "x.ini:4: new.rate was set on line 2 already "
                                     "(other.speed is its old name)");
    assert_int_equal(parse_moved(&c, "[other]\nspeed = 3\n[new]\nrate = 3\n"), -1);
    assert_message("x.ini:4: new.rate was set on line 2 already");
}

// [other] speed is an alias in one schema and a retired key in another: the alias goes before
static void an_alias_goes_before_a_retired_key(void **state) {
    (void)state;
    static const bex_config_row speed_rows[] = {
        {.name = "speed",
         .type = BEX_CONFIG_IS_TEXT,
         .offset = offsetof(moved, gone),
         .size = sizeof((moved *)0)->gone,
         .initial = "",
         .help = "gone",
         .retired = true},
        BEX_CONFIG_END,
    };
    const bex_config_section both[] = {moved_sections[0], {"other", speed_rows, 0, "old"}};
    const bex_config_schema with = {.sections = both, .count = 2},
                            without = {.sections = both + 1, .count = 1};
    moved c = {0};
    bex_config_defaults(&with, &c);
    assert_int_equal(bex_config_set(&with, &c, "other.speed=5"), 0);
    assert_true(c.rate == 5 && c.gone[0] == 0);
    assert_int_equal(bex_config_set(&without, &c, "other.speed=6"), 0);
    assert_true(c.rate == 5);
    assert_string_equal(c.gone, "6");
}

// ---- a section whose keys are known later ----

typedef struct open_section {
    long long instances;
    char keys[80];
} open_section;
static const bex_config_row open_rows[] = {
    BEX_CONFIG_INTEGER(open_section, instances, "8", 1, 99, "stepped together"),
    BEX_CONFIG_KEYS(open_section, keys, "an option of the world"),
    BEX_CONFIG_END,
};
static const bex_config_section open_sections[] = {{"env", open_rows, 0, "the world"}};
static const bex_config_schema open_schema = {.sections = open_sections, .count = 1};

static void other_keys_are_kept_as_lines(void **state) {
    (void)state;
    open_section c, again;
    memset(&c, 0x5A, sizeof c);
    bex_config_defaults(&open_schema, &c);
    assert_string_equal(c.keys, "");
    const char *text = "[env]\nstart = 3,3\ninstances = 4\nname = a b ; a remark\n";
    assert_int_equal(bex_config_parse(&open_schema, &c, text, strlen(text), "x.ini"), 0);
    assert_int_equal(c.instances, 4);
    assert_string_equal(c.keys, "start=3,3\nname=a b\n");
    // a later one takes the place of an earlier one; its name is a key like any other
    assert_int_equal(bex_config_set(&open_schema, &c, "--env.start=1,1"), 0);
    assert_int_equal(bex_config_set(&open_schema, &c, "env.keys="), 0);
    assert_string_equal(c.keys, "name=a b\nstart=1,1\nkeys=\n");
    char *written = bex_config_text(&open_schema, &c);
    assert_non_null(strstr(written, "\nname = a b\nstart = 1,1\nkeys = \n"));
    bex_config_defaults(&open_schema, &again);
    assert_int_equal(bex_config_parse(&open_schema, &again, written, strlen(written), "y.ini"), 0);
    assert_memory_equal(again.keys, c.keys, sizeof c.keys);
    free(written);
    // nothing said, nothing written
    bex_config_defaults(&open_schema, &c);
    written = bex_config_text(&open_schema, &c);
    assert_null(strstr(written, "keys"));
    free(written);
}

static void other_keys_have_bounds(void **state) {
    (void)state;
    open_section c;
    char value[300];
    bex_config_defaults(&open_schema, &c);
    memset(value, 'x', sizeof value);
    memcpy(value, "env.a=", 6);
    value[sizeof value - 1] = 0;
    assert_true(bex_config_set(&open_schema, &c, value) < 0);
    assert_message("at most 159 fit");
    value[6 + 79] = 0;
    assert_true(bex_config_set(&open_schema, &c, value) < 0);
    assert_message("too many keys");
    assert_true(bex_config_set(&open_schema, &c, "env.a=b\nc=d") < 0);
    assert_message("env.a = ");
    assert_string_equal(c.keys, "");
    value[6 + 76] = 0; // "a=", 76, "\n", the end
    assert_int_equal(bex_config_set(&open_schema, &c, value), 0);
    assert_int_equal(strlen(c.keys), 79);
}

typedef struct marked {
    sample_train train;
    unsigned char marks[8];
} marked;

// a schema that keeps marks: auto is a value of the rows that may be so, until another one is given
static void rows_can_be_auto(void **state) {
    (void)state;
    static const bex_config_row rows[] = {
        BEX_CONFIG_INTEGER(sample_train, steps, "50000", 1, 1e9, "optimiser steps",
                           .automatic = true),
        BEX_CONFIG_BOOL(sample_train, ema, "true", "keep an average", .automatic = true),
        BEX_CONFIG_NUMBER(sample_train, lr, "3e-4", 0, 1, "learning rate"), BEX_CONFIG_END};
    static const bex_config_section sections[] = {
        {"train", rows, offsetof(marked, train), "optimisation"}};
    static const bex_config_schema schema = {
        .sections = sections, .count = 1, .marks = offsetof(marked, marks), .marks_size = 8};
    static const bex_config_schema without = {.sections = sections, .count = 1};
    marked c = {0}, back = {0};
    char text[BEX_CONFIG_TEXT_SIZE];
    bex_config_defaults(&schema, &c);
    assert_false(bex_config_is_auto(&schema, &c, "train.steps"));
    assert_int_equal(bex_config_set(&schema, &c, "train.steps=auto"), 0);
    assert_true(bex_config_is_auto(&schema, &c, "train.steps"));
    assert_int_equal(bex_config_get(&schema, &c, "train", "steps", text), 0);
    assert_string_equal(text, "auto");
    assert_int_equal(c.train.steps, 50000); // what it was
    assert_true(bex_config_set(&schema, &c, "train.lr=auto") < 0);
    assert_true(bex_config_set(&without, &c, "train.steps=auto") < 0);
    char *whole = bex_config_text(&schema, &c);
    assert_int_equal(bex_config_parse(&schema, &back, whole, strlen(whole), "text"), 0);
    assert_true(bex_config_is_auto(&schema, &back, "train.steps") &&
                !bex_config_is_auto(&schema, &back, "train.ema"));
    free(whole);
    assert_int_equal(bex_config_set(&schema, &c, "train.steps=7"), 0);
    assert_false(bex_config_is_auto(&schema, &c, "train.steps"));
    bex_config_all_auto(&schema, &c);
    assert_true(bex_config_is_auto(&schema, &c, "train.ema") &&
                !bex_config_is_auto(&schema, &c, "train.lr"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(every_type_is_read),
        cmocka_unit_test(words_of_bool),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(long_lines_are_errors),
        cmocka_unit_test(overrides),
        cmocka_unit_test(overrides_leave_the_arguments),
        cmocka_unit_test(round_trip_is_bitwise),
        cmocka_unit_test(text_is_minimal_and_commented),
        cmocka_unit_test(files_are_saved_and_loaded),
        cmocka_unit_test(help_lists_every_key),
        cmocka_unit_test(old_spellings_are_read_and_new_ones_written),
        cmocka_unit_test(a_key_and_its_old_spelling_do_not_go_together),
        cmocka_unit_test(an_alias_goes_before_a_retired_key),
        cmocka_unit_test(other_keys_are_kept_as_lines),
        cmocka_unit_test(rows_can_be_auto),
        cmocka_unit_test(other_keys_have_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
