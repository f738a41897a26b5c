/* env/tabletop/kinds.c - the two tables. */
#include "env/tabletop/kinds.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#define HOPE    "stable_hope_objects"
#define SCANNED "stable_scanned_objects"
#define TURBO   "turbosquid_objects"
#define HINGED  "articulated_objects"
#define Q       0.70710678118654752
#define YAW0                                                                                       \
    { 1, 0, 0, 0 }
#define YAW90                                                                                      \
    { Q, 0, 0, Q }
#define YAW180                                                                                     \
    { 0, 0, 0, 1 }
#define YAW_90                                                                                     \
    { -Q, 0, 0, Q }
#define UPRIGHT                                                                                    \
    { 0, 0, Q, Q }
#define STANDING                                                                                   \
    { 0.5, 0.5, 0.5, 0.5 }
#define QUARTER 1.57079632679489662

static const bex_kind kinds[] = {
    {.name = "alphabet_soup", .folder = HOPE, .quat = UPRIGHT},
    {.name = "tomato_sauce", .folder = HOPE, .quat = UPRIGHT},
    {.name = "butter", .folder = HOPE, .quat = YAW180, .copies = 2},
    {.name = "chocolate_pudding", .folder = HOPE, .quat = YAW180},
    {.name = "cream_cheese", .folder = HOPE, .quat = YAW180},
    {.name = "ketchup", .folder = HOPE, .quat = STANDING},
    {.name = "milk", .folder = HOPE, .quat = STANDING},
    {.name = "orange_juice", .folder = HOPE, .quat = STANDING},
    {.name = "new_salad_dressing", .folder = HOPE, .quat = STANDING},
    {.name = "akita_black_bowl", .folder = SCANNED, .quat = YAW90, .copies = 3},
    {.name = "white_bowl", .folder = SCANNED, .quat = YAW90},
    {.name = "plate", .folder = SCANNED, .quat = YAW90, .copies = 2},
    {.name = "basket", .folder = SCANNED, .quat = YAW90},
    {.name = "chefmate_8_frypan", .folder = SCANNED, .quat = YAW90},
    {.name = "moka_pot", .folder = TURBO, .quat = YAW180, .copies = 2},
    {.name = "wine_bottle", .folder = TURBO, .quat = YAW180},
    {.name = "wooden_tray", .folder = TURBO, .quat = YAW180},
    {.name = "porcelain_mug", .folder = TURBO, .quat = YAW_90},
    {.name = "red_coffee_mug", .folder = TURBO, .quat = YAW_90},
    {.name = "white_yellow_mug", .folder = TURBO, .quat = YAW_90},
    {.name = "black_book", .folder = TURBO, .quat = YAW_90, .turn = {-QUARTER, -QUARTER / 2}},
    {.name = "yellow_book",
     .folder = TURBO,
     .quat = YAW_90,
     .turn = {-QUARTER, -QUARTER / 2},
     .copies = 2},
    {.name = "desk_caddy", .folder = TURBO, .fixture = true, .quat = YAW0},
    {.name = "wine_rack", .folder = TURBO, .fixture = true, .quat = YAW0},
    {.name = "wooden_two_layer_shelf", .folder = TURBO, .fixture = true, .quat = YAW0},
    {.name = "wooden_cabinet",
     .folder = HINGED,
     .fixture = true,
     .quat = YAW0,
     .open = {-0.16, -0.14},
     .closed = {0, 0.005},
     .joints = 3},
    {.name = "white_cabinet",
     .folder = HINGED,
     .fixture = true,
     .quat = YAW0,
     .open = {-0.16, -0.14},
     .closed = {0, 0.005},
     .joints = 3},
    {.name = "microwave",
     .folder = HINGED,
     .fixture = true,
     .quat = YAW0,
     .open = {-2.094, -1.3},
     .closed = {-0.005, 0},
     .joints = 1},
    {.name = "flat_stove",
     .folder = HINGED,
     .fixture = true,
     .quat = YAW0,
     .open = {0.5, 2.1},
     .closed = {-0.005, 0},
     .joints = 1},
};

const bex_kind *bex_kind_at(int i) {
    return i >= 0 && (size_t)i < sizeof kinds / sizeof *kinds ? &kinds[i] : NULL;
}

const bex_kind *bex_kind_named(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    return NULL;
}

#define HIGH_VIEW                                                                                  \
    { 0.6380177736282349, 0.3048497438430786, 0.30484986305236816, 0.6380177736282349 }

static const bex_room rooms[] = {
    {.problem = "LIBERO_Kitchen_Tabletop_Manipulation",
     .table = "kitchen_table",
     .arena = "libero_kitchen_tabletop_base_style",
     .body = "table",
     .origin = {0, 0, 0.90},
     .top = 0.90,
     .thickness = 0.05,
     .base = {-0.66, 0, 0.912},
     .mount = true,
     .camera = {0.6586131746834771, 0, 1.6103500240372423},
     .view = HIGH_VIEW,
     .floor = "gray_ceramic_tile.png",
     .wall = "yellow_linen_wall_texture.png"},
    {.problem = "LIBERO_Living_Room_Tabletop_Manipulation",
     .table = "living_room_table",
     .arena = "libero_living_room_tabletop_base_style",
     .body = "living_room_table",
     .origin = {0, 0, 0.41},
     .top = 0.43676,
     .thickness = 0.024,
     .region_z = 0.41,
     .base = {-0.51, 0, 0.42},
     .camera = {0.6065773716836134, 0, 0.96},
     .view = {0.6182166934013367, 0.3432307541370392, 0.3432314395904541, 0.6182177066802979},
     .floor = "seamless_wood_planks_floor.png",
     .wall = "light-gray-plaster.png"},
    {.problem = "LIBERO_Study_Tabletop_Manipulation",
     .table = "study_table",
     .arena = "libero_study_base_style",
     .body = "study_table",
     .origin = {-0.2, 0, 0.867},
     .top = 0.88513,
     .thickness = 0.05,
     .region_z = 0.867,
     .base = {-0.75, 0, 0.912},
     .mount = true,
     .camera = {0.4586131746834771, 0, 1.6103500240372423},
     .view = HIGH_VIEW,
     .floor = "light-gray-floor-tile.png",
     .wall = "light-gray-plaster.png"},
};

const bex_room *bex_room_of(const char *problem) {
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        if (!strcasecmp(rooms[i].problem, problem)) return &rooms[i];
    return NULL;
}
