/* web/inih, which stands in for inih in the page, against the real one: the same pairs, the same first
 * line in error. */
#define ini_parse_stream own_parse_stream
#define ini_handler      own_handler
#define ini_reader       own_reader
#include "web/inih/ini.c"
#undef ini_parse_stream
#undef ini_handler
#undef ini_reader
#include </usr/include/ini.h>

#include "test.h"

#include <glob.h>

typedef struct source {
    const char *at;
} source;

static char *next(char *line, int size, void *stream) {
    source *s = stream;
    size_t length = strcspn(s->at, "\n");
    if (!*s->at) return NULL;
    if (length > (size_t)size - 2) length = (size_t)size - 2;
    memcpy(line, s->at, length);
    memcpy(line + length, "\n", 2);
    s->at += length + (s->at[length] == '\n');
    return line;
}

typedef struct heard {
    char text[1 << 16];
    size_t size;
} heard;

static int hear(void *user, const char *section, const char *name, const char *value) {
    heard *h = user;
    h->size += (size_t)snprintf(h->text + h->size, sizeof h->text - h->size, "[%s] <%s> <%s>\n",
                                section, name, value);
    return strcmp(name, "refused") != 0;
}

static void compare(const char *text, const char *what) {
    static heard own, real;
    source a = {text}, b = {text};
    own.size = real.size = 0;
    own.text[0] = real.text[0] = 0;
    int first = own_parse_stream(next, &a, hear, &own),
        other = ini_parse_stream(next, &b, hear, &real);
    if (strcmp(own.text, real.text) != 0)
        fail_msg("%s: heard\n%s, inih\n%s", what, own.text, real.text);
    if (first != other) fail_msg("%s: line %d in error, inih says %d", what, first, other);
}

static void splits_as_inih_does(void **state) {
    static const char *const cases[] = {
        "",
        "[a]\nx = 1\ny=2\nz:3\n",
        "x = before any section\n",
        "[a]\nx = 1 ; a comment\ny = 1;none\nz = ; all of it\nw = a  ;b ;c\n",
        "[a] ; comment\nk=\n=v\n",
        "[a\nx=1\n[b]x=2\n",
        "[a ; b]\nx=1\n",
        "no pair\n[a]\nx=1\nagain none\n",
        "[a]\nrefused=1\nx=2\n",
        "# one\n; two\n[s]\nk = a = b : c\nk : a = b\n",
        "[a]\nname with spaces   =   value with spaces   \n",
        "[a]\nx\t=\t1\t\r\n\r\n[b]\r\ny=2\r\n",
        "[this name of a section is longer than the fifty bytes it may have]\nx=1\n",
        "[]\nx=1\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) compare(cases[i], cases[i]);
}

static void reads_the_presets(void **state) {
    static char text[1 << 16];
    glob_t found;
    (void)state;
    assert_int_equal(glob(BEX_SOURCE_DIR "/configs/*.ini", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *f = fopen(found.gl_pathv[i], "rb");
        assert_non_null(f);
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
        compare(text, found.gl_pathv[i]);
    }
    globfree(&found);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(splits_as_inih_does),
                                       cmocka_unit_test(reads_the_presets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
