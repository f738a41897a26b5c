/* What the doctor says about this machine, and the warning when build and processor do not fit. */
#include "run/machine.h"

#include "test.h"

static void the_machine_is_plausible(void **state) {
    (void)state;
    bex_machine m;
    bex_machine_look(&m);
    assert_true(m.cpu[0] && m.system[0]);
    assert_in_range(m.usable, 1, m.cores);
    assert_true(m.threads >= 1);
    assert_true(m.memory > 1 << 26 && m.available <= m.memory);
    // this very program runs: whatever the build uses must be present
    for (int i = 0; i < BEX_CPU_FEATURES; i++)
        assert_true(m.feature[i].name && m.feature[i].present >= m.feature[i].used);
}

static void a_misfit_is_told(void **state) {
    (void)state;
    bex_machine m = {.feature = {{"AVX2", true, true}, {"FMA", true, true}, {"AVX-512", 0, 0}}};
    assert_string_equal(bex_machine_mismatch(&m), "");
    m.feature[1].used = false;
    assert_non_null(strstr(bex_machine_mismatch(&m), "has FMA, this build does not use it"));
    m.feature[2].used = true; // worse, and said first
    assert_non_null(strstr(bex_machine_mismatch(&m), "uses AVX-512, which this processor lacks"));
}

static void every_library_says_what_it_serves(void **state) {
    (void)state;
    bex_library l;
    int n = 0;
    for (; bex_library_at(n, &l); n++) {
        assert_true(l.name && l.package && l.serves[0]);
        assert_int_equal(l.present, l.version[0] != 0);
        assert_true(l.present || !l.required);
    }
    assert_true(n >= 7);
    assert_false(bex_library_at(-1, &l));
}

static void json_has_it_all(void **state) {
    (void)state;
    json_t *v = bex_machine_json();
    assert_non_null(v);
    static const char *const keys[] = {"version", "precision", "compiler",     "flags",  "system",
                                       "cpu",     "libraries", "memory_bytes", "warning"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_object_get(v, keys[i])) fail_msg("no key '%s'", keys[i]);
    const json_t *libraries = json_object_get(v, "libraries");
    bex_library l;
    for (int i = 0; bex_library_at(i, &l); i++) {
        const char *name;
        assert_int_equal(bex_json_get_string(json_array_get(libraries, (size_t)i), "name", &name),
                         0);
        assert_string_equal(name, l.name);
    }
    json_decref(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_is_plausible),
        cmocka_unit_test(a_misfit_is_told),
        cmocka_unit_test(every_library_says_what_it_serves),
        cmocka_unit_test(json_has_it_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
