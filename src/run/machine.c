/* run/machine.c - look at the processor and the build; one row per library. */
#include "run/machine.h"

#include "base/real.h"
#include "run/mpi.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef BEX_HAVE_DNNL
#include <dnnl.h>
#endif
#ifdef BEX_HAVE_HDF5
#include <hdf5.h>
#endif
#ifdef BEX_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif
#ifdef BEX_HAVE_CAIRO
#include <cairo/cairo.h>
#endif
#ifdef BEX_HAVE_EGL
#include <EGL/egl.h>
#endif
#ifdef BEX_HAVE_GIF
#include <gif_lib.h>
#endif
#ifdef BEX_HAVE_ZLIB
#include <zlib.h>
#endif

// ---- processor ----

#if defined(__x86_64__) || defined(__i386__)
#define HAS(x86, arm) (__builtin_cpu_supports(x86) != 0)
#elif defined(__aarch64__)
#define HAS(x86, arm) (arm) // Advanced SIMD is part of the architecture
#else
#define HAS(x86, arm) false
#endif

static void look_at_features(bex_cpu_feature f[BEX_CPU_FEATURES]) {
    f[0] = (bex_cpu_feature){.name = "AVX2", .present = HAS("avx2", false)};
    f[1] = (bex_cpu_feature){.name = "FMA", .present = HAS("fma", true)};
    f[2] = (bex_cpu_feature){.name = "AVX-512", .present = HAS("avx512f", false)};
    f[3] = (bex_cpu_feature){.name = "NEON"};
#ifdef __aarch64__
    f[3].present = true;
#endif
#ifdef __AVX2__
    f[0].used = true;
#endif
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    f[1].used = true;
#endif
#ifdef __AVX512F__
    f[2].used = true;
#endif
#ifdef __ARM_NEON
    f[3].used = true;
#endif
}

// the value of the first line "key <spaces> : value" of a /proc file, as text; "" if there is none
static void proc_value(char *out, size_t size, const char *path, const char *key) {
    char line[512];
    out[0] = 0;
    FILE *f = fopen(path, "r");
    if (!f) return;
    while (!out[0] && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = 0;
        snprintf(out, size, "%s", colon);
    }
    fclose(f);
}

static long long proc_bytes(const char *key) {
    char text[64];
    long long kib = 0;
    proc_value(text, sizeof text, "/proc/meminfo", key);
    return sscanf(text, "%lld kB", &kib) == 1 ? kib * 1024 : 0;
}

void bex_machine_look(bex_machine *m) {
    *m = (bex_machine){0};
    proc_value(m->cpu, sizeof m->cpu, "/proc/cpuinfo", "model name");
    struct utsname u;
    bool named = uname(&u) == 0;
    if (named) snprintf(m->system, sizeof m->system, "%s %s %s", u.sysname, u.release, u.machine);
    if (!m->cpu[0]) snprintf(m->cpu, sizeof m->cpu, "%s", named ? u.machine : "unknown");
    look_at_features(m->feature);
    m->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    m->usable = omp_get_num_procs();
    m->threads = omp_get_max_threads();
    m->memory = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    m->available = proc_bytes("MemAvailable");
}

const char *bex_machine_mismatch(const bex_machine *m) {
    static _Thread_local char text[256];
    text[0] = 0;
    for (int i = 0; i < BEX_CPU_FEATURES; i++) {
        const bex_cpu_feature *f = &m->feature[i];
        if (f->used && !f->present) {
            snprintf(text, sizeof text,
                     "this build uses %s, which this processor lacks: it will stop with an illegal "
                     "instruction; rebuild here",
                     f->name);
            return text;
        }
        if (f->present && !f->used && !text[0])
            snprintf(text, sizeof text,
                     "this processor has %s, this build does not use it: rebuild here with "
                     "-DBEX_MARCH=native for speed",
                     f->name);
    }
    return text;
}

// ---- build ----

const char *bex_build_compiler(void) {
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown";
#endif
}

const char *bex_build_flags(void) {
    return BEX_BUILD_FLAGS;
}

const char *bex_build_precision(void) {
    return BEX_REAL_NAME;
}

// ---- libraries: what is linked, asked of the library itself where it can answer ----

// WHEN(BEX_HAVE_X, code): the code if this build has it, nothing otherwise. dependencies.cmake defines
// BEX_HAVE_X as 1, so that FLAG_1 brings a comma and moves KEEP into second place
#define FLAG_1                     ~,
#define SECOND(first, second, ...) second
#define KEEP(...)                  __VA_ARGS__
#define DROP(...)
#define WHEN_(flag, ...)       SECOND(flag KEEP, DROP, ~)(__VA_ARGS__)
#define WHEN(have, ...)        WHEN_PASTED(have, __VA_ARGS__)
#define WHEN_PASTED(have, ...) WHEN_(FLAG_##have, __VA_ARGS__)

#define TEXT(...) snprintf(out, size, __VA_ARGS__)

