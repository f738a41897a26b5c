/* libFuzzer target: any bytes are a table of finite states, or one clear line. */
#include "env/tabletop/init_states.h"

#include "base/error.h"
#include "fuzz/fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    bex_init_states s;
    bex_error_clear();
    if (bex_init_states_read(&s, bytes, size, "fuzz") < 0) {
        demand(is_one_line(bex_error()) && !s.state);
        return 0;
    }
    demand(s.rows > 0 && s.width > 0);
    for (int i = 0; i < s.rows * s.width; i++) demand(isfinite(s.state[i]));
    bex_init_states_fini(&s);
    return 0;
}
