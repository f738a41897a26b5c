/* robot_loop_camera.c - a policy that sees, in a 20 Hz control loop: two cameras and a state.
 *
 *     cc robot_loop_camera.c $(pkg-config --cflags --libs bex) -o robot_loop_camera
 *     ./robot_loop_camera runs/seeing/checkpoints/last [episodes] [ticks]
 *
 * Trained by, for instance (the cameras' names are those of the file: bex data show demo.hdf5):
 *     bex train --data demo.hdf5 --data.images=agentview_image,robot0_eye_in_hand_image --out runs/seeing
 *
 * The robot and its cameras are made up: replace read_state, take_picture and send. Pictures lie as in the
 * demonstrations and may have any size: the policy turns and resizes them as it did in training. */
#define _POSIX_C_SOURCE 200809L
#include <bex/bex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CAMERAS = 4, HEIGHT = 96, WIDTH = 96, PERIOD = 50000000 }; /* ns: 20 Hz */
static unsigned char picture[CAMERAS][HEIGHT * WIDTH * 3];

static void check(int code, const char *what) {
    if (code >= 0) return;
    fprintf(stderr, "robot_loop_camera: %s: %s\n", what, bex_error_message());
    exit(1);
}

/* a bright spot that moves, for want of a camera */
static const unsigned char *take_picture(int camera, int tick) {
    unsigned char *p = picture[camera];
    memset(p, 40 + 40 * camera, sizeof picture[camera]);
    memset(p + 3 * (size_t)(WIDTH * (HEIGHT / 2) + tick % WIDTH), 255, 3);
    return p;
}

static void read_state(float *state, const bex_contract *wants, int tick) {
    for (int i = 0; i < wants->state; i++)
        state[i] = wants->state_mean[i] + wants->state_std[i] * (float)(tick % 7 - 3) / 3;
}

static void send(const float *action, int n) {
    (void)action, (void)n;
}

static void run_episode(bex_session *session, const bex_contract *wants, float *state,
                        float *action, int ticks) {
    struct timespec next;
    bex_sensors seen = {.size = sizeof seen, .state = state, .n_state = wants->state};
    seen.cameras = wants->cameras, seen.height = HEIGHT, seen.width = WIDTH;
    check(bex_session_begin(session), "begin");
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int tick = 0; tick < ticks; tick++) {
        read_state(state, wants, tick);
        for (int c = 0; c < wants->cameras; c++) seen.image[c] = take_picture(c, tick);
        int code = bex_session_act_seen(session, &seen, action, wants->action);
        if (code < 0) memset(action, 0, sizeof *action * (size_t)wants->action); /* stop first */
        send(action, wants->action);
        check(code, "act");
        next.tv_nsec += PERIOD;
        if (next.tv_nsec >= 1000000000) next.tv_nsec -= 1000000000, next.tv_sec++;
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL)) continue;
    }
    check(bex_session_end(session), "end");
}

int main(int argc, char **argv) {
    int episodes = argc > 2 ? atoi(argv[2]) : 3, ticks = argc > 3 ? atoi(argv[3]) : 100;
    bex_policy *policy;
    bex_session *session;
    bex_contract wants = {.size = sizeof wants};
    bex_latency t = {.size = sizeof t};
    bex_session_options options = BEX_SESSION_OPTIONS_INIT;
    if (argc < 2) return fputs("usage: robot_loop_camera MODEL [episodes] [ticks]\n", stderr), 2;
    check(bex_policy_open(&policy, argv[1]), "policy");
    check(bex_policy_contract(policy, &wants), "contract");
    if (!wants.cameras)
        return fputs("robot_loop_camera: this policy sees no pictures: robot_loop\n", stderr), 1;
    printf("cameras, in this order: %s; seen as %d x %d pixels, turned: %s\n", wants.images,
           wants.image_width, wants.image_height, wants.flip);
    options.deadline = 1e-9 * PERIOD;
    check(bex_session_open(&session, policy, &options), "session");
    float *state = calloc((size_t)wants.state, sizeof *state);
    float *action = calloc((size_t)wants.action, sizeof *action);
    if (!state || !action) return fputs("robot_loop_camera: out of memory\n", stderr), 1;
    for (int i = 0; i < episodes; i++) run_episode(session, &wants, state, action, ticks);
    check(bex_session_latency(session, &t), "latency");
    printf("%lld plans: p50 %.2f ms, p99 %.2f ms; %lld late\n", t.plans, 1e3 * t.p50, 1e3 * t.p99,
           t.missed);
    free(state);
    free(action);
    bex_session_close(session);
    bex_policy_close(policy);
}
