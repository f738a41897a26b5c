/* The real robomimic Lift file with 84 x 84 pictures (one human demonstration, 48 steps): a policy that
 * sees nothing
 * but pictures overfits it until the chunks are reproduced, and other pictures cost it its loss. SKIP
 * where the file
 * is not beside the sources (it is nobody's to copy). */
#include "agent/imitation/imitation.h"
#include "data/load.h"
#include "data/subset.h"
#include "policy/control.h"

#include "agent/walks.h"

#include <unistd.h>

#define LIFT BEX_SOURCE_DIR "/../shared/data/robosuite_demos/robomimic_mh_lift_image.hdf5"

#ifdef __SANITIZE_ADDRESS__
enum { STEPS = 3 };
#else
enum { STEPS = 300 };
#endif

// twice the same episode, one of them to be held out: what is learned by heart is judged on itself
static bex_dataset *load_twice(const char *path) {
    bex_load_options o = BEX_LOAD_INIT;
    o.images = "agentview_image,robot0_eye_in_hand_image";
    o.keys = "robot0_gripper_qvel"; // next to nothing
    o.pictures.size = 48;
    bex_dataset *d = bex_dataset_load(path, &o);
    if (!d) fail_msg("%s", bex_error());
    bex_dataset *twice = bex_dataset_subset(d, (const int[]){0, 0}, 2);
    assert_non_null(twice);
    bex_dataset_free(d);
    return twice;
}

// RMS of planned actions from the demonstrator's, in shares of their RMS from the mean
static double chunk_error(const bex_policy *p, bex_dataset *d) {
    bex_control *c = bex_control_new(p, NULL, 0);
    assert_non_null(c);
    double error = 0, scale = 0;
    static unsigned char picture[2][84 * 84 * 3];
    for (int t = 0; t + 4 < 48; t += 4) {
        bex_real chunk[4 * 7];
        for (int i = 0; i < 2; i++)
            assert_int_equal(bex_pictures_read(d->pictures, t, i, picture[i]), 0);
        bex_observation obs = {.state = d->observations + t * d->O,
                               .image = {picture[0], picture[1]}};
        if (bex_control_plan_from(c, &obs, NULL, NULL, chunk) < 0) fail_msg("%s", bex_error());
        for (int i = 0; i < 4 * 7; i++) {
            double a = (double)d->actions[t * 7 + i];
            error += pow((double)chunk[i] - a, 2), scale += pow(a - (i % 7 == 6 ? -0.8 : 0), 2);
        }
    }
    bex_control_free(c);
    return sqrt(error / scale);
}

static void it_learns_a_real_demonstration_by_heart(void **state) {
    (void)state;
    const char *path = getenv("BEX_LIFT_IMAGE") ? getenv("BEX_LIFT_IMAGE") : LIFT;
    if (access(path, F_OK) != 0) {
        puts("SKIP: no robomimic Lift file with pictures (../shared/data/robosuite_demos)");
        skip();
    }
    bex_train_config c = walk_config(
        "train.agent=bc model.width=64 model.heads=4 model.feedforward=128 model.chunk=4 "
        "diffusion.predicts=chunk train.batch=24 train.lanes=4 train.micro=6 train.lr=2e-3 "
        "train.crop=1 train.warmup=10 train.steps=400 vision.channels=16 data.held_out=0.5 "
        "train.evaluate_windows=48 train.threads=1");
    bex_agent *a = bex_agent_new(&c, &(bex_sources){.data = load_twice(path)});
    if (!a) fail_msg("%s", bex_error());
    bex_update u;
    bex_evaluation e;
    double first = 0;
    for (int64_t s = 0; s < STEPS; s++) {
        if (a->class->update(a, s, &u) < 0) fail_msg("%s", bex_error());
        if (!s) first = u.loss;
    }
    if (a->class->evaluate(a, &e) < 0) fail_msg("%s", bex_error());
    bex_dataset *d = load_twice(path);
    double error = chunk_error(((bex_imitation *)a)->policy, d);
    printf("loss %.4f to %.4f; with other pictures %.4f; chunks off by %.3f\n", first, e.score,
           e.more[BEX_JUDGED_OTHER_PICTURES], error);
    if (STEPS > 100) {
        assert_true(e.score < 0.1 * first);
        assert_true(e.more[BEX_JUDGED_OTHER_PICTURES] > 5 * e.score);
        assert_true(error < 0.2);
    }
    bex_dataset_free(d);
    a->class->free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_learns_a_real_demonstration_by_heart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
