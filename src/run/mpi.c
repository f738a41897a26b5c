/* run/mpi.c - the one place that calls MPI.
 *
 *   gather   one MPI_Iallgatherv
 *   fold     up    rank 0 -> 1 -> ... -> last, 60 kB at a time: receive, fold, send on
 *            down  last -> ... -> 1 -> 0, the result
 *
 * A chain, because additions must follow the lanes' order: a tree or a ring would add in another. Piece k is
 * on its way to the next rank while piece k + 1 arrives, so n ranks cost 2 (pieces + n - 2) messages' time,
 * whatever is added, and each sends and receives the data twice: as much as a ring does. Open MPI sends up to
 * 64 kB over TCP without asking whether they are welcome.
 *
 * Waiting asks again and again (MPI's own waits would spin for ever): first busily, then with naps, and
 * if this process was told to end meanwhile, not for long: when a rank dies, mpirun sends the others SIGTERM
 * and a second later SIGKILL. */
#include "run/mpi.h"

#ifdef BEX_HAVE_MPI

#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/ranks.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 61440 / sizeof(bex_real) };       // reals
static const double SPIN = 3e-4, PATIENCE = 0.4; // seconds

#ifdef BEX_F64
#define REAL MPI_DOUBLE
#else
#define REAL MPI_FLOAT
#endif
enum { UP = 1, DOWN = 2 }; // tags

static struct {
    bex_ranks ranks;
    int *counts, *places;  // (count) bytes of a gathering
    MPI_Request *requests; // (most) of a fold
    size_t most;
    bex_real before[2][PIECE];
    bool started;
} mpi;

// negative with a message if this call of MPI failed
static int check(int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS) return 0;
    MPI_Error_string(code, text, &length);
    return bex_fail("another rank is gone: %.200s", text);
}

static int finish(int n, MPI_Request *requests) {
    double start = bex_seconds(), end = 0, now;
    for (;;) {
        int done = 0;
        if (check(MPI_Testall(n, requests, &done, MPI_STATUSES_IGNORE)) < 0) return -1;
        if (done) return 0;
        if ((now = bex_seconds()) < start + SPIN) continue;
        if (bex_ranks_hurried() && end == 0) end = now + PATIENCE;
        if (end > 0 && now > end)
            return bex_fail("told to stop while waiting for another rank, which is gone or late");
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
    }
}

static int gather(void *all, int n, size_t size) {
    MPI_Request request;
    for (int r = 0; r < mpi.ranks.count; r++) {
        int first, count;
        bex_part(n, mpi.ranks.count, r, &first, &count);
        mpi.places[r] = first * (int)size, mpi.counts[r] = count * (int)size;
    }
    if (check(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all, mpi.counts, mpi.places, MPI_BYTE,
                              MPI_COMM_WORLD, &request)) < 0)
        return -1;
    return finish(1, &request);
}

/* ---- a fold ---- */

static size_t pieces_of(size_t n) {
    return (n + PIECE - 1) / PIECE;
}

static int size_of(size_t n, size_t k) {
    return (int)(n - k * PIECE < PIECE ? n - k * PIECE : PIECE);
}

static int send(const bex_real *data, size_t n, size_t k, int to, int tag) {
    return check(MPI_Isend(data + k * PIECE, size_of(n, k), REAL, to, tag, MPI_COMM_WORLD,
                           &mpi.requests[k]));
}

static int receive(bex_real *to, size_t n, size_t k, int from, int tag, MPI_Request *request) {
    return check(MPI_Irecv(to, size_of(n, k), REAL, from, tag, MPI_COMM_WORLD, request));
}

static int fold_up(bex_real *data, size_t n, bex_fold_fn *fn, void *payload) {
    int rank = mpi.ranks.rank, last = mpi.ranks.count - 1;
    size_t pieces = pieces_of(n);
    MPI_Request coming[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (size_t k = 0; rank > 0 && k < 2 && k < pieces; k++)
        if (receive(mpi.before[k], n, k, rank - 1, UP, &coming[k]) < 0) return -1;
    for (size_t k = 0; k < pieces; k++) {
        bex_real *before = rank > 0 ? mpi.before[k % 2] : NULL;
        if (before && finish(1, &coming[k % 2]) < 0) return -1;
        fn(k * PIECE, (size_t)size_of(n, k), before, payload);
        if (rank < last && send(data, n, k, rank + 1, UP) < 0) return -1;
        if (before && k + 2 < pieces && receive(before, n, k + 2, rank - 1, UP, &coming[k % 2]) < 0)
            return -1;
    }
    return rank < last ? finish((int)pieces, mpi.requests) : 0;
}

static int hand_down(bex_real *data, size_t n) {
    int rank = mpi.ranks.rank, last = mpi.ranks.count - 1;
    size_t pieces = pieces_of(n);
    for (size_t k = 0; rank < last && k < pieces; k++)
        if (receive(data + k * PIECE, n, k, rank + 1, DOWN, &mpi.requests[k]) < 0) return -1;
    for (size_t k = 0; k < pieces; k++) {
        if (rank < last && finish(1, &mpi.requests[k]) < 0) return -1;
        if (rank > 0 && send(data, n, k, rank - 1, DOWN) < 0) return -1;
    }
    return rank > 0 ? finish((int)pieces, mpi.requests) : 0;
}

static int fold(bex_real *data, size_t n, bex_fold_fn *fn, void *payload) {
    if (pieces_of(n) > mpi.most) {
        mpi.most = pieces_of(n);
        mpi.requests = realloc(mpi.requests, mpi.most * sizeof *mpi.requests);
        BEX_CHECK(mpi.requests, "out of memory");
    }
    return fold_up(data, n, fn, payload) < 0 || hand_down(data, n) < 0 ? -1 : 0;
}

/* ---- start and end ---- */

int bex_mpi_start(void) {
    if (!bex_ranks_launched() || mpi.started) return 0;
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return bex_fail("MPI does not start");
    mpi.started = true;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    mpi.ranks = (bex_ranks){.gather = gather, .fold = fold};
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.ranks.count);
    mpi.counts = calloc((size_t)mpi.ranks.count, sizeof *mpi.counts);
    mpi.places = calloc((size_t)mpi.ranks.count, sizeof *mpi.places);
    BEX_CHECK(mpi.counts && mpi.places, "out of memory");
    bex_ranks_join(&mpi.ranks);
    return 0;
}

void bex_mpi_end(void) {
    if (!mpi.started) return;
    mpi.started = false;
    fflush(stdout);
    if (bex_ranks_lost()) {               // MPI_Finalize would wait for it
        if (bex_ranks_hurried()) return;  // mpirun knows, and ends us all
        if (mpi.ranks.rank > 0) sleep(2); // rank 0 saves and speaks
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    bex_ranks_join(NULL);
    MPI_Finalize();
    free(mpi.counts);
    free(mpi.places);
    free(mpi.requests);
    memset(&mpi, 0, sizeof mpi);
}

const char *bex_mpi_version(void) {
    static char text[32];
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    // "Open MPI v4.1.4, package: ...", "MPICH Version: 4.0.2 ..."
    if (MPI_Get_library_version(name, &length) != MPI_SUCCESS) return "?";
    const char *number = name + strcspn(name, "0123456789");
    snprintf(text, sizeof text, "%.*s", (int)strspn(number, "0123456789."), number);
    return text;
}

int bex_mpi_allreduce(bex_real *data, size_t n) {
    if (!bex_ranks_joined()) return bex_fail("one rank only");
    return check(MPI_Allreduce(MPI_IN_PLACE, data, (int)n, REAL, MPI_SUM, MPI_COMM_WORLD));
}

#endif
