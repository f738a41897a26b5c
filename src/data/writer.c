/* data/writer.c - gather rows into whole chunks, write to a temporary name, rename. */
#include "data/writer.h"

#include "base/error.h"
#include "base/file.h"
#include "base/real.h"
#include "data/dataset.h"
#include "data/hdf5_write.h"
#include "data/writer_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CHUNK = 4096, LEAST_CHUNK = 16, CHUNK_BYTES = 1 << 20 };

typedef struct buffer {
    char *rows; // one chunk
    size_t row; // bytes a row
    int number; // in the file
} buffer;

struct bex_writer {
    bex_file_out out; // holds the name; libhdf5 writes the same inode through its own handle
    bex_h5_out *file;
    buffer *buffers;
    int count, chunk, used; // used: rows waiting in every buffer
};

static size_t element_bytes(bex_column_type type) {
    return type == BEX_COLUMN_FLAG || type == BEX_COLUMN_BYTE ? 1
           : type == BEX_COLUMN_INT32                         ? sizeof(int)
                                                              : sizeof(bex_real);
}

// rows a chunk, from the columns alone: the same file whatever the number of rows or blocks
static int choose_chunk(const bex_column *columns, int count) {
    size_t widest = 1;
    for (int i = 0; i < count; i++) {
        size_t row =
            (columns[i].width ? (size_t)columns[i].width : 1) * element_bytes(columns[i].type);
        if (row > widest) widest = row;
    }
    size_t rows = CHUNK_BYTES / widest;
    return rows > MOST_CHUNK ? MOST_CHUNK : rows < LEAST_CHUNK ? LEAST_CHUNK : (int)rows;
}

int bex_writer_open(bex_writer **writer, const char *path, const bex_column *columns, int count) {
    *writer = NULL;
    bex_writer *w = calloc(1, sizeof *w);
    if (!w) return bex_fail("out of memory");
    int code = -1;
    if (bex_file_create(&w->out, path, 0) < 0) goto done;
    if (bex_h5_out_create(&w->file, w->out.temporary) < 0) goto done;
    w->chunk = choose_chunk(columns, count);
    w->buffers = calloc((size_t)count + 1, sizeof *w->buffers);
    if (!w->buffers) {
        bex_fail("out of memory");
        goto done;
    }
    w->count = count;
    for (int i = 0; i < count; i++) {
        const bex_column *c = &columns[i];
        buffer *b = &w->buffers[i];
        b->row = (c->width ? (size_t)c->width : 1) * element_bytes(c->type);
        b->rows = malloc(b->row * (size_t)w->chunk);
        if (!b->rows) {
            bex_fail("out of memory");
            goto done;
        }
        b->number = bex_h5_out_column(w->file, c->key, c->type, c->width, w->chunk);
        if (b->number < 0) goto done;
    }
    *writer = w;
    code = 0;
done:
    if (code < 0) bex_writer_free(w);
    return code;
}

bex_h5_out *bex_writer_file(bex_writer *w) {
    return w->file;
}

static int flush(bex_writer *w) {
    for (int i = 0; i < w->count; i++)
        if (bex_h5_out_append(w->file, w->buffers[i].number, w->used, w->buffers[i].rows) < 0)
            return bex_fail_in("'%s'", w->out.path);
    w->used = 0;
    return 0;
}

int bex_writer_append(bex_writer *w, int rows, const void *const *blocks) {
    for (int done = 0, n; done < rows; done += n) {
        n = rows - done < w->chunk - w->used ? rows - done : w->chunk - w->used;
        for (int i = 0; i < w->count; i++) {
            buffer *b = &w->buffers[i];
            memcpy(b->rows + (size_t)w->used * b->row,
                   (const char *)blocks[i] + (size_t)done * b->row, (size_t)n * b->row);
        }
        w->used += n;
        if (w->used == w->chunk && flush(w) < 0) return -1;
    }
    return 0;
}

int bex_writer_texts(bex_writer *w, const char *key, char *const *texts, int count) {
    return bex_h5_out_texts(w->file, key, texts, count) < 0 ? bex_fail_in("'%s'", w->out.path) : 0;
}

int bex_writer_text(bex_writer *w, const char *key, const char *text) {
    char *copy = strdup(text);
    if (!copy) return bex_fail("out of memory");
    int code = bex_writer_texts(w, key, &copy, -1);
    free(copy);
    return code;
}

