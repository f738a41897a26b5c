/* libFuzzer target: any text is a scene whose predicates speak of what it declares, and which reads back
 * what it writes; or one clear line. */
#include "env/tabletop/bddl.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void check(const bex_bddl *s, int which, int things) {
    demand(which < 0 ? -1 - which < s->regions : which < things);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static bex_bddl s, again;
    bex_error_clear();
    if (bex_bddl_read(&s, (const char *)bytes, size, "fuzz") < 0) {
        demand(is_one_line(bex_error()));
        return 0;
    }
    demand(s.room && s.tasks > 0 && s.objects <= s.things && s.things <= s.all &&
           s.all <= BEX_BDDL_THINGS);
    for (int i = 0; i < s.all; i++) demand((s.thing[i].kind == NULL) == (i >= s.things));
    for (int i = 0; i < s.regions; i++) check(&s, s.region[i].target, s.all);
    for (int t = 0; t < s.tasks; t++)
        for (int i = 0; i < s.task[t].facts; i++) {
            check(&s, s.task[t].goal[i].a, s.all);
            check(&s, s.task[t].goal[i].b, s.all);
        }
    char *text = bex_bddl_text(&s, 0);
    demand(text && bex_bddl_read(&again, text, strlen(text), "again") == 0);
    demand(again.all == s.all && again.regions == s.regions &&
           again.task[0].facts == s.task[0].facts);
    free(text);
    return 0;
}
