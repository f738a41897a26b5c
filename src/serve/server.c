#define _GNU_SOURCE // accept4
#include "serve/server.h"

#include "base/clock.h"
#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct {
    int fd;       // -1: free
    double until; // when it is hung up, done or not
    bool answering;
    size_t size, sent; // of the request that has come; of the answer that has gone
    size_t head;
    bex_http_answer answer;
    char text[BEX_HTTP_REQUEST_MOST]; // the request, then the head of the answer
} connection;

struct bex_server {
    int fd, port;
    bool local;
    const bex_served *files;
    int count;
    bex_server_limits limits;
    connection of[BEX_SERVER_CONNECTIONS];
};

static bool is_local(const struct sockaddr *a) {
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

static int listen_at(bex_server *s, const char *address, int port) {
    char service[16];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE},
                    *at;
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    snprintf(service, sizeof service, "%d", port);
    if (getaddrinfo(address, service, &hints, &at) != 0) {
        bex_fail("'%s' is no address", address);
        return bex_fail_hint("a numeric one, such as 127.0.0.1");
    }
    int on = 1;
    s->local = is_local(at->ai_addr);
    s->fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool fine = s->fd >= 0 && setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                bind(s->fd, at->ai_addr, at->ai_addrlen) == 0 && listen(s->fd, 64) == 0 &&
                getsockname(s->fd, (struct sockaddr *)&bound, &size) == 0;
    int why = errno;
    freeaddrinfo(at);
    if (!fine) {
        bex_fail("cannot listen at %s, port %d: %s", address, port, strerror(why));
        return why == EADDRINUSE ? bex_fail_hint("--port 0 takes one that is free") : -1;
    }
    s->port = ntohs(bound.ss_family == AF_INET ? ((struct sockaddr_in *)&bound)->sin_port
                                               : ((struct sockaddr_in6 *)&bound)->sin6_port);
    return 0;
}

bex_server *bex_server_open(const char *address, int port, const bex_served *files, int count,
                            bex_server_limits limits) {
    bex_server *s = calloc(1, sizeof *s);
    if (!s) return bex_fail("out of memory"), NULL;
    s->fd = -1, s->files = files, s->count = count, s->limits = limits;
    for (int i = 0; i < BEX_SERVER_CONNECTIONS; i++) s->of[i].fd = -1;
    if (listen_at(s, address, port) == 0) return s;
    return bex_server_close(s), NULL;
}

static void hang_up(connection *c) {
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
}

void bex_server_close(bex_server *s) {
    if (!s) return;
    for (int i = 0; i < BEX_SERVER_CONNECTIONS; i++) hang_up(&s->of[i]);
    if (s->fd >= 0) close(s->fd);
    free(s);
}

int bex_server_port(const bex_server *s) {
    return s->port;
}

bool bex_server_local(const bex_server *s) {
    return s->local;
}

// as many as there is room for
static void welcome(bex_server *s) {
    for (int i = 0; i < BEX_SERVER_CONNECTIONS; i++) {
        connection *c = &s->of[i];
        if (c->fd >= 0) continue;
        c->fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (c->fd < 0) return;
        c->until = bex_seconds() + s->limits.patience;
        c->answering = false;
        c->size = c->sent = 0;
    }
}

// after the head
static size_t bytes_of(const bex_http_answer *a) {
    return a->body && a->file ? a->file->size : 0;
}

static void decide(bex_server *s, connection *c, bool complete) {
    c->answer = complete ? bex_http_answer_to(c->text, c->size, s->files, s->count, s->local)
                         : (bex_http_answer){.status = 400, .body = true};
    c->head = bex_http_head(c->text, &c->answer);
    c->answering = true;
    c->until =
        bex_seconds() + s->limits.patience + (double)bytes_of(&c->answer) / s->limits.slowest;
}

static void hear(bex_server *s, connection *c) {
    ssize_t n = read(c->fd, c->text + c->size, sizeof c->text - c->size);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        hang_up(c);
        return;
    }
    c->size += (size_t)n;
    bool complete = bex_http_complete(c->text, c->size);
    if (complete || c->size == sizeof c->text) decide(s, c, complete);
}

// what is sent is all sent: the other side may still be talking, and a close would cut off what it has not
// read. One who never stops talking is cut off
static void finish(connection *c) {
    char rest[1024];
    shutdown(c->fd, SHUT_WR);
    for (int i = 0; i < 64 && read(c->fd, rest, sizeof rest) > 0; i++) {
    }
    hang_up(c);
}

static void speak(connection *c) {
    const bex_served *f = c->answer.file;
    size_t all = c->head + bytes_of(&c->answer);
    while (c->sent < all) {
        bool head = c->sent < c->head;
        const char *from = head ? c->text + c->sent : (const char *)f->bytes + (c->sent - c->head);
        ssize_t n = send(c->fd, from, head ? c->head - c->sent : all - c->sent, MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n <= 0) {
            hang_up(c);
            return;
        }
        c->sent += (size_t)n;
    }
    finish(c);
}

int bex_server_turn(bex_server *s, int milliseconds) {
    struct pollfd polled[BEX_SERVER_CONNECTIONS + 1];
    double now = bex_seconds();
    bool room = false;
    for (int i = 0; i < BEX_SERVER_CONNECTIONS; i++) {
        connection *c = &s->of[i];
        if (c->fd >= 0 && now > c->until) hang_up(c);
        room |= c->fd < 0;
        polled[i] = (struct pollfd){.fd = c->fd, .events = c->answering ? POLLOUT : POLLIN};
    }
    polled[BEX_SERVER_CONNECTIONS] = (struct pollfd){.fd = room ? s->fd : -1, .events = POLLIN};
    int n = poll(polled, BEX_SERVER_CONNECTIONS + 1, milliseconds);
    if (n < 0) return errno == EINTR ? 0 : bex_fail("cannot serve on: %s", strerror(errno));
    for (int i = 0; n > 0 && i < BEX_SERVER_CONNECTIONS; i++) {
        if (polled[i].fd < 0 || !polled[i].revents) continue;
        if (!s->of[i].answering) hear(s, &s->of[i]);
        if (s->of[i].fd >= 0 && s->of[i].answering) speak(&s->of[i]);
    }
    if (polled[BEX_SERVER_CONNECTIONS].revents) welcome(s);
    return 0;
}
