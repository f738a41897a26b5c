/* libFuzzer target: any text is a protocol with a world and one way to end, or one clear line. */
#include "explore/protocol.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    bex_protocol p;
    bex_error_clear();
    if (bex_protocol_load(&p, fuzz_path(bytes, size)) < 0)
        demand(is_one_line(bex_error()));
    else
        demand(p.env[0] && !(p.steps && p.episodes) && p.trials >= 1);
    return 0;
}
