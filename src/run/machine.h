/* run/machine.h - what runs: processor, build, libraries. `bex doctor` prints it, a run keeps it
 * beside its results. */
#ifndef BEX_RUN_MACHINE_H
#define BEX_RUN_MACHINE_H

#include "host/json.h"

#include <stdbool.h>

/* An instruction set the kernels care about: what the processor has and what this build uses. */
typedef struct bex_cpu_feature {
    const char *name;
    bool present, used;
} bex_cpu_feature;

enum { BEX_CPU_FEATURES = 4 };

typedef struct bex_machine {
    char cpu[128], system[192]; // "AMD EPYC 7763"; "Linux 6.1.0 x86_64"
    bex_cpu_feature feature[BEX_CPU_FEATURES];
    int cores;                   // of the machine
    int usable;                  // by this process (affinity)
    int threads;                 // OpenMP would start (OMP_NUM_THREADS)
    long long memory, available; // bytes; 0 where the system does not say
} bex_machine;

void bex_machine_look(bex_machine *machine);

/* The build, static storage: "gcc 12.2.0", the flags that change code, "f32" or "f64". */
const char *bex_build_compiler(void);
const char *bex_build_flags(void);
const char *bex_build_precision(void);

/* The libraries of this build, i = 0.. until false. version is "" if the library is missing. */
typedef struct bex_library {
    const char *name, *package; // package: Debian's
    bool present, required;
    char version[32];
    const char *serves; // what it is for, and so what its absence disables
} bex_library;
bool bex_library_at(int i, bex_library *library);

/* One sentence if this build and this processor do not fit (instructions it lacks, or has and does
 * not use), else "". Thread-local storage, valid until the next call. */
const char *bex_machine_mismatch(const bex_machine *machine);

/* All of the above: {version, precision, compiler, flags, system, cpu: {...}, memory_bytes,
 * libraries: [...], warning}. Caller json_decrefs. */
json_t *bex_machine_json(void);

#endif
