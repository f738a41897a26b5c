/* show/contact_sheet.h - what the cameras of demonstrations saw, on one sheet.
 *
 *   rows: up to four episodes, evenly chosen, all cameras of one below each other; columns: eight moments
 * of it
 */
#ifndef BEX_SHOW_CONTACT_SHEET_H
#define BEX_SHOW_CONTACT_SHEET_H

#include "data/dataset.h"

/* A PNG, as data.flip of loading left the pictures. Negative with a message: a picture cannot be read, or
 * the file
 * not be written. */
int bex_contact_sheet(const bex_dataset *dataset, const char *path);

#endif
