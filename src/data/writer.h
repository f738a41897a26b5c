/* data/writer.h - write demonstrations in D4RL's layout: flat HDF5, gzip 4, chunked by rows.
 *
 *     static const bex_column columns[] = {
 *         {"observations", BEX_COLUMN_FLOAT32, 4}, {"actions", BEX_COLUMN_FLOAT32, 2},
 *         {"terminals", BEX_COLUMN_FLAG, 0},       {"infos/goal", BEX_COLUMN_FLOAT32, 2}};
 *     bex_writer *w;
 *     if (bex_writer_open(&w, path, columns, 4) < 0) ...        refuses an existing path
 *     const void *block[] = {obs, act, terminals, goal};        one pointer a column
 *     if (bex_writer_append(w, rows, block) < 0) ...            as often as you like
 *     if (bex_writer_commit(w) < 0) ...                         now the file has its name
 *     bex_writer_free(w);                                       always; before commit: discards
 *
 * The file appears under its name only in commit, complete. Same columns and rows give the same
 * bytes, however the rows are cut into blocks (chunks are gathered here; no timestamps are stored). Flags are
 * h5py booleans. Row t holds (s_t, a_t, r_t, flags); D4RL's splitter ends an episode after each row with
 * terminals or timeouts set. One thread at a time over all writers and readers: libhdf5 is not thread
 * safe. */
#ifndef BEX_DATA_WRITER_H
#define BEX_DATA_WRITER_H

typedef struct bex_dataset bex_dataset;
typedef struct bex_writer bex_writer;

typedef enum {
    BEX_COLUMN_FLOAT32, // memory: bex_real
    BEX_COLUMN_FLOAT64, // memory: bex_real; file: 8 bytes
    BEX_COLUMN_FLAG,    // memory: unsigned char, 0 or 1; file: h5py's bool
    BEX_COLUMN_INT32,   // memory: int
    BEX_COLUMN_BYTE,    // memory and file: unsigned char
} bex_column_type;

typedef struct bex_column {
    const char *key; // may name a group: "infos/qpos"
    bex_column_type type;
    int width; // columns; 0: rank 1, one value a row
} bex_column;

int bex_writer_open(bex_writer **writer, const char *path, const bex_column *columns, int count);

/* Append `rows` rows: blocks[i] is (rows, width) of column i, row-major. */
int bex_writer_append(bex_writer *writer, int rows, const void *const *blocks);

/* A scalar string dataset, "metadata/algorithm"; a list of strings. */
int bex_writer_text(bex_writer *writer, const char *key, const char *text);
int bex_writer_texts(bex_writer *writer, const char *key, char *const *texts, int count);

/* Flush, fsync, rename. On failure nothing is left. */
int bex_writer_commit(bex_writer *writer);
void bex_writer_free(bex_writer *writer); // NULL is fine

/* Declare and append a data set's episodes (indices, in this order; NULL: all of them): observations,
 * actions, rewards if any, terminals, timeouts; infos/task, infos/scene with metadata/tasks, metadata/scenes
 * if labelled; metadata/columns if they have names. Flags are set on last rows only, so that D4RL's rule
 * finds exactly these episodes: terminals there if the row is terminal, timeouts otherwise. The caller
 * commits. */
int bex_writer_open_dataset(bex_writer **writer, const char *path, const bex_dataset *dataset,
                            const int *episodes, int count);

/* The same episodes in robomimic's layout, with their pictures: contiguous, an episode a group; LIBERO's
 * attributes where they have a scene. One task and scene a file, else negative with a message. The caller
 * commits. */
int bex_writer_open_robomimic(bex_writer **writer, const char *path, const bex_dataset *dataset,
                              const int *episodes, int count);

/* The first of the two, committed. */
int bex_dataset_save(const bex_dataset *dataset, const char *path);

#endif
