/* bex.h - Behavioral Exploration policies from C: the public interface of libbex.
 *
 *     bex_policy *policy;
 *     bex_session *robot;
 *     if (bex_policy_open(&policy, "runs/be/checkpoints/20000") < 0) die(bex_error_message());
 *     bex_session_options o = BEX_SESSION_OPTIONS_INIT;
 *     o.exp = "q:0.95";                                     how exploratory, of what was trained on
 *     if (bex_session_open(&robot, policy, &o) < 0) die(bex_error_message());
 *     for (each episode) {
 *         bex_session_begin(robot);
 *         while (the episode lasts) {
 *             read_sensors(state);
 *             if (bex_session_act(robot, state, n_state, action, n_action) < 0) stop();
 *             send(action);
 *         }
 *         bex_session_end(robot);                           the episode joins the history:
 *     }                                                     the next one tries something else
 *     bex_session_close(robot);
 *     bex_policy_close(policy);
 *
 * Rules
 *   - Functions that can fail return 0 or a negative bex_status; bex_error_message() then says why, in
 *     one line. Nothing here aborts, prints or exits; wrong sizes, NULL and NaN are errors, and so is
 *     memory running out, wherever it does: a call that failed leaves nothing behind.
 *   - A policy is immutable and may be shared by any number of threads and sessions; it must outlive
 *     its sessions. A session is one control stream and belongs to one thread at a time: a call while another
 *     thread is in the same session is BEX_MISUSED and does nothing (close apart: it must be the last).
 *   - bex_session_act and bex_session_plan allocate nothing, lock nothing and do no I/O; their cost is
 *     bounded: one encoder pass (the first of an episode also encodes the history) and the policy's
 *     number of denoising steps.
 *   - States and actions are in the units of the demonstrations, as float arrays. */
#ifndef BEX_BEX_H
#define BEX_BEX_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define BEX_API __declspec(dllexport)
#else
#define BEX_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bex_policy bex_policy;
typedef struct bex_session bex_session;

typedef enum bex_status {
    BEX_OK = 0,
    /* the world's fault: file, format, memory, a network that gives no number */
    BEX_FAILED = -1,
    /* the caller's: NULL, a wrong size, a setting out of range, a state that cannot be, a call too early */
    BEX_MISUSED = -2
} bex_status;

/* Version of the library that is running, "major.minor.patch". Static storage. */
BEX_API const char *bex_version(void);

/* Why this thread's last failing call failed; "" if none failed. Valid until its next failure. */
BEX_API const char *bex_error_message(void);

/* Route the library's log lines (levels 0 debug, 1 info, 2 warning, 3 error) to a function of
 * yours; NULL, the default, is silence. The line has no newline and dies when the call returns. */
BEX_API void bex_log_to(void (*sink)(int level, const char *line, void *payload), void *payload);

/* ---- policy ---- */

/* path: a model.safetensors, a checkpoint directory, or a run such as runs/be: its newest checkpoint. */
BEX_API int bex_policy_open(bex_policy **out, const char *path);
/* The bytes of a model.safetensors; they are not kept after the call. */
BEX_API int bex_policy_open_memory(bex_policy **out, const void *bytes, size_t size);
BEX_API void bex_policy_close(bex_policy *policy); /* NULL is fine */

/* What a policy expects and gives: check it against the robot before moving. `size` is sizeof the
 * struct as the caller knows it; pointers live as long as the policy. */
