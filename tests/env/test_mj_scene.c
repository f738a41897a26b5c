/* Scenes with files in memory: meshes as OBJ and STL, a PNG texture, included MJCF; each mistake one line,
 * and nothing is ever read from the disk. */
#include "env/mj.h"

#include "base/error.h"
#include "env/mj_scene.h"

#include "test.h"

#include <math.h>
#include <unistd.h>

static const char obj[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

// the same tetrahedron as binary STL: 80 bytes, a count, triangles of 12 floats and 2 bytes
static size_t make_stl(unsigned char out[512]) {
    static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    unsigned count = 4;
    memset(out, 0, 512);
    memcpy(out + 80, &count, 4);
    unsigned char *at = out + 84;
    for (int f = 0; f < 4; f++, at += 50)
        for (int k = 0; k < 3; k++) memcpy(at + 12 + 12 * k, corner[face[f][k]], 12);
    return (size_t)(at - out);
}

static unsigned crc32_of(const unsigned char *data, size_t n) {
    unsigned crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

static void put32(unsigned char *at, unsigned value) {
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> (24 - 8 * i));
}

static size_t put_chunk(unsigned char *at, const char *kind, const unsigned char *data, size_t n) {
    put32(at, (unsigned)n);
    memcpy(at + 4, kind, 4);
    if (n) memcpy(at + 8, data, n);
    put32(at + 8 + n, crc32_of(at + 4, 4 + n));
    return 12 + n;
}

// 2 x 2 pixels, 8 bits, RGB, stored without compression
static size_t make_png(unsigned char out[256]) {
    static const unsigned char magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    static const unsigned char head[13] = {0, 0, 0, 2, 0, 0, 0, 2, 8, 2, 0, 0, 0};
    static const unsigned char rows[14] = {0, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255, 9, 8, 7};
    unsigned char data[64] = {0x78, 0x01, 1, 14, 0, 0xF1, 0xFF};
    unsigned a = 1, b = 0;
    memcpy(data + 7, rows, sizeof rows);
    for (size_t i = 0; i < sizeof rows; i++) a = (a + rows[i]) % 65521, b = (b + a) % 65521;
    put32(data + 7 + sizeof rows, b << 16 | a);
    memcpy(out, magic, 8);
    size_t n = 8 + put_chunk(out + 8, "IHDR", head, sizeof head);
    n += put_chunk(out + n, "IDAT", data, 7 + sizeof rows + 4);
    return n + put_chunk(out + n, "IEND", NULL, 0);
}

static const char scene[] =
    "<mujoco><compiler meshdir='assets'/>\n"
    "<!-- file='nowhere.obj' is a remark -->\n"
    "<asset><mesh name='a' file='tetra.obj'/><mesh name='b' file=\"Sub/TETRA2.stl\"/>\n"
    "<texture name='t' type='2d' file='dots.png'/><material name='m' texture='t'/></asset>\n"
    "<include file='more.xml'/>\n"
    "<worldbody><body><freejoint/><geom type='mesh' mesh='a' material='m'/></body></worldbody>\n"
    "</mujoco>";
static const char more[] =
    "<mujoco><worldbody><body pos='3 0 0'><freejoint/><geom type='mesh' mesh='b'/></body>"
    "</worldbody></mujoco>";

static unsigned char stl[512], png[256];
static bex_mj_file files[4] = {{"tetra.obj", obj, sizeof obj - 1},
                               {"tetra2.stl", stl, 0},
                               {"dots.png", png, 0},
                               {"more.xml", more, sizeof more - 1}};

// kg of one body with this mesh
static double mass_of(const char *mesh) {
    char xml[300];
    bex_mj_model *m;
    snprintf(xml, sizeof xml,
             "<mujoco><asset><mesh name='m' file='%s'/></asset><worldbody><body><freejoint/>"
             "<geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
             mesh);
    if (bex_mj_scene_load(&m, &(bex_mj_scene){.xml = xml, .files = files, .count = 4}, mesh) < 0)
        fail_msg("%s", bex_error());
    double kg = bex_mj_model_mass(m);
    bex_mj_model_free(m);
    return kg;
}

static void meshes_and_textures_load(void **state) {
    (void)state;
    bex_mj_model *m;
    if (bex_mj_scene_load(&m, &(bex_mj_scene){.xml = scene, .files = files, .count = 4},
                          "tetrahedra") < 0)
        fail_msg("%s", bex_error());
    assert_int_equal(m->nq, 14);
    // the same body in two formats
    assert_true(fabs(bex_mj_model_mass(m) - 2 * mass_of("tetra.obj")) < 0.01);
    assert_true(fabs(mass_of("tetra.obj") - mass_of("tetra2.stl")) < 1e-3);
    assert_true(mass_of("tetra.obj") > 1);
    bex_mj_sim s;
    assert_int_equal(bex_mj_sim_init(&s, m), 0);
    assert_int_equal(bex_mj_sim_step(&s, 10), 0);
    bex_mj_sim_fini(&s);
    bex_mj_model_free(m);
}

static void refused(bex_mj_scene wrong, const char *part) {
    bex_mj_model *m = (bex_mj_model *)&wrong;
    assert_true(bex_mj_scene_load(&m, &wrong, "table 3") < 0);
    assert_null(m);
    assert_message("table 3");
    assert_message(part);
    assert_null(strchr(bex_error(), '\n'));
}

static void what_is_missing_is_named(void **state) {
    (void)state;
    static const char *const names[] = {"tetra.obj", "TETRA2.stl", "dots.png", "more.xml"};
    for (int gone = 0; gone < 4; gone++) {
        bex_mj_file rest[3];
        for (int i = 0, n = 0; i < 4; i++)
            if (i != gone) rest[n++] = files[i];
        refused((bex_mj_scene){.xml = scene, .files = rest, .count = 3}, names[gone]);
    }
    refused((bex_mj_scene){.xml = scene}, "no file 'tetra.obj' among the 0 of the scene");
    static const char inner[] = "<mujoco><asset><mesh file='deep.obj'/></asset></mujoco>";
    bex_mj_file outer = {"more.xml", inner, sizeof inner - 1};
    refused((bex_mj_scene){.xml = "<mujoco><include file='more.xml'/></mujoco>",
                           .files = &outer,
                           .count = 1},
            "more.xml: no file 'deep.obj'");
    refused((bex_mj_scene){.xml = "<mujoco><asset><texture type='skybox' fileup='up.png'/></asset>"
                                  "</mujoco>"},
            "'up.png'");
}

/* MuJoCo would look in the current folder. */
static void the_disk_is_never_read(void **state) {
    (void)state;
    const char *path = scratch_path("disk.obj");
    char xml[1200];
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(obj, f);
    fclose(f);
    snprintf(xml, sizeof xml,
             "<mujoco><asset><mesh name='m' file\n = '%s'/></asset><worldbody><geom type='mesh' "
             "mesh='m'/></worldbody></mujoco>",
             path);
    refused((bex_mj_scene){.xml = xml}, "disk.obj");
    unlink(path);
}

static void wrong_files_are_messages(void **state) {
    (void)state;
    static char longest[1200];
    memset(longest, 'x', sizeof longest - 1);
    static struct {
        bex_mj_file file;
        const char *part;
    } bad[] = {
        {{"tetra.obj", "", 0}, "'tetra.obj' is empty"},
        {{"a/tetra.obj", obj, sizeof obj - 1}, "a folder in its name"},
        {{longest, obj, sizeof obj - 1}, "too long a name"},
        {{"model.xml", obj, sizeof obj - 1}, "'model.xml': given twice"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused((bex_mj_scene){.xml = "<mujoco/>", .files = &bad[i].file, .count = 1}, bad[i].part);
    bex_mj_file damaged[4];
    memcpy(damaged, files, sizeof damaged);
    damaged[2].size = 20;
    refused((bex_mj_scene){.xml = scene, .files = damaged, .count = 4}, "PNG");
    damaged[2] = files[2];
    damaged[1].size = 90;
    refused((bex_mj_scene){.xml = scene, .files = damaged, .count = 4}, "STL");
}

/* The check alone, on what is hardly XML: it neither reads past the end nor stops a scene MuJoCo should
 * judge. */
static void malformed_text_is_left_to_mujoco(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",     " file",      " file=",       " file='x",  "<!-- file", " file x='y'",
        "<!--", " file = \"", " profile='x'", "afile='x'", " file='' x"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool named = strstr(texts[i], "file='' x");
        assert_int_equal(bex_mj_scene_check(&(bex_mj_scene){.xml = texts[i]}), named ? -1 : 0);
    }
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    files[1].size = make_stl(stl);
    files[2].size = make_png(png);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_and_textures_load),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(the_disk_is_never_read),
        cmocka_unit_test(wrong_files_are_messages),
        cmocka_unit_test(malformed_text_is_left_to_mujoco),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
