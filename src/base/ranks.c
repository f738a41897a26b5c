/* base/ranks.c - agreements, all made of one gathering. */
#include "base/ranks.h"

#include "base/error.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE = 480 };

static const bex_ranks *joined; // NULL: alone
static char gone[240];          // why, once a rank is
static volatile sig_atomic_t hurried;

void bex_ranks_join(const bex_ranks *ranks) {
    joined = ranks && ranks->count > 1 ? ranks : NULL;
    gone[0] = 0;
}

const bex_ranks *bex_ranks_joined(void) {
    return joined;
}

bool bex_ranks_launched(void) {
    // Open MPI's mpirun, MPICH's mpiexec, anything over PMIx
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK");
}

int bex_ranks_rank(void) {
    return joined ? joined->rank : 0;
}

int bex_ranks_count(void) {
    return joined ? joined->count : 1;
}

bool bex_ranks_lost(void) {
    return gone[0] != 0;
}

// a meeting's outcome; after one that failed there is no other
static int keep(int code) {
    if (code < 0 && !gone[0]) snprintf(gone, sizeof gone, "%s", bex_error());
    return code < 0 ? bex_fail("%s", gone) : 0;
}

void bex_ranks_hurry(void) {
    hurried = 1;
}

bool bex_ranks_hurried(void) {
    return hurried;
}

int bex_ranks_gather(void *all, int n, size_t size) {
    if (!joined) return 0;
    return keep(gone[0] ? -1 : joined->gather(all, n, size));
}

int bex_ranks_fold(bex_real *data, size_t n, bex_fold_fn *fold, void *payload) {
    if (!joined) return fold(0, n, NULL, payload), 0;
    return keep(gone[0] ? -1 : joined->fold(data, n, fold, payload));
}

// mine of every rank, to be freed; NULL with a message if one is gone
static void *gather_one(const void *mine, size_t size) {
    char *all = calloc((size_t)bex_ranks_count(), size);
    BEX_CHECK(all, "out of memory");
    memcpy(all + (size_t)bex_ranks_rank() * size, mine, size);
    if (bex_ranks_gather(all, bex_ranks_count(), size) == 0) return all;
    free(all);
    return NULL;
}

int bex_ranks_settle(int code) {
    if (!joined) return code;
    char why[MESSAGE] = "";
    if (code < 0) snprintf(why, sizeof why, "%s", bex_error());
    int *codes = gather_one(&code, sizeof code), failed = -1, most = code;
    if (!codes) return -1;
    for (int i = bex_ranks_count() - 1; i >= 0; i--) {
        if (codes[i] < 0) failed = i;
        if (codes[i] > most) most = codes[i];
    }
    free(codes);
    if (failed < 0) return most;
    char(*message)[MESSAGE] = gather_one(why, sizeof why);
    if (!message) return -1;
    bex_fail("%s", message[failed]);
    free(message);
    return failed ? bex_fail_in("rank %d", failed) : -1;
}

int bex_ranks_first(int mine) {
    if (!joined) return mine;
    int *all = gather_one(&mine, sizeof mine), first = all ? all[0] : -1;
    free(all);
    return first;
}

static uint64_t fingerprint(const void *data, size_t bytes) {
    const unsigned char *at = data;
    uint64_t h = 0xcbf29ce484222325u ^ bytes, word;
    for (; bytes; at += sizeof word) { // FNV-1a by words
        size_t n = bytes < sizeof word ? bytes : sizeof word;
        word = 0;
        memcpy(&word, at, n);
        h = (h ^ word) * 0x100000001b3u;
        h ^= h >> 29; // a multiplication carries upwards only
        bytes -= n;
    }
    return h;
}

int bex_ranks_alike(const char *what, const void *data, size_t bytes) {
    if (!joined) return 0;
    uint64_t mine = fingerprint(data, bytes), *all = gather_one(&mine, sizeof mine);
    if (!all) return -1;
    int other = 0;
    for (int i = 1; i < bex_ranks_count() && !other; i++)
        if (all[i] != all[0]) other = i;
    free(all);
    if (!other) return 0;
    bex_fail("rank %d has other %s than rank 0", other, what);
    return bex_fail_hint("the same files, build and kind of processor everywhere?");
}
