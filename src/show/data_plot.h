/* show/data_plot.h - a data set as one figure: map, density, lengths, a histogram of every column. */
#ifndef BEX_SHOW_DATA_PLOT_H
#define BEX_SHOW_DATA_PLOT_H

#include "data/column_statistics.h"

/* obs (O), act (A): the columns' statistics; dims: columns of the map. Negative with a message. */
int bex_data_plot(const bex_dataset *dataset, const bex_column_statistics *obs,
                  const bex_column_statistics *act, const int dims[2], const char *title,
                  const char *paths);

#endif
