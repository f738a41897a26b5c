/* A file written here is read by Python from the description of the format alone. Skipped without
 * /usr/bin/python3 and numpy. */
#include "nn/safetensors.h"

#include "base/error.h"

#include "test.h"

#define PYTHON "/usr/bin/python3 "

// writes the golden's tensors again, in reverse order of adding
static int rewrite(const char *from, const char *to) {
    bex_st_file *f = bex_st_load(from);
    if (!f) return -1;
    bex_st_writer *w = bex_st_writer_new();
    for (int i = bex_st_count(f) - 1; i >= 0; i--) {
        const bex_st_tensor *t = bex_st_at(f, i);
        bex_st_add(w, t->name, t->dtype, t->rank, t->dim, t->data);
    }
    static const char *const keys[] = {"gr\xc3\xb6\xc3\x9f\x65", "format", "config"};
    for (int i = 0; i < 3; i++)
        if (bex_st_metadata(f, keys[i]))
            bex_st_add_metadata(w, keys[i], bex_st_metadata(f, keys[i]));
    int code = bex_st_save(w, to);
    bex_st_writer_free(w);
    bex_st_free(f);
    return code;
}

static int compare(const char *golden, const char *written) {
    char command[2048];
    snprintf(command, sizeof command, PYTHON "'%s/tests/parity/same_safetensors.py' '%s' '%s'",
             BEX_SOURCE_DIR, golden, written);
    return system(command);
}

static void python_reads_what_we_write(void **state) {
    (void)state;
    static const char *const names[] = {"dtypes", "network"};
    for (int i = 0; i < 2; i++) {
        char golden[512], written[512];
        snprintf(golden, sizeof golden, "%s/tests/golden/%s.safetensors", BEX_SOURCE_DIR, names[i]);
        snprintf(written, sizeof written, "%s", scratch_path("written.safetensors"));
        if (rewrite(golden, written) < 0) fail_msg("%s", bex_error());
        assert_int_equal(compare(golden, written), 0);
        unlink(written);
    }
}

int main(void) {
    if (system(PYTHON "-c 'import numpy' 2> /dev/null") != 0)
        return skip_all("no /usr/bin/python3 with numpy");
    const struct CMUnitTest tests[] = {cmocka_unit_test(python_reads_what_we_write)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
