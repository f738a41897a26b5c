/* explore/session.c - see the header. */
#include "explore/session.h"

#include "base/error.h"
#include "base/path.h"
#include "base/utf8.h"
#include "data/load.h"
#include "explore/explore.h"
#include "explore/request.h"
#include "explore/results.h"
#include "explore/trajectories.h"
#include "host/folder.h"
#include "host/interrupt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// who can act: the first that is wanted does; RUN may be any of the first three's, by what its file is
static const bex_explore_source *const sources[] = {&bex_explore_learner, &bex_explore_gaussian,
                                                    &bex_explore_policy, &bex_explore_retrieval};
enum { SOURCES = sizeof sources / sizeof *sources };

/* ---- opening ---- */

static int locate_store(bex_explore_session *s, const char *folder) {
    return bex_path_join(s->store_path, folder, "unfinished");
}

// what is there is replaced only if that is asked for, by whoever types this command
static int check_save_history(const bex_explore_session *s) {
    const char *path = s->q->save_history;
    if (!path || s->q->force || access(path, F_OK) != 0) return 0;
    bex_fail("--save-history '%s' exists", path);
    return bex_fail_hint("--force replaces it");
}

int bex_explore_session_find(bex_explore_session *s, const char *folder) {
    char path[BEX_PATH_SIZE];
    if (locate_store(s, folder) < 0 || bex_path_join(path, folder, "results.json") < 0) return -1;
    if (!bex_explore_store_exists(s->store_path)) {
        bex_fail("'%s' holds no unfinished exploration", folder);
        return access(path, F_OK) == 0 ? bex_fail_hint("it is complete") : -1;
    }
    s->store = bex_explore_store_open(s->store_path);
    return s->store ? 0 : -1;
}

static int check_request(bex_explore_session *s) {
    const bex_explore_request *q = s->q;
    if (check_save_history(s) < 0) return -1;
    for (int i = 0; i < SOURCES && !s->source; i++)
        if (sources[i]->wanted(q)) s->source = sources[i];
    if (!s->source) return bex_fail("who explores? (RUN, --retrieval FILE, or --agent rnd)");
    if ((q->run || q->agent) && q->retrieval)
        return bex_fail("either %s or --retrieval, not both", q->run ? "RUN" : "--agent");
    if (!q->env)
        return bex_fail(
            "in which environment? (--env maze2d-medium, or --protocol; bex env --list)");
    if (!bex_utf8_valid(s->command)) return bex_fail("an option is not UTF-8");
    return 0;
}

enum { KEYS = 4096 };

// *agent: it is the agent's file that cannot be read, not the request that is wrong
static int open_world(bex_explore_session *s, bool *agent) {
    char keys[KEYS];
    const bex_env_class *class = bex_env_class_named(s->q->env);
    bex_world_options o = {.explore = true, .keys = s->q->env_keys};
    if (class && class->suit && s->source->suit) {
        *agent = s->source->suit(s->q, class, keys, sizeof keys) < 0;
        if (*agent) return -1;
        o.keys = keys;
    }
    return bex_world_open(&s->world, s->q->env, &o);
}

// the file of a file: rule is read once more, for the overlap
static int open_segment(bex_explore_session *s) {
    bex_memory_options o = {.O = s->world->spec.state, .N = 1};
    const char *rule = bex_explore_history(s->source, s->state);
    if (strncmp(rule, "file:", 5) != 0) return 0;
    if (bex_memory_parse(&o.kind, &o.file, rule) < 0) return -1;
    s->segment = bex_memory_new(&o);
    return s->segment ? 0 : -1;
}

static int make_actors(bex_explore_session *s) {
    s->actors = calloc((size_t)s->q->trials, sizeof *s->actors);
    if (!s->actors) return bex_fail("out of memory");
    for (int i = 0; i < (int)s->q->trials; i++) {
        bex_rng rng = bex_explore_stream((uint64_t)s->q->seed, i);
        s->actors[i] = s->source->actor(s->state, rng);
        if (!s->actors[i]) return -1;
    }
    return open_segment(s);
}

static int load_demonstrations(bex_explore_session *s) {
    bex_load_options o = BEX_LOAD_INIT;
    if (!s->q->demonstrations) return 0;
    s->demonstrations = bex_dataset_load(s->q->demonstrations, &o);
    if (!s->demonstrations) return -1;
    if (s->demonstrations->O == s->world->spec.state) return 0;
    return bex_fail("'%s' has %d observation columns, %s has %d", s->q->demonstrations,
                    s->demonstrations->O, s->world->name, s->world->spec.state);
}

// the directory, with nothing in it that would be overwritten
static int prepare_out(const bex_explore_session *s) {
    static const char *const files[] = {"results.json", "trajectories.hdf5"};
    const bex_explore_request *q = s->q;
    if (mkdir(q->out, 0777) < 0 && errno != EEXIST)
        return bex_fail("cannot make '%s': %s", q->out, strerror(errno));
    if (bex_folder_tidy(q->out) < 0) return -1;
    if (!q->resume && !q->force && bex_explore_store_exists(s->store_path)) {
        bex_fail("'%s' holds an unfinished exploration", q->out);
        return bex_fail_hint("bex explore --resume %s goes on, --force begins anew", q->out);
    }
    for (int i = 0; i < 2; i++) {
        char path[BEX_PATH_SIZE];
        if (bex_path_join(path, q->out, "%s", files[i]) < 0) return -1;
        if (access(path, F_OK) != 0) continue;
        if (!q->force && !q->resume) {
            bex_fail("'%s' exists", path);
            return bex_fail_hint("--force replaces it");
        }
        if (unlink(path) < 0) return bex_fail("cannot replace '%s': %s", path, strerror(errno));
    }
    return 0;
}

