/* libFuzzer target: any bytes are a memory that a history can be drawn from, finite and whole, or one clear
 * line. */
#include "policy/memory.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    enum { O = 2, N = 3 };
    bex_memory_options o = {.O = O, .N = N};
    bex_real drawn[O * N];
    bex_memory *memory = bex_memory_new(&o);
    demand(memory != NULL);
    bex_error_clear();
    if (bex_memory_load(memory, fuzz_path(bytes, size)) < 0) demand(is_one_line(bex_error()));
    // also after a refusal it serves
    bex_memory_push(memory, (bex_real[O]){0});
    bex_memory_draw(memory, drawn, bex_rng_seed(1));
    for (int i = 0; i < O * N; i++) demand(isfinite((double)drawn[i]));
    demand(bex_memory_end(memory) == 0);
    bex_memory_free(memory);
    return 0;
}
