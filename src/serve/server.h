/* serve/server.h - a table of files, in memory, to whoever asks: one thread, a fixed number of connections.
 *
 * Names are looked up in the table (serve/http.h): no request ever opens a file. Nobody holds a connection
 * for long: the request must be there within `patience`, the answer be taken within the same and what its
 * bytes last at the `slowest` rate. Of what is said after a request, at most 64 KiB are read.
 * Where all connections are taken, others wait in the system's queue. After open nothing allocates. */
#ifndef BEX_SERVE_SERVER_H
#define BEX_SERVE_SERVER_H

#include "serve/http.h"

enum { BEX_SERVER_CONNECTIONS = 64 };

typedef struct bex_server_limits {
    double patience; // seconds
    double slowest;  // bytes per second
} bex_server_limits;

#define BEX_SERVER_LIMITS ((bex_server_limits){.patience = 10, .slowest = 65536})

typedef struct bex_server bex_server;

/* address: a numeric one, of IPv4 or IPv6; port 0: any that is free. The files are borrowed. NULL with a
 * message. */
bex_server *bex_server_open(const char *address, int port, const bex_served *files, int count,
                            bex_server_limits limits);
void bex_server_close(bex_server *server); // NULL is fine

int bex_server_port(const bex_server *server);
bool bex_server_local(const bex_server *server); // nobody but this machine can reach it

/* Serves for so many milliseconds at most, or until something was done. 0, or negative with a message. */
int bex_server_turn(bex_server *server, int milliseconds);

#endif
