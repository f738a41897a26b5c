/* cli/evaluation.h - a policy beside demonstrations it was not trained on: what `bex eval` prints and
 * `bex compare` sets side by side. */
#ifndef BEX_CLI_EVALUATION_H
#define BEX_CLI_EVALUATION_H

#include "agent/imitation/label_shares.h"
#include "agent/imitation/open_loop.h"
#include "base/path.h"
#include "cli/data_options.h"
#include "cli/deploy_options.h"
#include "host/json.h"

enum {
    BEX_EVALUATION_AS_TRAINED,
    BEX_EVALUATION_OTHER_HISTORY,
    BEX_EVALUATION_NO_COVERAGE,
    BEX_EVALUATION_LED, // shown its future
    BEX_EVALUATION_OTHER_PICTURES,
    BEX_EVALUATION_VARIANTS
};
extern const char *const bex_evaluation_names[BEX_EVALUATION_VARIANTS];

typedef struct bex_evaluation_options {
    const char *data; // NULL: those held out of the run's own
    bex_data_flags in;
    long long windows, chunks;
    bool best;                        // the run's best checkpoint, not its newest
    const bex_deploy_options *deploy; // NULL: the policy's own settings
} bex_evaluation_options;

typedef struct bex_evaluated {
    char of[BEX_PATH_SIZE + 100]; // the demonstrations, in words
    int chunks;
    bool there[BEX_EVALUATION_VARIANTS]; // a policy without history is not shown another
    bex_open_loop result[BEX_EVALUATION_VARIANTS];
    bool told; // what the coverage input tells
    bex_label_shares shares;
} bex_evaluated;

/* Of a run, which knows what was held out from it, or with data of any policy. Negative with a message. Needs
 * fini either way. */
int bex_evaluated_make(bex_evaluated *e, const char *policy, const bex_evaluation_options *options);
void bex_evaluated_fini(bex_evaluated *e);

/* Is it any good? One sentence. */
void bex_evaluated_verdict(char *out, size_t size, const bex_evaluated *e);

json_t *bex_evaluated_json(const bex_evaluated *e);

#endif