// One row a library, in the order of `bex doctor`: its name, Debian's package, whether this build has it and
// no build is without it, what it is for, and how its version is told (compiled only if the build has it)
#define EACH_LIBRARY(X)                                                                            \
    /* yyyymm of the specification */                                                              \
    X(openmp, "OpenMP", "gcc", 1, true, "threads", TEXT("%d", _OPENMP))                            \
    X(jansson, "jansson", "libjansson-dev", 1, true, "JSON: results, requests",                    \
      TEXT("%s", jansson_version_str()))                                                           \
    /* it does not know its own version */                                                         \
    X(inih, "inih", "libinih-dev", 1, true, "configuration files", TEXT("%s", BEX_INIH_VERSION))   \
    X(hdf5, "HDF5", "libhdf5-dev", BEX_HAVE_HDF5, false,                                           \
      "D4RL, Minari, robomimic and LIBERO files", unsigned v[3] = {0};                             \
      H5get_libversion(&v[0], &v[1], &v[2]); TEXT("%u.%u.%u", v[0], v[1], v[2]))                   \
    X(zlib, "zlib", "zlib1g-dev", BEX_HAVE_ZLIB, false,                                            \
      "compressed demonstrations read on all cores", TEXT("%s", zlibVersion()))                    \
    X(mujoco, "MuJoCo", "libmujoco-dev", BEX_HAVE_MUJOCO, false, "the simulated robots",           \
      TEXT("%s", mj_versionString()))                                                              \
    X(egl, "EGL", "libegl-dev", BEX_HAVE_EGL, false, "pictures and videos of what a camera sees",  \
      const char *text = eglQueryString(EGL_NO_DISPLAY, EGL_VERSION);                              \
      if (!text) text = "?"; TEXT("%.*s", (int)strcspn(text, " "), text))                          \
    X(cairo, "cairo", "libcairo2-dev", BEX_HAVE_CAIRO, false, "figures",                           \
      TEXT("%s", cairo_version_string()))                                                          \
    X(gif, "giflib", "libgif-dev", BEX_HAVE_GIF, false, "animations of `bex env`",                 \
      TEXT("%d.%d.%d", GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE))                                \
    X(mpi, "MPI", "libopenmpi-dev", BEX_HAVE_MPI, false, "training over several processes",        \
      TEXT("%s", bex_mpi_version()))                                                               \
    X(dnnl, "oneDNN", "libdnnl-dev", BEX_HAVE_DNNL, false,                                         \
      "the reference column of `bex bench kernels`", const dnnl_version_t *v = dnnl_version();     \
      TEXT("%d.%d.%d", v->major, v->minor, v->patch))

// false: not in this build
#define X(id, name, package, have, required, serves, ...)                                          \
    static bool version_of_##id(char *out, size_t size) {                                          \
        (void)out, (void)size;                                                                     \
        WHEN(have, __VA_ARGS__; return true;)                                                      \
        return false;                                                                              \
    }
EACH_LIBRARY(X)
#undef X

static const struct {
    const char *name, *package;
    bool required;
    bool (*version)(char *out, size_t size);
    const char *serves;
} libraries[] = {
#define X(id, name, package, have, required, serves, ...)                                          \
    {name, package, required, version_of_##id, serves},
    EACH_LIBRARY(X)
#undef X
};

bool bex_library_at(int i, bex_library *out) {
    if (i < 0 || i >= (int)(sizeof libraries / sizeof *libraries)) return false;
    *out = (bex_library){.name = libraries[i].name,
                         .package = libraries[i].package,
                         .required = libraries[i].required,
                         .serves = libraries[i].serves};
    out->present = libraries[i].version(out->version, sizeof out->version);
    return true;
}

// ---- JSON ----

static json_t *features_json(const bex_machine *m, bool used) {
    json_t *list = json_array();
    for (int i = 0; i < BEX_CPU_FEATURES; i++)
        if (used ? m->feature[i].used : m->feature[i].present)
            json_array_append_new(list, json_string(m->feature[i].name));
    return list;
}

static json_t *libraries_json(void) {
    json_t *list = json_array();
    bex_library l;
    for (int i = 0; bex_library_at(i, &l); i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:b, s:s?, s:s, s:s}", "name", l.name, "present",
                                        l.present, "version", l.present ? l.version : NULL,
                                        "package", l.package, "serves", l.serves));
    return list;
}

json_t *bex_machine_json(void) {
    bex_machine m;
    bex_machine_look(&m);
    const char *warning = bex_machine_mismatch(&m);
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:{s:s, s:o, s:o, s:i, s:i, s:i}, s:I, s:I, s:o, s:s?}",
        "version", BEX_VERSION, "precision", bex_build_precision(), "compiler",
        bex_build_compiler(), "flags", bex_build_flags(), "system", m.system, "cpu", "model", m.cpu,
        "features", features_json(&m, false), "features_used", features_json(&m, true), "cores",
        m.cores, "usable_cores", m.usable, "threads", m.threads, "memory_bytes",
        (json_int_t)m.memory, "available_bytes", (json_int_t)m.available, "libraries",
        libraries_json(), "warning", *warning ? warning : NULL);
}
