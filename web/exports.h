/* web/exports.h - the functions of web/exports.c, exported from the page's WebAssembly module under these
 * names. */
#ifndef BEX_WEB_EXPORTS_H
#define BEX_WEB_EXPORTS_H

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#define PG_API EMSCRIPTEN_KEEPALIVE
#else
#define PG_API
#endif

PG_API const char *pg_error(void);

/* The stage (web/stage.h). Each of the first four closes the walkers and the fan. */
PG_API int pg_policy(const void *bytes, int size); // which kind it is
PG_API int pg_demonstrations(const unsigned char *bytes, int size);
PG_API int pg_maze(const unsigned char *wall, int rows, int cols, int start_row, int start_col);
PG_API void pg_seed(unsigned seed);
PG_API int pg_draw(const float *points, int n);
PG_API void pg_forget(int keep);
PG_API int pg_past_rows(int episode); // -1: there is none
PG_API const float *pg_past_states(int episode);
PG_API unsigned pg_digest(void);
PG_API int pg_demonstration_rows(void); // of each
PG_API const float *pg_demonstration(int episode);
PG_API int pg_setting(int kind, const char *key, char *value); // value: 192 bytes
PG_API int pg_has_coverage(int kind);

/* Walkers (web/walker.h): 0 the hero, 1 the ghost. */
PG_API int pg_walker(int who, int kind, const char *exp, int episode, int past);
PG_API int pg_begin(int who);
PG_API int pg_run(int who, int steps);
PG_API int pg_end(int who, int remember);
PG_API int pg_steps(int who);
PG_API const float *pg_states(int who);

/* The fan (web/fan.h). */
PG_API int pg_fan_open(int kind, const char *exp);
PG_API int pg_fan_spread(float x, float y);
PG_API int pg_fan_grow(void);
PG_API int pg_fan_count(void);
PG_API int pg_fan_best(void);
PG_API int pg_fan_points(int i);
PG_API float pg_fan_value(int i);
PG_API const float *pg_fan_path(int i);

/* Two goals (theory/explorer.h): what the explorer will do, an episode of his, one of the demonstrator's
 * copy, and how many episodes the copy is expected to need for both. */
PG_API int pg_goals(double p, unsigned seed);
PG_API double pg_goals_chance(void); // of goal 2
PG_API int pg_goals_explore(void);   // 0 or 1
PG_API int pg_goals_clone(void);
PG_API double pg_goals_expected(void);

#endif
