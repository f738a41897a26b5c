/* host/json.c - jansson with our errors and our one output style. */
#include "host/json.h"

#include "base/error.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>

enum { STYLE = JSON_INDENT(2) | JSON_REAL_PRECISION(17) };
static const size_t LARGEST = (size_t)1 << 30;

json_t *bex_json_parse(const char *text, size_t size, const char *name) {
    json_error_t e;
    json_t *value = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &e);
    if (!value) bex_fail("%s: JSON line %d column %d: %s", name, e.line, e.column, e.text);
    return value;
}

json_t *bex_json_load(const char *path) {
    char *text;
    size_t size;
    if (bex_file_read(&text, &size, path, LARGEST) < 0) return NULL;
    json_t *value = bex_json_parse(text, size, path);
    free(text);
    return value;
}

int bex_json_save(const json_t *value, const char *path) {
    bex_file_out out;
    if (bex_file_create(&out, path, 1) < 0) return -1;
    // a failed write shows in the stream, which commit checks; a NaN does not
    if (json_dumpf(value, out.stream, STYLE) < 0 && !ferror(out.stream)) {
        bex_file_discard(&out);
        return bex_fail("cannot write '%s': a value is not representable in JSON", path);
    }
    fputc('\n', out.stream);
    return bex_file_commit(&out);
}

void bex_json_print(const json_t *value) {
    json_dumpf(value, stdout, STYLE);
    putchar('\n');
}

static const json_t *member(const json_t *object, const char *key, const char *type) {
    const json_t *v = json_object_get(object, key);
    if (!v) bex_fail("key '%s' is missing (%s)", key, type);
    return v;
}

static int wrong_type(const char *key, const char *type) {
    return bex_fail("key '%s' is not %s", key, type);
}

int bex_json_get_integer(const json_t *object, const char *key, long long *value) {
    const json_t *v = member(object, key, "an integer");
    if (!v) return -1;
    if (!json_is_integer(v)) return wrong_type(key, "an integer");
    *value = json_integer_value(v);
    return 0;
}

int bex_json_get_number(const json_t *object, const char *key, double *value) {
    const json_t *v = member(object, key, "a number");
    if (!v) return -1;
    if (!json_is_number(v)) return wrong_type(key, "a number");
    *value = json_number_value(v);
    return 0;
}

int bex_json_get_string(const json_t *object, const char *key, const char **value) {
    const json_t *v = member(object, key, "a string");
    if (!v) return -1;
    if (!json_is_string(v)) return wrong_type(key, "a string");
    *value = json_string_value(v);
    return 0;
}

int bex_json_get_array(const json_t *object, const char *key, const json_t **value) {
    const json_t *v = member(object, key, "an array");
    if (!v) return -1;
    if (!json_is_array(v)) return wrong_type(key, "an array");
    *value = v;
    return 0;
}
