/* MJCF as a tree: read, edited, printed; nothing expands, nothing runs deep. */
#include "env/tabletop/xml_tree.h"

#include "base/error.h"

#include "test.h"

static bex_xml_tree *read_text(const char *text) {
    bex_xml_tree *t;
    if (bex_xml_tree_read(&t, text, strlen(text), "t.xml") < 0) fail_msg("%s", bex_error());
    return t;
}

static void a_tree_is_read_edited_and_printed(void **state) {
    (void)state;
    bex_xml_tree *t = read_text(
        "<!-- x --><m><body name='a' pos='1 -2 +3.5'>A<geom/></body><body name=\"b\"/></m>");
    double v[4] = {0};
    bex_xml *a = bex_xml_find(t->root, "body", "name", "a"),
            *b = bex_xml_find(t->root, "body", "name", "b");
    assert_non_null(a);
    assert_int_equal(bex_xml_numbers(a, "pos", v, 4), 3);
    assert_true(v[1] == -2 && v[2] == 3.5);
    bex_xml_set(t, a, "name", "<&\">");
    bex_xml_set(t, a, "pos", NULL);
    bex_xml_set_numbers(t, b, "pos", (const double[]){0.1, -1e-9}, 2);
    bex_xml_copy(t, b, a);
    bex_xml_remove(a);
    char *text = bex_xml_text(t->root);
    assert_string_equal(
        text, "<m>\n  <body name=\"b\" pos=\"0.1 -1e-09\">\n    <body name=\"&lt;&amp;&quot;>\">\n"
              "      <geom/>\n    </body>\n  </body>\n</m>\n");
    bex_xml_tree *again = read_text(text);
    assert_string_equal(bex_xml_get(again->root->first->first, "name"), "<&\">");
    free(text);
    bex_xml_tree_free(again);
    bex_xml_tree_free(t);
}

static void what_is_not_xml_is_one_line(void **state) {
    (void)state;
    static const char *const bad[] = {"", "<a>", "<a></b>", "<a b=1/>", "<a/><b/>", "\xff\xfe<a/>"};
    bex_xml_tree *t;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_true(bex_xml_tree_read(&t, bad[i], strlen(bad[i]), "t.xml") < 0);
        assert_message("t.xml:");
        assert_null(t);
    }
    const char bomb[] = "<!DOCTYPE a [<!ENTITY x \"xxxxxxxx\">]><a b=\"&x;\"/>";
    assert_true(bex_xml_tree_read(&t, bomb, strlen(bomb), "t.xml") < 0);
    assert_message("document type");
    char deep[1024] = "";
    for (int i = 0; i < 65; i++) strcat(deep, "<a>");
    assert_true(bex_xml_tree_read(&t, deep, strlen(deep), "t.xml") < 0);
    assert_message("64 levels");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_tree_is_read_edited_and_printed),
                                       cmocka_unit_test(what_is_not_xml_is_one_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
