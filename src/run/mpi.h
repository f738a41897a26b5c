/* run/mpi.h - base/ranks.h over MPI. Without MPI in the build: fine alone, refused under mpirun. */
#ifndef BEX_RUN_MPI_H
#define BEX_RUN_MPI_H

#include "base/real.h"

/* Joins the ranks mpirun started; does nothing, and costs nothing, in a process started otherwise.
 * Negative with a message. */
int bex_mpi_start(void);

/* Ends what start began. If a rank is gone the others are ended too. */
void bex_mpi_end(void);

/* "4.1.4", or NULL in a build without MPI. Static storage. */
const char *bex_mpi_version(void);

/* data (n reals) becomes its sum over the ranks by the library's own MPI_Allreduce, which adds in an order of
 * its own: what `bex bench reduce` compares with. Negative with a message. */
int bex_mpi_allreduce(bex_real *data, size_t n);

#endif
