/* Runs a .nb file on an array of float32: demo MODEL.nb DATA SIZE... prints the outputs. */
#include <stdio.h>
#include <stdlib.h>

#include "paddle_lite.h"

static int told(const char *reason) {
    fprintf(stderr, "demo: %s\n", reason);
    return 1;
}

int main(int argc, char **argv) {
    char reason[400];
    int64_t dims[PL_MAX_RANK], count = 1;
    int rank = argc - 3;
    pl_model *model;
    pl_tensor tensor;
    float *data;
    FILE *file;

    if (rank < 1 || rank > PL_MAX_RANK) return told("usage: demo MODEL.nb DATA SIZE...");
    for (int i = 0; i < rank; i++) {
        dims[i] = strtoll(argv[3 + i], NULL, 10);
        if (dims[i] < 1 || dims[i] > 1 << 20 || (count *= dims[i]) > 1 << 28)
            return told("a size is impossible");
    }
    data = malloc((size_t)count * sizeof *data);
    file = fopen(argv[2], "rb");
    if (!data || !file || fread(data, sizeof *data, (size_t)count, file) != (size_t)count)
        return told("the data cannot be read, or are too few");
    fclose(file);

    model = pl_open(argv[1], reason, sizeof reason);
    if (!model) return told(reason);
    if (pl_set_input(model, 0, PL_FLOAT32, rank, dims, data) || pl_run(model))
        return told(pl_error(model));
    for (int i = 0; i < pl_output_count(model); i++) {
        int64_t n = 1;
        pl_output(model, i, &tensor);
        for (int j = 0; j < tensor.rank; j++) n *= tensor.dims[j];
        printf("%s:", tensor.name);
        for (int64_t j = 0; j < n && tensor.dtype == PL_FLOAT32; j++)
            printf(" %.9g", ((const float *)tensor.data)[j]);
        printf("\n");
    }
    pl_close(model);
    free(data);
    return 0;
}
