/* libFuzzer target: any text is JSON that is written and read back the same, or one clear line. */
#include "host/json.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    bex_error_clear();
    json_t *j = bex_json_parse((const char *)bytes, size, "fuzz");
    if (!j) {
        demand(is_one_line(bex_error()));
        return 0;
    }
    char *text = json_dumps(j, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    demand(text != NULL);
    json_t *again = bex_json_parse(text, strlen(text), "again");
    demand(again && json_equal(j, again));
    free(text);
    json_decref(j), json_decref(again);
    return 0;
}