typedef struct bex_contract {
    size_t size;
    int state, action;  /* sizes */
    int chunk, history; /* actions planned at once; history states, 0 for none */
    int tasks, scenes;  /* labels it distinguishes, 0 for none */
    int has_coverage;   /* exp and guidance mean something */
    long long parameters;
    const float *state_mean, *state_std;   /* (state) of the demonstrations; std 0: ignored */
    const float *action_low, *action_high; /* (action) what it can output */
    const char *agent;                     /* "be", "bc", "bc-history" */
    /* what a session uses where its options say nothing */
    const char *exp, *history_rule;
    double guidance, noise;
    int act, denoising_steps;
    int candidates, commit;
    double temperature;
    /* pictures expected beside the state, and their size as the network sees them, in pixels; 0 for none */
    int cameras, image_height, image_width;
    const char *
        images; /* the cameras in their order, by commas, as the demonstrations name them; "" for none */
    const char *flip; /* how the policy turns pictures: "none", "vertical", "rot180" */
    /* (state) what each value of a state is, by the keys of the demonstrations: "eef_pos[0]"; NULL: not
     * known */
    const char *const *state_names;
    const int *
        coverage_columns; /* which of them count as explored, coverage_count of them; 0: all, or none */
    int coverage_count;
    double farthest; /* standard deviations from the mean beyond which a state is refused */
    /* columns that the policy makes from pictures and puts behind those of a state, as if given:
     * coverage_columns and the states of a history count them. Every call then needs pictures. 0: none */
    int seen;
} bex_contract;

BEX_API int bex_policy_contract(const bex_policy *policy, bex_contract *out);

/* ---- session ---- */

/* Begin with BEX_SESSION_OPTIONS_INIT: a struct that is zero but for its size sets guidance, noise and
 * temperature to 0. */
typedef struct bex_session_options {
    size_t size;
    const char *exp;     /* "q:0.95", "z:2", "raw:0.001"; NULL: the policy's default */
    const char *history; /* "uniform", "first", "last3", "file:PATH"; NULL: the policy's default */
    double guidance;     /* weight of the coverage; negative: the policy's default */
    double noise;        /* standard deviation added to actions, of [-1,1]; negative: the default */
    int act;             /* actions of a chunk played before the next is planned; 0: the default */
    int denoising_steps; /* 0: the policy's default */
    int task, scene;     /* 0 for policies without */
    uint64_t seed;
    /* seconds a call of act or plan may take, 0: any. The search among candidates is cut when its time is up,
     * and goes on in later plans where a chosen future is executed as a route. Slower calls are counted:
     * bex_latency.missed */
    double deadline;
    int candidates;     /* candidate futures, the nearest to exp is executed; 0: the default */
    int commit;         /* actions for which that one is followed; 0: the default */
    double temperature; /* of the noise actions are denoised from; negative: the default */
} bex_session_options;

#define BEX_SESSION_OPTIONS_INIT                                                                   \
    { sizeof(bex_session_options), NULL, NULL, -1.0, -1.0, 0, 0, 0, 0, 0, 0.0, 0, 0, -1.0 }

BEX_API int bex_session_open(bex_session **out, const bex_policy *policy,
                             const bex_session_options *options); /* options NULL: defaults */
BEX_API void bex_session_close(bex_session *session);             /* NULL is fine */

/* An episode begins; one that is running is dropped, not remembered. */
BEX_API int bex_session_begin(bex_session *session);
/* It ends: its states join the history; if there is no memory for them it fails, and they are lost. */
BEX_API int bex_session_end(bex_session *session);

/* The next action for this state: once a control step. A state with a value that is not finite, or more than
 * contract.farthest standard deviations from the mean of the demonstrations, is BEX_MISUSED, here, in plan
 * and in observe: what sensors give that read nothing (FLT_MAX, 1e30) would spoil the plan and, remembered,
 * those after it. Nothing is changed. bex_session_set "farthest" widens it, to a million at most. */
BEX_API int bex_session_act(bex_session *session, const float *state, int n_state, float *action,
                            int n_action);
/* A whole chunk (chunk, action) row by row, for callers that play it themselves. */
BEX_API int bex_session_plan(bex_session *session, const float *state, int n_state, float *actions,
                             int n_actions);

/* A state between plans, for callers that execute chunks themselves: at each control step that does not plan.
 * It is remembered, and time goes on by one step. Without it a plan counts as a whole chunk of steps, of
 * which only the first state is remembered. */
BEX_API int bex_session_observe(bex_session *session, const float *state, int n_state);

/* What a robot senses at one moment: a state and, for policies with cameras, a picture of each. `size` is
 * sizeof the struct as the caller knows it; the arrays are the caller's and read during the call only. What
 * is not used must be 0. */
