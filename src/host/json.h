/* host/json.h - jansson with our errors. Values are jansson's json_t; reference counts are its own. */
#ifndef BEX_HOST_JSON_H
#define BEX_HOST_JSON_H

#include <jansson.h>
#include <stddef.h>

/* Parse text (duplicate keys refused). `name` is what messages call it. NULL with a message. */
json_t *bex_json_parse(const char *text, size_t size, const char *name);

/* Load a file; save one atomically, two-space indent, keys in insertion order, newline at the end,
 * reals with 17 significant digits. */
json_t *bex_json_load(const char *path);
int bex_json_save(const json_t *value, const char *path);

/* Print to stdout as bex_json_save writes. */
void bex_json_print(const json_t *value);

/* Typed members of an object: 0, or negative with a message naming key and expected type. */
int bex_json_get_integer(const json_t *object, const char *key, long long *value);
int bex_json_get_number(const json_t *object, const char *key, double *value);       // integers too
int bex_json_get_string(const json_t *object, const char *key, const char **value);  // borrowed
int bex_json_get_array(const json_t *object, const char *key, const json_t **value); // borrowed

#endif
