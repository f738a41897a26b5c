/* report/record.h - what a report is made of: the training runs and explorations found below some
 * paths. Private to report/. */
#ifndef BEX_REPORT_RECORD_H
#define BEX_REPORT_RECORD_H

#include "host/table.h"
#include "record/attempts.h"
#include "report/exploration.h"
#include "report/page.h"

typedef struct bex_training {
    char *name; // below the path that was given
    char *path;
    bex_table metrics;
    json_t *provenance; // NULL: missing
    char *config;       // text of config.ini; NULL: missing
    char status[256];   // "" if missing
} bex_training;

// tasks.json of an exploration over many worlds (explore/suite.h)
typedef struct bex_suite_record {
    char *path;
    char label[160], protocol[64];
    bex_attempts attempts;
} bex_suite_record;

typedef struct bex_record {
    bex_training *runs;
    bex_exploration *explorations;
    bex_suite_record *suites;
    int run_count, exploration_count, suite_count;
    int met; // of any kind, a second time too
} bex_record;

/* Everything below the paths, each once, in the order of names. 0, or negative with a message: a path
 * that holds neither, a file that does not parse. Needs fini either way. */
int bex_record_load(bex_record *record, const char *const *paths, int count);
void bex_record_fini(bex_record *record);

/* Sections of the page; a note where there is nothing to show. */
void bex_page_training(bex_page *p, const bex_record *record);
void bex_page_exploration(bex_page *p, const bex_record *record);
void bex_page_segments(bex_page *p, const bex_record *record, const char *environment);
void bex_page_calibration(bex_page *p, const bex_series *series, int count,
                          const char *environment);
void bex_page_goals(bex_page *p, const bex_record *record, const bex_series *series, int count,
                    const char *environment); // nothing where no exploration has any
void bex_page_attempts(bex_page *p,
                       const bex_record *record); // nothing where there is no tasks.json
void bex_page_playground(bex_page *p, const bex_record *record);
void bex_page_sources(bex_page *p, const bex_record *record);

/* "environment-what" without characters a file name should not have. */
const char *bex_figure_name(char out[128], const char *environment, const char *what);

#endif
