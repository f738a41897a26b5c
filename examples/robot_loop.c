/* robot_loop.c - a policy in a 20 Hz control loop: absolute deadlines, a history that survives restarts.
 *
 *     cc robot_loop.c $(pkg-config --cflags --libs bex) -o robot_loop
 *     ./robot_loop runs/be/checkpoints/last history.safetensors [episodes] [ticks]
 *
 * The robot is simulated, a point mass (x, y, vx, vy) pushed by (fx, fy): replace read_sensors and send. */
#define _POSIX_C_SOURCE 200809L
#include <bex/bex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STATE = 4, ACTION = 2, PERIOD = 50000000 }; /* ns: 20 Hz */
static float robot[STATE];

static void read_sensors(float *state) {
    memcpy(state, robot, sizeof robot);
}

static void send(const float *force) {
    for (int i = 0; i < 2; i++) {
        robot[2 + i] += 0.05f * (force[i] - robot[2 + i]);
        robot[i] += 0.05f * robot[2 + i];
    }
}

static void check(int code, const char *what) {
    if (code >= 0) return;
    fprintf(stderr, "robot_loop: %s: %s\n", what, bex_error_message());
    exit(1);
}

static void run_episode(bex_session *session, int ticks) {
    struct timespec next;
    float state[STATE], action[ACTION], still[ACTION] = {0};
    check(bex_session_begin(session), "begin");
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int tick = 0; tick < ticks; tick++) {
        read_sensors(state);
        int code = bex_session_act(session, state, STATE, action, ACTION);
        send(code < 0 ? still : action); /* a broken sensor: stop before anything else */
        check(code, "act");
        next.tv_nsec += PERIOD;
        if (next.tv_nsec >= 1000000000) next.tv_nsec -= 1000000000, next.tv_sec++;
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL)) continue;
    }
    check(bex_session_end(session), "end"); /* the next episode will try something else */
}

int main(int argc, char **argv) {
    int episodes = argc > 3 ? atoi(argv[3]) : 3, ticks = argc > 4 ? atoi(argv[4]) : 100;
    bex_policy *policy;
    bex_session *session;
    bex_contract wants = {.size = sizeof wants};
    bex_latency t = {.size = sizeof t};
    bex_session_options options = BEX_SESSION_OPTIONS_INIT;
    if (argc < 3) return fputs("usage: robot_loop MODEL HISTORY [episodes] [ticks]\n", stderr), 2;
    check(bex_policy_open(&policy, argv[1]), "policy");
    check(bex_policy_contract(policy, &wants), "contract");
    if (wants.state != STATE || wants.action != ACTION)
        return fprintf(
                   stderr,
                   "robot_loop: the policy is for another robot: state %d, action %d, not %d and %d\n",
                   wants.state, wants.action, STATE, ACTION),
               1;
    options.deadline = 1e-9 * PERIOD;
    check(bex_session_open(&session, policy, &options), "session");
    int remembers = wants.history > 0; /* a cloned policy (bc) has no history */
    if (remembers && access(argv[2], F_OK) == 0)
        check(bex_session_load_history(session, argv[2]), "history");
    for (int i = 0; i < episodes; i++) {
        run_episode(session, ticks);
        if (remembers) check(bex_session_save_history(session, argv[2]), "history");
    }
    check(bex_session_latency(session, &t), "latency");
    printf("%lld plans: p50 %.2f ms, p99 %.2f ms; %lld late; %lld states kept\n", t.plans,
           1e3 * t.p50, 1e3 * t.p99, t.missed, bex_session_history_states(session));
    bex_session_close(session);
    bex_policy_close(policy);
}
