/* data/writer_parts.h - what the writers of one layout or another share: the open file of writer.c. */
#ifndef BEX_DATA_WRITER_PARTS_H
#define BEX_DATA_WRITER_PARTS_H

#include "data/hdf5_write.h"

bex_h5_out *bex_writer_file(bex_writer *writer);

#endif
