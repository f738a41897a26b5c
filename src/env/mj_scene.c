/* env/mj_scene.c - attributes of MJCF that are names of files: file="cup.stl", and a sky's fileup="sky.png"
 * ... */
#include "env/mj_scene.h"

#include "base/error.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

// MuJoCo's rule: folders do not count, nor does capital or small
static bool is_named(const char *file, const char *text, size_t length) {
    for (size_t i = length; i > 0; i--)
        if (text[i - 1] == '/' || text[i - 1] == '\\') {
            text += i, length -= i;
            break;
        }
    return strlen(file) == length && !strncasecmp(file, text, length);
}

static bool has(const bex_mj_scene *s, const char *text, size_t length) {
    for (int i = 0; i < s->count; i++)
        if (is_named(s->files[i].name, text, length)) return true;
    return false;
}

static bool starts(const char *at, const char *end, const char *word) {
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && !memcmp(at, word, n);
}

static const char *skip_space(const char *at, const char *end) {
    while (at < end && isspace((unsigned char)*at)) at++;
    return at;
}

// past "<!-- ... -->"
static const char *skip_comment(const char *at, const char *end) {
    while (at < end && !starts(at, end, "-->")) at++;
    return at < end ? at + 3 : end;
}

// the value of an attribute at its '=': between quotes; *next behind it. NULL: malformed, MuJoCo will say
static const char *read_value(const char *at, const char *end, size_t *length, const char **next) {
    at = skip_space(at, end);
    if (at == end || *at != '=') return NULL;
    at = skip_space(at + 1, end);
    if (at == end || (*at != '"' && *at != '\'')) return NULL;
    const char *close = memchr(at + 1, *at, (size_t)(end - at - 1));
    if (!close) return NULL;
    *length = (size_t)(close - at - 1);
    *next = close + 1;
    return at + 1;
}

// an attribute whose name begins with "file", for which a word must begin here
static int check_text(const bex_mj_scene *s, const char *at, const char *end) {
    for (const char *begin = at; at < end;) {
        if (starts(at, end, "<!--")) {
            at = skip_comment(at, end);
            continue;
        }
        if (!starts(at, end, "file") || at == begin || !isspace((unsigned char)at[-1])) {
            at++;
            continue;
        }
        while (at < end && isalpha((unsigned char)*at)) at++;
        size_t length;
        const char *next, *value = read_value(at, end, &length, &next);
        if (!value) continue;
        if (!has(s, value, length))
            return bex_fail("no file '%.*s' among the %d of the scene",
                            (int)(length < 200 ? length : 200), value, s->count);
        at = next;
    }
    return 0;
}

int bex_mj_scene_check(const bex_mj_scene *s) {
    if (check_text(s, s->xml, s->xml + strlen(s->xml)) < 0) return -1;
    for (int i = 0; i < s->count; i++) {
        const bex_mj_file *f = &s->files[i];
        size_t n = strlen(f->name);
        if (n < 4 || strcasecmp(f->name + n - 4, ".xml") != 0) continue;
        if (check_text(s, f->bytes, (const char *)f->bytes + f->size) < 0)
            return bex_fail_in("%s", f->name);
    }
    return 0;
}