int bex_writer_commit(bex_writer *w) {
    int code = flush(w);
    bex_h5_out *file = w->file;
    w->file = NULL;
    if (bex_h5_out_finish(file) < 0 && code == 0) code = bex_fail_in("'%s'", w->out.path);
    if (code < 0) {
        bex_file_discard(&w->out);
        return -1;
    }
    return bex_file_commit(&w->out);
}

void bex_writer_free(bex_writer *w) {
    if (!w) return;
    bex_h5_out_finish(w->file);
    bex_file_discard(&w->out);
    for (int i = 0; i < w->count; i++) free(w->buffers[i].rows);
    free(w->buffers);
    free(w);
}

// ---- a data set

enum { OBSERVATIONS, ACTIONS, TERMINALS, TIMEOUTS, REWARDS, TASK, SCENE, MOST };

typedef struct plan {
    bex_column columns[MOST];
    int what[MOST], count;
} plan;

static void add(plan *p, int what, const char *key, bex_column_type type, int width) {
    p->columns[p->count] = (bex_column){key, type, width};
    p->what[p->count++] = what;
}

static plan plan_columns(const bex_dataset *d) {
    plan p = {.count = 0};
    add(&p, OBSERVATIONS, "observations", BEX_COLUMN_FLOAT32, d->O);
    add(&p, ACTIONS, "actions", BEX_COLUMN_FLOAT32, d->A);
    if (d->rewards) add(&p, REWARDS, "rewards", BEX_COLUMN_FLOAT32, 0);
    add(&p, TERMINALS, "terminals", BEX_COLUMN_FLAG, 0);
    add(&p, TIMEOUTS, "timeouts", BEX_COLUMN_FLAG, 0);
    if (d->tasks.count) add(&p, TASK, "infos/task", BEX_COLUMN_INT32, 0);
    if (d->scenes.count) add(&p, SCENE, "infos/scene", BEX_COLUMN_INT32, 0);
    return p;
}

static int append_episode(bex_writer *w, const bex_dataset *d, const plan *p, int e) {
    int first = d->start[e], rows = bex_dataset_length(d, e), code = -1;
    unsigned char *flags = calloc((size_t)rows, 2);
    int *labels = malloc((size_t)rows * 2 * sizeof *labels);
    if (!flags || !labels) {
        bex_fail("out of memory: an episode of %d rows", rows);
        goto done;
    }
    flags[rows - 1] = d->terminals[first + rows - 1];
    flags[2 * rows - 1] = !flags[rows - 1];
    for (int t = 0; t < rows; t++) labels[t] = d->task[e], labels[rows + t] = d->scene[e];
    const void *source[MOST] = {
        [OBSERVATIONS] = d->observations + (size_t)first * (size_t)d->O,
        [ACTIONS] = d->actions + (size_t)first * (size_t)d->A,
        [REWARDS] = d->rewards ? d->rewards + first : NULL,
        [TERMINALS] = flags,
        [TIMEOUTS] = flags + rows,
        [TASK] = labels,
        [SCENE] = labels + rows,
    };
    const void *blocks[MOST];
    for (int i = 0; i < p->count; i++) blocks[i] = source[p->what[i]];
    code = bex_writer_append(w, rows, blocks);
done:
    free(flags);
    free(labels);
    return code;
}

int bex_writer_open_dataset(bex_writer **writer, const char *path, const bex_dataset *d,
                            const int *episodes, int count) {
    plan p = plan_columns(d);
    if (bex_writer_open(writer, path, p.columns, p.count) < 0) return -1;
    bex_writer *w = *writer;
    int code = 0, n = episodes ? count : d->episodes;
    for (int i = 0; i < n && code == 0; i++)
        code = append_episode(w, d, &p, episodes ? episodes[i] : i);
    if (code == 0 && d->tasks.count)
        code = bex_writer_texts(w, "metadata/tasks", d->tasks.text, d->tasks.count);
    if (code == 0 && d->scenes.count)
        code = bex_writer_texts(w, "metadata/scenes", d->scenes.text, d->scenes.count);
    if (code == 0 && d->columns.count)
        code = bex_writer_texts(w, "metadata/columns", d->columns.name, d->columns.count);
    if (code < 0) {
        bex_writer_free(w);
        *writer = NULL;
    }
    return code;
}

int bex_dataset_save(const bex_dataset *d, const char *path) {
    bex_writer *w;
    if (bex_writer_open_dataset(&w, path, d, NULL, 0) < 0) return -1;
    int code = bex_writer_commit(w);
    bex_writer_free(w);
    return code;
}
