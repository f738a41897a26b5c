/* libFuzzer target: any text is a tree that reads back what it prints, or one clear line. */
#include "env/tabletop/xml_tree.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    bex_xml_tree *t, *again;
    bex_error_clear();
    if (bex_xml_tree_read(&t, (const char *)bytes, size, "fuzz") < 0) {
        demand(is_one_line(bex_error()) && !t);
        return 0;
    }
    char *text = bex_xml_text(t->root), *more;
    demand(text != NULL);
    demand(bex_xml_tree_read(&again, text, strlen(text), "again") == 0);
    more = bex_xml_text(again->root);
    demand(more && !strcmp(text, more));
    free(text), free(more);
    bex_xml_tree_free(t), bex_xml_tree_free(again);
    return 0;
}
