/* web/inih/ini.c - splits lines of an INI file as inih does. */
#include "ini.h"

#include <string.h>

enum { LINE = 200, NAME = 50 };
static const char space[] = " \t\n\v\f\r";

static char *trim(char *text) {
    char *end = text + strlen(text);
    while (end > text && strchr(space, end[-1])) *--end = 0;
    return text + strspn(text, space);
}

// the first of `marks` before a comment, which begins with a ';' behind white space; else its end
static char *find(char *text, const char *marks) {
    int was_space = 0;
    while (*text && !strchr(marks, *text) && !(was_space && *text == ';'))
        was_space = strchr(space, *text++) != NULL;
    return text;
}

// one line that is no comment; 0: it is wrong
static int take(char *line, char *section, ini_handler handler, void *user) {
    if (*line == '[') {
        char *end = find(line + 1, "]");
        size_t length = (size_t)(end - line - 1);
        if (*end != ']') return 0;
        if (length >= NAME) length = NAME - 1;
        memcpy(section, line + 1, length);
        section[length] = 0;
        return 1;
    }
    char *middle = find(line, "=:");
    if (*middle != '=' && *middle != ':') return 0;
    *middle = 0;
    *find(middle + 1, "") = 0;
    return handler(user, section, trim(line), trim(middle + 1)) != 0;
}

int ini_parse_stream(ini_reader reader, void *stream, ini_handler handler, void *user) {
    char line[LINE], section[NAME] = "";
    int error = 0;
    for (int number = 1; reader(line, LINE, stream); number++) {
        char *text = trim(line);
        if (!*text || *text == ';' || *text == '#') continue;
        if (!take(text, section, handler, user) && !error) error = number;
    }
    return error;
}
