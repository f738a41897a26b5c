/* Names of columns and choices among them. */
#include "base/columns.h"

#include "base/error.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static void make(bex_column_names *c) {
    *c = (bex_column_names){0};
    assert_int_equal(bex_columns_add_key(c, "object", 4), 0);
    assert_int_equal(bex_columns_add_key(c, "robot0_eef_pos", 3), 0);
    assert_int_equal(bex_columns_add_key(c, "gripper", 1), 0);
    assert_int_equal(bex_columns_add_key(c, "robot1_eef_pos", 3), 0);
}

static void keys_number_their_columns(void **state) {
    (void)state;
    bex_column_names c, back = {0};
    char label[BEX_COLUMN_LABEL], list[100];
    make(&c);
    assert_int_equal(c.count, 11);
    assert_string_equal(c.name[0], "object[0]");
    assert_string_equal(c.name[7], "gripper");
    assert_string_equal(bex_column_label(label, &c, 4), "4 (robot0_eef_pos[0])");
    assert_string_equal(bex_column_label(label, NULL, 4), "4");
    char *text = bex_columns_text(&c);
    assert_int_equal(bex_columns_parse(&back, text, 11), 0);
    for (int i = 0; i < 11; i++) assert_string_equal(back.name[i], c.name[i]);
    bex_columns_fini(&back);
    assert_true(bex_columns_parse(&back, text, 10) < 0);
    assert_message("11 names for 10 columns");
    assert_int_equal(back.count, 0);
    free(text);
    bex_columns_list(list, sizeof list, &c);
    assert_string_equal(list, "object[0:4], robot0_eef_pos[0:3], gripper, robot1_eef_pos[0:3]");
    bex_columns_list(list, 40, &c);
    assert_string_equal(list, "object[0:4], robot0_eef_pos[0:3], ...");
    bex_columns_fini(&c);
    // what a list could not hold
    assert_int_equal(bex_columns_add_key(&c, "a b,[c]", 1), 0);
    assert_string_equal(c.name[0], "a_b__c_");
    bex_columns_fini(&c);
}

static void choices_are_by_number_or_name(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int n, dims[11];
        const char *told; // NULL: the text
    } cases[] = {
        {"", 0, {0}, ""},
        {"0,1", 2, {0, 1}, "object[0:2]"},
        {"2:5", 3, {2, 3, 4}, "object[2:4],robot0_eef_pos[0]"},
        {"object", 4, {0, 1, 2, 3}, NULL},
        {"object[1]", 1, {1}, NULL},
        {"object[1:3],gripper", 3, {1, 2, 7}, NULL},
        {"robot1_eef_pos,object[3]", 4, {8, 9, 10, 3}, NULL},
        {"gripper,0", 2, {7, 0}, "gripper,object[0]"},
        {"eef_pos", -1, {0}, "several keys end in 'eef_pos'"},
        {"objekt", -1, {0}, "no column 'objekt'; there are object[0:4]"},
        {"object[4]", -1, {0}, "no column 'object[4]'"},
        {"object[3:3]", -1, {0}, "no column"},
        {"11", -1, {0}, "numbers from 0 to 10"},
        {"0,", -1, {0}, "no column ''"},
        {"0,object", -1, {0}, "dim 0 is selected twice"},
    };
    bex_column_names c;
    make(&c);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int dims[11];
        char told[200];
        int n = bex_columns_select(dims, 11, cases[i].text, &c, 11);
        if (n != cases[i].n) fail_msg("'%s': %d, %s", cases[i].text, n, bex_error());
        if (n < 0) {
            if (!strstr(bex_error(), cases[i].told)) fail_msg("%s", bex_error());
            continue;
        }
        for (int k = 0; k < n; k++) assert_int_equal(dims[k], cases[i].dims[k]);
        bex_columns_describe(told, sizeof told, dims, n, &c);
        assert_string_equal(told, cases[i].told ? cases[i].told : cases[i].text);
        if (n && !cases[i].told) continue;
        bex_columns_describe(told, sizeof told, dims, n, NULL);
        assert_null(strchr(told, '['));
    }
    bex_columns_fini(&c);
    // one key that ends so: its beginning may be left out
    assert_int_equal(bex_columns_add_key(&c, "robot0_eef_pos", 3), 0);
    int dims[3];
    assert_int_equal(bex_columns_select(dims, 3, "eef_pos[1]", &c, 3), 1);
    assert_int_equal(dims[0], 1);
    assert_int_equal(bex_columns_select(dims, 3, "ef_pos", &c, 3), -1);
    bex_columns_fini(&c);
}

static void without_names_there_are_numbers(void **state) {
    (void)state;
    int dims[4];
    assert_int_equal(bex_columns_select(dims, 4, "3,0", NULL, 4), 2);
    assert_int_equal(dims[0], 3);
    assert_int_equal(bex_columns_select(dims, 4, "x", NULL, 4), -1);
    assert_message("dims 'x': numbers from 0 to 3, by commas");
    assert_int_equal(bex_columns_select(dims, 2, "0,1,2", NULL, 4), -1);
    assert_message("more than 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_number_their_columns),
        cmocka_unit_test(choices_are_by_number_or_name),
        cmocka_unit_test(without_names_there_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
