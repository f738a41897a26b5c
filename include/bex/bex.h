/* bex.h - Behavioral Exploration policies from C: the public interface of libbex.
 *
 *     #include <bex/bex.h>
 *     #include <stdio.h>
 *     int main(void) { printf("bex %s\n", bex_version()); }
 *
 * Functions that can fail return 0 or a negative bex_status; bex_error_message() then says why in
 * one line. Nothing here aborts, prints or exits. The policy and session calls come with the policy
 * (docs/design.md); this header then grows, what is here stays. */
#ifndef BEX_BEX_H
#define BEX_BEX_H

#if defined(_WIN32)
#define BEX_API __declspec(dllexport)
#else
#define BEX_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Version of the library that is running, "major.minor.patch". Static storage. */
BEX_API const char *bex_version(void);

/* Why this thread's last failing call failed; "" if none failed. Valid until its next failure. */
BEX_API const char *bex_error_message(void);

/* Route the library's log lines (levels 0 debug, 1 info, 2 warning, 3 error) to a function of
 * yours; NULL, the default, is silence. The line has no newline and dies when the call returns. */
BEX_API void bex_log_to(void (*sink)(int level, const char *line, void *payload), void *payload);

#ifdef __cplusplus
}
#endif

#endif
