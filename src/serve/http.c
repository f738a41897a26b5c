#include "serve/http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

// one header line's value, trimmed; false: there is no such header
static bool header(const char *text, size_t n, const char *name, const char **value,
                   size_t *length) {
    size_t wanted = strlen(name);
    const char *end = text + n, *line = memchr(text, '\n', n);
    while (line && ++line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) return false;
        if ((size_t)(stop - line) > wanted && line[wanted] == ':' &&
            !strncasecmp(line, name, wanted)) {
            const char *from = line + wanted + 1, *to = stop;
            while (from < to && (*from == ' ' || *from == '\t')) from++;
            while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '\r')) to--;
            *value = from, *length = (size_t)(to - from);
            return true;
        }
        line = stop;
    }
    return false;
}

bool bex_http_complete(const char *text, size_t n) {
    for (size_t i = 0; i + 1 < n; i++) {
        if (text[i] != '\n') continue;
        if (text[i + 1] == '\n' || (i + 2 < n && text[i + 1] == '\r' && text[i + 2] == '\n'))
            return true;
    }
    return false;
}

// "localhost", "127.0.0.1" or "[::1]", with or without a port
static bool is_loopback(const char *host, size_t n) {
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        if (n >= length && !strncasecmp(host, names[i], length) &&
            (n == length || host[length] == ':'))
            return true;
    }
    return false;
}

static bool is_word(const char *text, size_t n, const char *word) {
    return n == strlen(word) && !memcmp(text, word, n);
}

bex_http_answer bex_http_answer_to(const char *text, size_t n, const bex_served *files, int count,
                                   bool local) {
    const char *line_end = memchr(text, '\n', n), *host;
    size_t host_length;
    bex_http_answer a = {.status = 400, .body = true};
    if (!line_end || memchr(text, 0, n)) return a;
    const char *target = memchr(text, ' ', (size_t)(line_end - text));
    if (!target++) return a;
    const char *version = memchr(target, ' ', (size_t)(line_end - target));
    if (!version || strncmp(version, " HTTP/1.", 8) != 0) return a;
    size_t method = (size_t)(target - 1 - text), length = (size_t)(version - target);
    a.body = !is_word(text, method, "HEAD");
    if (a.body && !is_word(text, method, "GET")) return a.status = 405, a;
    if (local && (!header(text, n, "Host", &host, &host_length) || !is_loopback(host, host_length)))
        return a.status = 403, a;
    const char *query = memchr(target, '?', length);
    if (query) length = (size_t)(query - target);
    a.status = 404;
    for (int i = 0; i < count; i++)
        if (is_word(target, length, files[i].name)) a.status = 200, a.file = &files[i];
    return a;
}

static const char *reason(int status) {
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    default:
        return "Method Not Allowed";
    }
}

size_t bex_http_head(char out[BEX_HTTP_HEAD_MOST], const bex_http_answer *a) {
    const char *why = reason(a->status);
    // what the page may do: its own script and style, the engine in a worker, files of this server;
    // nothing elsewhere
    int n = snprintf(
        out, BEX_HTTP_HEAD_MOST,
        "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
        "Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
        "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; "
        "style-src 'unsafe-inline'; img-src data:; connect-src 'self'; worker-src blob:\r\n%s\r\n%s%s",
        a->status, why, a->file ? a->file->type : "text/plain; charset=utf-8",
        a->file ? a->file->size : strlen(why) + 1, a->status == 405 ? "Allow: GET, HEAD\r\n" : "",
        a->file || !a->body ? "" : why, a->file || !a->body ? "" : "\n");
    return n < 0 ? 0 : (size_t)n;
}
