/* The server over real sockets: a large file whole, many at once, clients that dawdle, stop or never ask. */
#define _GNU_SOURCE
#include "serve/server.h"

#include "base/clock.h"
#include "base/error.h"

#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

enum { LARGE = 3 << 20 };
static unsigned char large[LARGE];
static const bex_served files[] = {{"/", "text/html", "page", 4},
                                   {"/large", "application/octet-stream", large, LARGE}};

static int reach(const bex_server *s) {
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)bex_server_port(s)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) < 0) assert_int_equal(errno, EINPROGRESS);
    return fd;
}

static void say(bex_server *s, int fd, const char *text) {
    for (int i = 0; i < 100; i++) {
        if (send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text)) return;
        assert_int_equal(bex_server_turn(s, 1), 0);
    }
    fail_msg("cannot send: %s", strerror(errno));
}

// all that comes until the other side hangs up; returns how much
static size_t hear(bex_server *s, int fd, char *into, size_t room) {
    size_t n = 0;
    for (int i = 0; i < 100000; i++) {
        ssize_t got = read(fd, into + n, room - n);
        if (got == 0) break;
        if (got > 0)
            n += (size_t)got;
        else if (errno != EAGAIN && errno != ENOTCONN)
            break;
        assert_int_equal(bex_server_turn(s, 1), 0);
    }
    close(fd);
    return n;
}

// so patient that no machine is too slow for a test
static const bex_server_limits patient = {.patience = 3600, .slowest = 1};

static bex_server *start_with(const bex_served *table, int count, bex_server_limits limits) {
    bex_server *s = bex_server_open("127.0.0.1", 0, table, count, limits);
    if (!s) fail_msg("%s", bex_error());
    assert_true(bex_server_port(s) > 0 && bex_server_local(s));
    return s;
}

static bex_server *start(void) {
    return start_with(files, 2, patient);
}

static void gives_a_large_file_whole(void **state) {
    (void)state;
    for (int i = 0; i < LARGE; i++) large[i] = (unsigned char)(i * 2654435761u >> 13);
    bex_server *s = start();
    char *got = malloc(LARGE + 4096);
    int fd = reach(s);
    say(s, fd, "GET /large HTTP/1.1\r\nHo");
    say(s, fd, "st: 127.0.0.1\r\n\r\n");
    size_t n = hear(s, fd, got, LARGE + 4096);
    got[n < LARGE ? n : 12] = 0;
    assert_true(n > LARGE && !memcmp(got, "HTTP/1.1 200", 12));
    assert_memory_equal(got + n - LARGE, large, LARGE);
    free(got);
    bex_server_close(s);
}

static void one_who_dawdles_holds_up_nobody(void **state) {
    (void)state;
    bex_server *s = start();
    char got[4096];
    int idle[20], gone = reach(s);
    for (int i = 0; i < 20; i++) idle[i] = reach(s);
    say(s, idle[0], "GET / HT");
    say(s, gone, "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    close(gone);
    for (int i = 0; i < 30; i++) {
        int fd = reach(s);
        say(s, fd,
            i % 2 ? "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
                  : "GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n");
        size_t n = hear(s, fd, got, sizeof got - 1);
        got[n] = 0;
        assert_non_null(strstr(got, i % 2 ? "200 OK" : "404 Not Found"));
        if (i % 2) assert_string_equal(got + n - 4, "page");
    }
    for (int i = 0; i < 20; i++) close(idle[i]);
    bex_server_close(s);
}

// more than there is room for wait; those served make room
static void more_than_there_is_room_for_wait(void **state) {
    enum { MANY = BEX_SERVER_CONNECTIONS + 10 };
    (void)state;
    bex_server *s = start();
    int fd[MANY];
    char got[4096];
    for (int i = 0; i < MANY; i++) {
        fd[i] = reach(s);
        assert_int_equal(bex_server_turn(s, 1), 0);
    }
    for (int i = 0; i < MANY; i++) {
        say(s, fd[i], "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        got[hear(s, fd[i], got, sizeof got - 1)] = 0;
        assert_non_null(strstr(got, "200 OK"));
    }
    bex_server_close(s);
}

static void an_endless_head_is_refused(void **state) {
    (void)state;
    bex_server *s = start();
    char much[BEX_HTTP_REQUEST_MOST + 1], got[4096];
    memset(much, 'a', sizeof much - 1);
    much[sizeof much - 1] = 0;
    int fd = reach(s);
    say(s, fd, much);
    got[hear(s, fd, got, sizeof got - 1)] = 0;
    assert_non_null(strstr(got, "400 Bad Request"));
    bex_server_close(s);
}

// those who say nothing, and one who never stops saying: hung up, and their connections serve others
static void who_brings_no_request_is_hung_up(void **state) {
    (void)state;
    bex_server *s = start_with(files, 2, (bex_server_limits){.patience = 0.2, .slowest = 1});
    char got[64];
    int fd[2 * BEX_SERVER_CONNECTIONS];
    for (int i = 0; i < 2 * BEX_SERVER_CONNECTIONS; i++) fd[i] = reach(s);
    for (int i = 0; i < 2 * BEX_SERVER_CONNECTIONS; i++)
        assert_int_equal(hear(s, fd[i], got, sizeof got), 0);
    int talks = reach(s);
    while (send(talks, "a", 1, MSG_NOSIGNAL) == 1 || errno == EAGAIN || errno == ENOTCONN)
        assert_int_equal(bex_server_turn(s, 1), 0);
    close(talks);
    bex_server_close(s);
}

// what the system holds for him is all he gets
static void who_takes_no_answer_is_hung_up(void **state) {
    enum { LARGER = 64 << 20, BATCH = 1 << 20 };
    static unsigned char larger[LARGER];
    static char got[BATCH];
    const bex_served file = {"/", "application/octet-stream", larger, LARGER};
    (void)state;
    bex_server *s = start_with(&file, 1, (bex_server_limits){.patience = 0.2, .slowest = 1e9});
    int fd = reach(s);
    say(s, fd, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    for (double end = bex_seconds() + 1; bex_seconds() < end;)
        assert_int_equal(bex_server_turn(s, 10), 0);
    size_t all = 0;
    for (ssize_t n; (n = read(fd, got, BATCH)) != 0; all += n > 0 ? (size_t)n : 0) {
        if (n < 0 && errno != EAGAIN) break;
        assert_int_equal(bex_server_turn(s, 1), 0);
    }
    assert_true(all > 0 && all < LARGER);
    close(fd);
    bex_server_close(s);
}

static void says_why_it_cannot_listen(void **state) {
    (void)state;
    bex_server *s = start();
    assert_null(bex_server_open("127.0.0.1", bex_server_port(s), files, 2, patient));
    assert_message("cannot listen at 127.0.0.1");
    assert_null(bex_server_open("nowhere", 0, files, 2, patient));
    assert_message("'nowhere' is no address");
    bex_server *all = bex_server_open("0.0.0.0", 0, files, 2, patient);
    assert_non_null(all);
    assert_false(bex_server_local(all));
    bex_server_close(all);
    bex_server_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_a_large_file_whole),
        cmocka_unit_test(one_who_dawdles_holds_up_nobody),
        cmocka_unit_test(more_than_there_is_room_for_wait),
        cmocka_unit_test(an_endless_head_is_refused),
        cmocka_unit_test(who_brings_no_request_is_hung_up),
        cmocka_unit_test(who_takes_no_answer_is_hung_up),
        cmocka_unit_test(says_why_it_cannot_listen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
