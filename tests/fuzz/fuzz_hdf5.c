/* libFuzzer target, all readers of HDF5: any bytes are demonstrations, whole and finite, or one line. */
#include "data/load.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    bex_load_options o = BEX_LOAD_INIT;
    bex_error_clear();
    bex_dataset *d = bex_dataset_load(fuzz_path(bytes, size), &o);
    if (!d) {
        demand(is_one_line(bex_error()));
        return 0;
    }
    demand(d->episodes >= 1 && d->start[0] == 0 && d->start[d->episodes] == d->rows);
    for (size_t i = 0; i < (size_t)d->rows * (size_t)d->O; i++)
        demand(isfinite((double)d->observations[i]));
    for (size_t i = 0; i < (size_t)d->rows * (size_t)d->A; i++)
        demand(isfinite((double)d->actions[i]));
    bex_dataset_free(d);
    return 0;
}
