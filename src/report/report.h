/* report/report.h - `bex report`: run directories in, one page and its figures out.
 *
 *   DIR/report.html    everything, in one file
 *   DIR/figures/       the figures as SVG and PNG, for papers and slides
 *
 * A path is a training run (metrics.csv), an exploration (results.json), one over many worlds (tasks.json),
 * or a directory of such, at any depth. What an input lacks is left out of the page, with a note where it
 * would have been. */
#ifndef BEX_REPORT_REPORT_H
#define BEX_REPORT_REPORT_H

/* title NULL: one from the inputs. 0, or negative with a message: no input, an input that is not what
 * it says, an unwritable directory. */
int bex_report_write(const char *const *paths, int count, const char *title, const char *folder);

#endif
