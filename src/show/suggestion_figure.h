/* show/suggestion_figure.h - what would count as different: a picture of a choice of columns. */
#ifndef BEX_SHOW_SUGGESTION_FIGURE_H
#define BEX_SHOW_SUGGESTION_FIGURE_H

#include "suggest/suggest.h"

/* Three panels: demonstrations in the two widest columns that count, with futures from much the same state
 * that count
 * as most different; the worth of every column; the same columns over time in a few episodes. `s` has its
 * columns.
 * paths: as bex_figure_save. Negative with a message. */
int bex_suggestion_draw(const bex_suggestions *s, const bex_dataset *data, int future,
                        const char *title, const char *paths);

#endif
