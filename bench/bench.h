/* bench/bench.h - one table for all benchmarks: ours beside a reference measured in the same run.
 *
 *   name                        value  unit     reference     ref. value  ratio
 *   linear_fwd/256x256/M26112   180.1  GFLOP/s  dnnl_sgemm    176.0       1.02
 *
 * ratio is ours relative to the reference in the better direction: > 1 is better than the
 * reference. Names are stable: scripts compare runs by them. */
#ifndef BEX_BENCH_BENCH_H
#define BEX_BENCH_BENCH_H

#include <stdbool.h>

typedef struct bex_bench bex_bench;

typedef enum { BEX_BENCH_RATE, BEX_BENCH_TIME } bex_bench_kind; // higher, lower is better

typedef struct bex_bench_options {
    bool json;        // an array of objects instead of a table
    const char *only; // rows whose name holds this text; NULL: all (train, act, rl, env)
    const char *peer; // "torch": run the twin beside ours; NULL: none (train, act, rl)
    const char *plot; // a figure of the rows, .svg, .png or .pdf; NULL: none (scaling)
} bex_bench_options;

bex_bench *bex_bench_new(const bex_bench_options *options);
bool bex_bench_wants(const bex_bench *b, const char *name);
bool bex_bench_has_peer(const bex_bench *b, const char *peer);
const char *bex_bench_plot(const bex_bench *b); // NULL: no figure is wanted

/* One row; printed at once unless json. reference NULL: none was available. */
void bex_bench_row(bex_bench *b, const char *name, double value, const char *unit,
                   bex_bench_kind kind, const char *reference, double reference_value);

/* Says nothing from here on: a rank other than 0. */
void bex_bench_mute(bex_bench *b);

/* Prints the array in JSON mode; frees. */
void bex_bench_finish(bex_bench *b);

/* Best seconds per call of work(payload) over `rounds` rounds of at least `least_seconds` each,
 * after one warm-up call. */
double bex_bench_seconds(void (*work)(void *payload), void *payload, int rounds,
                         double least_seconds);

/* The same for ours and the reference in alternating rounds, so that both see the same machine. */
void bex_bench_pair(double seconds[2], void (*ours)(void *), void (*reference)(void *),
                    void *payload, int rounds, double least_seconds);

/* The same in seconds of this thread's CPU time: what other programs take does not count. For work of one
 * thread. */
void bex_bench_pair_cpu(double seconds[2], void (*ours)(void *), void (*reference)(void *),
                        void *payload, int rounds, int calls);

/* GFLOP/s of dnnl_sgemm on pieces of a lane's size, `threads` at a time, best of several widths: the
 * machine's limit at this moment. 0 where oneDNN is absent. */
double bex_bench_peak(int threads);

/* Resident memory of the process in bytes, and its peak since the reset. Negative: the kernel does not
 * tell. */
void bex_bench_memory_reset(void);
double bex_bench_memory_now(void);
double bex_bench_memory_peak(void);

/* Runs `python3 script` (path relative to the source tree, arguments appended), which prints a JSON
 * object of name: value, and reads it: the PyTorch or h5py side of a comparison. NULL with a message
 * if the interpreter or a module is missing. Caller json_decrefs (jansson's json_t). */
struct json_t *bex_bench_peer(const char *script_and_arguments);

/* The benchmarks, one file each; returns an exit code. */
int bex_bench_act(bex_bench *b);
int bex_bench_coverage(bex_bench *b);
int bex_bench_data(bex_bench *b);
int bex_bench_kernels(bex_bench *b);
int bex_bench_env(bex_bench *b);
int bex_bench_reduce(bex_bench *b);
int bex_bench_rl(bex_bench *b);
int bex_bench_scaling(bex_bench *b);
int bex_bench_train(bex_bench *b);
int bex_bench_vision(bex_bench *b);

#endif