typedef struct bex_sensors {
    size_t size;
    const float *state;
    int n_state;
    int cameras;       /* as the contract says: 0 for policies without */
    int height, width; /* of the pictures given; 0: as the contract says */
    /* (height, width, 3) bytes of each camera, row by row, RGB, in the contract's order; NULL beyond them */
    const unsigned char *image[4];
} bex_sensors;

/* bex_session_act and plan with pictures, or without any the same. Pictures lie as in the demonstrations
 * (LIBERO's:
 * bottom row first): the policy turns them as it turned those, and resizes those of another size as in
 * training.
 * A picture too few, too many or of no size is BEX_MISUSED, and nothing is changed. Nothing is allocated for
 * pictures of the contract's size; for others, at the first of each larger size. */
BEX_API int bex_session_act_seen(bex_session *session, const bex_sensors *sensors, float *action,
                                 int n_action);
/* bex_session_observe with pictures: those of contract.seen, which are remembered, need them. */
BEX_API int bex_session_observe_seen(bex_session *session, const bex_sensors *sensors);
BEX_API int bex_session_plan_seen(bex_session *session, const bex_sensors *sensors, float *actions,
                                  int n_actions);
/* The older name of bex_session_act_seen. */
BEX_API int bex_session_act_on(bex_session *session, const bex_sensors *sensors, float *action,
                               int n_action);

/* Any setting of acting by its name and text, as [deploy] of a config file has it ("candidates", "64"), from
 * the next plan on; `bex train --help` lists them. May allocate: not for the control loop, exp apart. A
 * history rule empties the memory and changes between episodes only. On failure all settings are as they
 * were. Get writes the text in force; 160 bytes hold any. */
BEX_API int bex_session_set(bex_session *session, const char *key, const char *value);
BEX_API int bex_session_get(const bex_session *session, const char *key, char *value, size_t size);
BEX_API int bex_session_set_exp(bex_session *session, const char *exp); /* set "exp" */
BEX_API int bex_session_set_task(bex_session *session, int task, int scene);
BEX_API int bex_session_set_seed(bex_session *session, uint64_t seed); /* between episodes */

/* The memory of past episodes, in a file that survives a restart: written beside the old one, then
 * renamed over it. Load replaces the memory, from the next episode on; clear also drops the running
 * episode. */
BEX_API int bex_session_save_history(const bex_session *session, const char *path);
BEX_API int bex_session_load_history(bex_session *session, const char *path);
BEX_API int bex_session_clear_history(bex_session *session);
BEX_API long long bex_session_history_states(const bex_session *session);

/* Latency of act and plan, in seconds. An act that takes its action from a chunk costs nothing, so quantiles
 * and max are over the newest 4096 calls that planned; counts are over all calls. Each quantile is a measured
 * latency (nearest rank): p50 <= p99 <= max. */
typedef struct bex_latency {
    size_t size;
    long long calls, plans, missed; /* missed: slower than the deadline */
    double p50, p99, max;
} bex_latency;

BEX_API int bex_session_latency(const bex_session *session, bex_latency *out);

/* What the policy is after, and how far it has come: of the future it follows, chosen among candidates.
 * Coverages as the network's input, and as quantiles (0 to 1) of the demonstrations' futures. NaN: no future
 * was chosen in this episode, as ever with one candidate. */
typedef struct bex_coverage_report {
    size_t size;
    double asked, expected, reached; /* by exp; of the chosen future; of the states since */
    double asked_quantile, expected_quantile, reached_quantile; /* the same */
    long long steps;          /* states since the choice, itself one */
    int candidates, proposed; /* asked for; made in time: fewer where a deadline cut the search */
    int possible;             /* of those, through places demonstrators were (coverage.support) */
    int waypoints, columns;   /* of the chosen future: rows, and which columns of a state */
    const float *
        waypoint; /* (waypoints, columns), in the units of states; until the next call of act or plan */
    const int *column; /* (columns) */
} bex_coverage_report;

BEX_API int bex_session_coverage(bex_session *session, bex_coverage_report *out);

#ifdef __cplusplus
}
#endif

#endif
