/* report/page_sources.c - where every number comes from: trials, seeds, commands, machine, configs. */
#include "report/record.h"

#include "base/error.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_cell(bex_page *p, long long n) {
    if (n >= 0)
        bex_page_cell(p, "%lld", n);
    else
        bex_page_cell(p, "\u2013");
}

static void show_explorations(bex_page *p, const bex_record *r) {
    static const char *const names[] = {"exploration", "agent",  "history",
                                        "exp",         "trials", "episodes",
                                        "steps",       "seed",   "regions visited"};
    if (r->exploration_count == 0) return;
    bex_page_table_begin(p, names, "clllrrrrr", 9);
    for (int i = 0; i < r->exploration_count; i++) {
        const bex_exploration *e = &r->explorations[i];
        bex_page_cell(p, "%s", e->name);
        bex_page_cell(p, "%s", e->label);
        bex_page_cell(p, "%s", *e->s.agent.history ? e->s.agent.history : "\u2013");
        bex_page_cell(p, "%s", *e->s.agent.exp ? e->s.agent.exp : "\u2013");
        count_cell(p, e->s.trials);
        count_cell(p, e->s.episodes);
        count_cell(p, e->s.length);
        count_cell(p, e->s.seed);
        if (isfinite(e->s.final.mean))
            bex_page_cell(p, "%.1f \u00b1 %.1f", e->s.final.mean, e->s.final.error);
        else
            bex_page_cell(p, "\u2013");
    }
    bex_page_table_end(p);
}

static void show_commands(bex_page *p, const bex_record *r) {
    bex_text commands;
    BEX_CHECK(bex_text_begin(&commands) == 0, "%s", bex_error());
    FILE *out = commands.out;
    int missing = 0;
    for (int i = 0; i < r->run_count; i++) {
        const json_t *from = r->runs[i].provenance;
        const char *command = json_string_value(json_object_get(from, "command"));
        const json_t *resumed = json_object_get(from, "resumed");
        if (command)
            fprintf(out, "%s\n", command);
        else
            missing++;
        for (size_t k = 0; k < json_array_size(resumed); k++) {
            const json_t *again = json_object_get(json_array_get(resumed, k), "command");
            if (json_is_string(again)) fprintf(out, "%s\n", json_string_value(again));
        }
    }
    for (int i = 0; i < r->exploration_count; i++)
        if (*r->explorations[i].s.command)
            fprintf(out, "%s\n", r->explorations[i].s.command);
        else
            missing++;
    char *text = bex_text_end(&commands);
    BEX_CHECK(text, "%s", bex_error());
    bex_page_heading(p, "Commands");
    if (*text) bex_page_code(p, text);
    if (missing) bex_page_note(p, "%d of the inputs name no command.", missing);
    free(text);
}

// "AMD EPYC 7763, Linux 6.1.0 x86_64, gcc 12.2.0"
static void machine_of(char *out, size_t size, const json_t *machine) {
    const json_t *cpu = json_object_get(machine, "cpu");
    const char *parts[] = {json_string_value(json_object_get(cpu, "model")),
                           json_string_value(json_object_get(machine, "system")),
                           json_string_value(json_object_get(machine, "compiler")),
                           json_string_value(json_object_get(machine, "precision"))};
    size_t n = 0;
    out[0] = 0;
    for (int i = 0; i < 4; i++)
        if (parts[i] && n < size)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", parts[i]);
}

static void show_machines(bex_page *p, const bex_record *r) {
    char said[8][400];
    int count = 0, all = r->run_count + r->exploration_count;
    for (int i = 0; i < all && count < 8; i++) {
        const json_t *machine = i < r->run_count ? json_object_get(r->runs[i].provenance, "machine")
                                                 : r->explorations[i - r->run_count].machine;
        machine_of(said[count], sizeof said[count], machine);
        bool again = said[count][0] == 0;
        for (int k = 0; k < count; k++) again |= !strcmp(said[k], said[count]);
        if (!again) count++;
    }
    for (int i = 0; i < count; i++) bex_page_text(p, "Machine: %s.", said[i]);
}

static void show_configs(bex_page *p, const bex_record *r) {
    for (int i = 0; i < r->run_count; i++) {
        char summary[300];
        if (!r->runs[i].config) continue;
        snprintf(summary, sizeof summary, "config.ini of %s", r->runs[i].name);
        bex_page_details_begin(p, summary);
        bex_page_code(p, r->runs[i].config);
        bex_page_details_end(p);
    }
}

void bex_page_sources(bex_page *p, const bex_record *r) {
    bex_page_section(p, "Where the numbers come from");
    show_explorations(p, r);
    show_machines(p, r);
    show_commands(p, r);
    show_configs(p, r);
}
