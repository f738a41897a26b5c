/* show/coverage_figure.h - visited states over demonstrated ones, and what they came to by episode. */
#ifndef BEX_SHOW_COVERAGE_FIGURE_H
#define BEX_SHOW_COVERAGE_FIGURE_H

#include "explore/coverage_curve.h"

/* demonstrations (rows, O): what was shown, NULL for none. pair: the two columns of the map. As
 * bex_figure_save. */
int bex_coverage_draw(const bex_recording *visited, const bex_coverage_point *point,
                      const bex_policy *policy, const bex_real *demonstrations, int rows,
                      const int pair[2], const char *title, const char *paths);

#endif
