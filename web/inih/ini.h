/* web/inih/ini.h - the one function of inih that libbex calls (base/config.c), for WebAssembly, where
 * Debian has no inih to link. tests/web/test_ini.c holds it to the real one. */
#ifndef BEX_WEB_INIH_INI_H
#define BEX_WEB_INIH_INI_H

typedef int (*ini_handler)(void *user, const char *section, const char *name, const char *value);
typedef char *(*ini_reader)(char *line, int size, void *stream);

/* Lines of at most 198 bytes from `reader`, until it gives NULL; the handler's 0 is an error. Returns the
 * number of the first line in error, 0 for none. What libbex's reader never gives is left out: indented
 * lines, which inih takes as more of the value before. */
int ini_parse_stream(ini_reader reader, void *stream, ini_handler handler, void *user);

#endif
