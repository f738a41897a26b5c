/* cli/cmd_eval.c - `bex eval`: a policy beside the demonstrations that were held out from it, no world
 * needed. */
#include "cli/command.h"
#include "cli/evaluation.h"
#include "cli/options.h"

#include "base/error.h"
#include "policy/deploy.h"

#include <math.h>
#include <stdio.h>

static bex_evaluation_options o = {.windows = 512, .chunks = 8};
static bool json;

static const bex_option options[] = {
    {"data", BEX_OPTION_TEXT, &o.data, "FILE",
     "any demonstrations; the run's own: those held out of them", 0, 0},
    {"windows", BEX_OPTION_INTEGER, &o.windows, "N", "held-out states to act from", 1, 1e6},
    {"chunks", BEX_OPTION_INTEGER, &o.chunks, "N", "chunks drawn at each", 2, 256},
    {"best", BEX_OPTION_FLAG, &o.best, NULL, "the run's best checkpoint, not its newest", 0, 0},
    {"json", BEX_OPTION_FLAG, &json, NULL, "print results as JSON", 0, 0},
    BEX_DATA_OPTIONS(o.in),
};
static const bex_usage usage = {
    .command = "eval",
    .synopsis = "RUN [options] | POLICY --data FILE [options]",
    .about =
        "How well a policy repeats demonstrations it was not trained on: chunks it draws at their states\n"
        "beside what the demonstrator did there, root mean square over action dims in the world's units.\n"
        "A RUN knows what was held out from it; with --data any policy is put beside all episodes of any\n"
        "file of the same states and actions. A policy with a history is also shown another one than the\n"
        "coverage is of, one with a coverage token has it hidden, and one that follows futures\n"
        "(diffusion.show_waypoints) is shown the demonstrator's; one that sees is shown the pictures of\n"
        "another moment: figures that do not change tell that it does not look. A legend and a verdict\n"
        "stand below the figures. Of a RUN that learned by coverage it also tells what the coverage\n"
        "input is about, as shares of its variance: docs/agents/be.md.",
    .example = "bex eval runs/be\n"
               "bex eval policy.safetensors --data held-out.hdf5\n"
               "bex eval runs/be --windows 2048 --json",
    .options = options,
    .count = sizeof options / sizeof *options,
    .settings = bex_deploy_sections,
};

// does it look at its history, at the coverage, at its pictures? "" if it has none
static void attention(char *out, size_t size, const bex_evaluated *e) {
    const bex_open_loop *r = e->result;
    int used = 0;
    out[0] = 0;
    for (int v = 1; v < BEX_EVALUATION_VARIANTS; v++) {
        if (!e->there[v] || v == BEX_EVALUATION_LED) continue;
        double more = r[v].all[BEX_OPEN_LOOP_ONE] / r[0].all[BEX_OPEN_LOOP_ONE] - 1;
        used += snprintf(out + used, size - (size_t)used, "%s%s %s by %.1f %%", used ? "; " : "",
                         bex_evaluation_names[v],
                         more >= 0 ? "raises the error of a chunk" : "lowers it", 100 * fabs(more));
    }
}

static void print_legend(int chunks) {
    printf(
        "  mean action: always the demonstrations' mean, what has to be beaten. a "
        "chunk: one draw. mean of %d: of that\n"
        "  many draws. nearest: the nearest of them as a whole; far below `a chunk` "
        "where there are several ways to\n"
        "  act. two chunks apart: how much draws differ; 0 is a policy that always does the same.\n",
        chunks);
}

static void print_shares(const bex_label_shares *s) {
    printf(
        "  the coverage input at %d places, %d futures each, after %d pasts. Shares of its variance: "
        "%.0f %% the state,\n"
        "  %.0f %% the past, %.0f %% both together; %.0f %% which future covers more whatever the past, "
        "%.0f %% which covers\n"
        "  more given this past. %.0f %% of the pasts have the usual best future of a place; at %.0f %% "
        "of the places not all have.\n",
        s->places, s->futures, s->histories, 100 * s->state, 100 * s->history, 100 * s->both,
        100 * s->future, 100 * s->news, 100 * s->agree, 100 * s->decisions);
}

static void print_text(const bex_evaluated *e) {
    const bex_open_loop *r = e->result;
    char text[400];
    printf("%s: %d windows, %d chunks at each; errors of actions, root mean square\n", e->of,
           r->windows, e->chunks);
    printf("                   mean action   a chunk   mean of %-3d   nearest   two chunks apart\n",
           e->chunks);
    for (int v = 0; v < BEX_EVALUATION_VARIANTS; v++)
        if (e->there[v])
            printf("  %-16s %11.4f   %7.4f   %11.4f   %7.4f   %16.4f\n", bex_evaluation_names[v],
                   r[v].all[BEX_OPEN_LOOP_NOTHING], r[v].all[BEX_OPEN_LOOP_ONE],
                   r[v].all[BEX_OPEN_LOOP_MEAN], r[v].all[BEX_OPEN_LOOP_NEAREST],
                   r[v].all[BEX_OPEN_LOOP_SPREAD]);
    printf("  action of the chunk:");
    for (int k = 0; k < r->K; k++) printf(" %7d", k + 1);
    printf("\n  mean of %-3d        :", e->chunks);
    for (int k = 0; k < r->K; k++) printf(" %7.4f", r->at[k][BEX_OPEN_LOOP_MEAN]);
    printf("\n\n");
    print_legend(e->chunks);
    attention(text, sizeof text, e);
    if (*text) printf("  %s\n", text);
    if (e->told) print_shares(&e->shares);
    bex_evaluated_verdict(text, sizeof text, e);
    printf("verdict: %s\n", text);
}

int bex_cmd_eval(int argc, char **argv) {
    const char *run = NULL;
    bex_deploy_options asked;
    if (bex_deploy_options_take(&asked, &argc, argv) < 0)
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    int given = bex_options_parse(&usage, argc, argv, &run, 1);
    if (given < 0) return given == BEX_OPTIONS_HELP ? BEX_EXIT_OK : BEX_EXIT_USAGE;
    if (given == 0) {
        bex_fail("which run?");
        return bex_command_fail(&usage, BEX_EXIT_USAGE);
    }
    bex_evaluated e;
    o.deploy = &asked;
    int code = bex_evaluated_make(&e, run, &o);
    if (!code && json) {
        json_t *j = bex_evaluated_json(&e);
        bex_json_print(j);
        json_decref(j);
    } else if (!code) {
        print_text(&e);
    }
    bex_evaluated_fini(&e);
    bex_deploy_options_fini(&asked);
    return code ? bex_command_fail(&usage, BEX_EXIT_FAILED) : BEX_EXIT_OK;
}
