/* Runs .nb files of paddlelite: one file of portable C, no dependencies but the C library. */
#ifndef PADDLE_LITE_H
#define PADDLE_LITE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PL_FLOAT32 = 0, PL_INT64 = 1, PL_INT32 = 2 };
enum { PL_MAX_RANK = 8 };

typedef struct pl_model pl_model;

/* What a tensor is. `dims` of an input may be -1: any size. */
typedef struct {
    const char *name;
    int dtype, rank;
    int64_t dims[PL_MAX_RANK];
    const void *data; /* of the model: outputs are valid until the next run; NULL: none yet */
} pl_tensor;

/* Loads a file. Returns NULL, and the reason in `error`, where it cannot be loaded. */
pl_model *pl_open(const char *path, char *error, size_t error_size);

/* The same for a file in memory, which has to stay as it is until pl_close. */
pl_model *pl_load(const void *bytes, size_t size, char *error, size_t error_size);
void pl_close(pl_model *model);

int pl_input_count(const pl_model *model);
int pl_output_count(const pl_model *model);

/* The following return 0, or -1 and a reason in pl_error. One thread at a time uses a model. */
int pl_input(pl_model *model, int index, pl_tensor *found);
int pl_output(pl_model *model, int index, pl_tensor *found);

/* Copies an input in; its data type and rank have to be those of the model. */
int pl_set_input(pl_model *model, int index, int dtype, int rank, const int64_t *dims,
                 const void *data);
int pl_run(pl_model *model);
const char *pl_error(const pl_model *model);

/* How many threads compute; more than one where this was compiled with -DPL_THREADS -pthread. */
int pl_set_threads(pl_model *model, int threads);

#ifdef __cplusplus
}
#endif
#endif
