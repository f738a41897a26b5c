/* run/mpi_absent.c - a build without MPI: alone, and not to be taken for one rank of several. */
#include "run/mpi.h"

#ifndef BEX_HAVE_MPI

#include "base/error.h"
#include "base/ranks.h"

int bex_mpi_start(void) {
    if (!bex_ranks_launched()) return 0;
    bex_fail("started by mpirun, but this build has no MPI");
    return bex_fail_hint("install libopenmpi-dev and build again");
}

void bex_mpi_end(void) {}

const char *bex_mpi_version(void) {
    return NULL;
}

int bex_mpi_allreduce(bex_real *data, size_t n) {
    (void)data, (void)n;
    return bex_fail("this build has no MPI");
}

#endif
