/* run/machine.c - look at the processor and the build; one table of libraries. */
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

typedef void version_of(char *out, size_t size);

static void openmp_version(char *out, size_t size) {
    snprintf(out, size, "%d", _OPENMP); // yyyymm of the specification
}

static void jansson_version(char *out, size_t size) {
    snprintf(out, size, "%s", jansson_version_str());
}

static void inih_version(char *out, size_t size) {
    snprintf(out, size, "%s", BEX_INIH_VERSION); // it does not know its own
}

#ifdef BEX_HAVE_DNNL
static void dnnl_version_text(char *out, size_t size) {
    const dnnl_version_t *v = dnnl_version();
    snprintf(out, size, "%d.%d.%d", v->major, v->minor, v->patch);
}
#define DNNL_VERSION dnnl_version_text
#else
#define DNNL_VERSION NULL
#endif

#ifdef BEX_HAVE_HDF5
static void hdf5_version(char *out, size_t size) {
    unsigned major = 0, minor = 0, patch = 0;
    H5get_libversion(&major, &minor, &patch);
    snprintf(out, size, "%u.%u.%u", major, minor, patch);
}
#define HDF5_VERSION hdf5_version
#else
#define HDF5_VERSION NULL
#endif

#ifdef BEX_HAVE_MUJOCO
static void mujoco_version(char *out, size_t size) {
    snprintf(out, size, "%s", mj_versionString());
}
#define MUJOCO_VERSION mujoco_version
#else
#define MUJOCO_VERSION NULL
#endif

#ifdef BEX_HAVE_CAIRO
static void cairo_version_text(char *out, size_t size) {
    snprintf(out, size, "%s", cairo_version_string());
}
#define CAIRO_VERSION_OF cairo_version_text
#else
#define CAIRO_VERSION_OF NULL
#endif

#ifdef BEX_HAVE_EGL
static void egl_version(char *out, size_t size) {
    const char *text = eglQueryString(EGL_NO_DISPLAY, EGL_VERSION);
    snprintf(out, size, "%.*s", (int)strcspn(text ? text : "?", " "), text ? text : "?");
}
#define EGL_VERSION_OF egl_version
#else
#define EGL_VERSION_OF NULL
#endif

#ifdef BEX_HAVE_GIF
static void gif_version_text(char *out, size_t size) {
    snprintf(out, size, "%d.%d.%d", GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE);
}
#define GIF_VERSION_OF gif_version_text
#else
#define GIF_VERSION_OF NULL
#endif

#ifdef BEX_HAVE_ZLIB
static void zlib_version_text(char *out, size_t size) {
    snprintf(out, size, "%s", zlibVersion());
}
#define ZLIB_VERSION_OF zlib_version_text
#else
#define ZLIB_VERSION_OF NULL
#endif

#ifdef BEX_HAVE_MPI
static void mpi_version_text(char *out, size_t size) {
    snprintf(out, size, "%s", bex_mpi_version());
}
#define MPI_VERSION_OF mpi_version_text
#else
#define MPI_VERSION_OF NULL
#endif

static const struct {
    const char *name, *package;
    bool required;
    version_of *version; // NULL: not in this build
    const char *serves;
} libraries[] = {
    {"OpenMP", "gcc", true, openmp_version, "threads"},
    {"jansson", "libjansson-dev", true, jansson_version, "JSON: results, requests"},
    {"inih", "libinih-dev", true, inih_version, "configuration files"},
    {"HDF5", "libhdf5-dev", false, HDF5_VERSION, "D4RL, Minari, robomimic and LIBERO files"},
    {"zlib", "zlib1g-dev", false, ZLIB_VERSION_OF, "compressed demonstrations read on all cores"},
    {"MuJoCo", "libmujoco-dev", false, MUJOCO_VERSION, "the simulated robots"},
    {"EGL", "libegl-dev", false, EGL_VERSION_OF, "pictures and videos of what a camera sees"},
    {"cairo", "libcairo2-dev", false, CAIRO_VERSION_OF, "figures"},
    {"giflib", "libgif-dev", false, GIF_VERSION_OF, "animations of `bex env`"},
    {"MPI", "libopenmpi-dev", false, MPI_VERSION_OF, "training over several processes"},
    {"oneDNN", "libdnnl-dev", false, DNNL_VERSION, "the reference column of `bex bench kernels`"},
};

bool bex_library_at(int i, bex_library *out) {
    if (i < 0 || i >= (int)(sizeof libraries / sizeof *libraries)) return false;
    *out = (bex_library){.name = libraries[i].name,
                         .package = libraries[i].package,
                         .required = libraries[i].required,
                         .present = libraries[i].version != NULL,
                         .serves = libraries[i].serves};
    if (out->present) libraries[i].version(out->version, sizeof out->version);
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
