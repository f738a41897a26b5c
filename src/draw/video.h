/* draw/video.h - frames of pixels into an H.264 file (.mp4), through the program ffmpeg.
 *
 *     bex_video *v;
 *     if (bex_video_open(&v, "run.mp4", 640, 480, 25) < 0) ...
 *     for (...) bex_video_add(v, rgb);
 *     if (bex_video_commit(v) < 0) ...
 *     bex_video_free(v);
 *
 * ffmpeg is looked for when a video is opened, not when bex is built: it takes the frames on its standard
 * input and writes beside the path, which gets its name in commit. */
#ifndef BEX_DRAW_VIDEO_H
#define BEX_DRAW_VIDEO_H

typedef struct bex_video bex_video;

/* Sizes even and positive. Negative with a message, e.g. where there is no ffmpeg. */
int bex_video_open(bex_video **out, const char *path, int width, int height, double fps);

/* rgb (height, width, 3), top row first. */
int bex_video_add(bex_video *v, const unsigned char *rgb);

int bex_video_commit(bex_video *v);
void bex_video_free(bex_video *v); // NULL is fine; before commit: discards

#endif