// where episodes are kept as they end; going on, what decides them must be what it was
static int open_store(bex_explore_session *s) {
    const bex_explore_request *q = s->q;
    if (!q->out) return 0;
    json_t *settings = bex_explore_settings(q, s->world, s->agent, s->source->file(s->state),
                                            bex_explore_history(s->source, s->state));
    if (!settings) return -1;
    if (s->store) {
        int code = bex_explore_request_check(bex_explore_store_request(s->store), settings);
        json_decref(settings);
        return code < 0 ? bex_fail_in("%s", q->out) : prepare_out(s);
    }
    json_t *request = bex_explore_request_new(s->command, s->started, s->argc, s->argv, settings);
    if (request && prepare_out(s) == 0) s->store = bex_explore_store_new(s->store_path, request);
    json_decref(request);
    return s->store ? 0 : -1;
}

int bex_explore_session_open(bex_explore_session *s) {
    if (s->q->out && !s->store && locate_store(s, s->q->out) < 0) return bex_misused();
    bool agent = false;
    if (check_request(s) < 0 || open_world(s, &agent) < 0) return agent ? -1 : bex_misused();
    if (s->source->open(&s->state, s->q, s->world) < 0) return -1;
    s->agent = s->source->describe(s->state, s->q);
    if (!s->agent) {
        bex_fail("an option is not UTF-8");
        return bex_misused();
    }
    if (make_actors(s) < 0 || load_demonstrations(s) < 0) return -1;
    return open_store(s);
}

/* ---- playing ---- */

int bex_explore_session_play(bex_explore_session *s) {
    const bex_explore_request *q = s->q;
    bex_progress p;
    bex_progress_start(&p, stderr, "explore",
                       q->trials * (q->steps ? q->steps : q->episodes * s->world->time_limit));
    bex_explore_options o = {.world = s->world,
                             .actors = s->actors,
                             .trials = (int)q->trials,
                             .episodes = (int)q->episodes,
                             .steps = (int)q->steps,
                             .until = q->until,
                             .seed = (uint64_t)q->seed,
                             .progress = &p,
                             .store = s->store,
                             .save_seconds = q->save_every,
                             .stop = s->store ? bex_interrupted : NULL};
    if (s->store) bex_interrupt_begin();
    int code = bex_explore(&s->explored, &o);
    if (s->store) bex_interrupt_end();
    if (code >= 0) bex_progress_finish(&p);
    return code;
}

int bex_explore_session_judge(bex_explore_session *s) {
    const bex_explore_request *q = s->q;
    bex_explore_about about = {
        .command = s->command, .started = s->started, .seed = q->seed, .agent = s->agent};
    if (s->segment) {
        about.segment = bex_memory_rows(s->segment);
        about.segment_rows = (int)bex_memory_states(s->segment);
    }
    if (s->demonstrations) {
        about.demonstrations = s->demonstrations->observations;
        about.demonstration_rows = s->demonstrations->rows;
        about.demonstration_start = s->demonstrations->start;
        about.demonstration_episodes = s->demonstrations->episodes;
    }
    if (bex_explore_summarise(&s->summary, &s->explored, &about) < 0) return -1;
    s->results = bex_explore_results(&s->summary, &about);
    return s->results ? 0 : bex_fail("out of memory");
}

/* ---- files ---- */

int bex_explore_session_save(bex_explore_session *s) {
    char path[BEX_PATH_SIZE];
    if (!s->q->out) return 0;
    if (bex_path_join(path, s->q->out, "trajectories.hdf5") < 0) return -1;
    return bex_trajectories_save(&s->explored, s->command, path);
}

int bex_explore_session_finish(bex_explore_session *s) {
    char path[BEX_PATH_SIZE];
    if (s->q->out &&
        (bex_path_join(path, s->q->out, "results.json") < 0 || bex_json_save(s->results, path) < 0))
        return -1;
    if (s->q->save_history) {
        bex_memory *memory = s->source->memory ? s->source->memory(s->actors[0]) : NULL;
        if (!memory) return bex_fail("--save-history: this policy has no history");
        if (check_save_history(s) < 0 || bex_memory_save(memory, s->q->save_history) < 0) return -1;
    }
    return s->store ? bex_explore_store_remove(s->store_path) : 0;
}

void bex_explore_session_fini(bex_explore_session *s) {
    for (int i = 0; s->actors && i < (int)s->q->trials; i++)
        if (s->actors[i]) s->actors[i]->class->free(s->actors[i]);
    free(s->actors);
    bex_memory_free(s->segment);
    bex_explored_fini(&s->explored);
    bex_explore_store_free(s->store);
    bex_dataset_free(s->demonstrations);
    if (s->source) s->source->close(s->state);
    bex_world_close(s->world);
    json_decref(s->agent);
    json_decref(s->results);
    bex_exploration_summary_fini(&s->summary);
}
