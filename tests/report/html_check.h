/* tests/report/html_check.h - is this page well formed and self-contained? Every element closed in
 * order, every attribute quoted, no script, nothing loaded from elsewhere; above each figure a sentence of
 * what to look for in it. */
#ifndef BEX_TESTS_REPORT_HTML_CHECK_H
#define BEX_TESTS_REPORT_HTML_CHECK_H

#include "test.h"

#include <ctype.h>

// the end of a tag that starts at s ("<a b="c">"); checks its attributes
static inline const char *check_tag(const char *s) {
    for (s++; *s && *s != '>'; s++) {
        if (*s == '<') fail_msg("'<' inside a tag: %.60s", s);
        if (*s != '=') continue;
        if (s[1] != '"') fail_msg("an attribute without quotes: %.60s", s);
        s = strchr(s + 2, '"');
        if (!s) fail_msg("an attribute without end");
    }
    if (!*s) fail_msg("a tag without end");
    return s;
}

static inline void check_entity(const char *s) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(s, known[i], strlen(known[i]))) return;
    fail_msg("a bare '&': %.40s", s);
}

static inline void check_html(const char *html) {
    char open[64][16];
    int depth = 0;
    assert_int_equal(strncmp(html, "<!DOCTYPE html>\n", 16), 0);
    for (const char *s = html + 16; *s; s++) {
        if (*s == '&') check_entity(s);
        if (*s != '<') continue;
        char name[16] = "";
        bool closing = s[1] == '/';
        const char *from = s + 1 + closing;
        for (int i = 0; i < 15 && isalnum((unsigned char)from[i]); i++) name[i] = from[i];
        if (!*name) fail_msg("not a tag: %.40s", s);
        s = check_tag(s);
        if (!strcmp(name, "meta") || !strcmp(name, "img")) continue;
        if (!strcmp(name, "style") && !closing) s = strstr(s, "</style>") - 1;
        if (!closing) {
            assert_true(depth < 64);
            strcpy(open[depth++], name);
        } else if (!depth || strcmp(open[--depth], name) != 0) {
            fail_msg("</%s> closes <%s>", name, open[depth]);
        }
    }
    assert_int_equal(depth, 0);
    static const char look[] = "\n<p class=\"look\">";
    for (const char *s = html; (s = strstr(s, "<figure>")); s += strlen("<figure>")) {
        const char *text = s + strlen("<figure>");
        if (strncmp(text, look, strlen(look)) != 0 || text[strlen(look)] == '<')
            fail_msg("a figure without what to look for: %.60s", s);
    }
    static const char *const banned[] = {"<script", "http:", "https:", "url(", "@import", "<link"};
    for (size_t i = 0; i < sizeof banned / sizeof *banned; i++)
        if (strstr(html, banned[i])) fail_msg("the page holds '%s'", banned[i]);
}

#endif
