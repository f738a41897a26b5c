/* libFuzzer target: any text is a finite world that is written and read back the same, or one clear line. */
#include "theory/mdp.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

#include <string.h>

static char *text_of(const bex_mdp *world, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    demand(out != NULL);
    bex_mdp_write(world, out);
    demand(fclose(out) == 0);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    size_t n, m;
    bex_error_clear();
    bex_mdp *world = bex_mdp_parse((const char *)bytes, size, "fuzz");
    if (!world) {
        demand(is_one_line(bex_error()));
        return 0;
    }
    char *text = text_of(world, &n);
    bex_mdp *again = bex_mdp_parse(text, n, "again");
    demand(again != NULL);
    char *other = text_of(again, &m);
    demand(n == m && !memcmp(text, other, n));
    free(text), free(other);
    bex_mdp_free(world), bex_mdp_free(again);
    return 0;
}
