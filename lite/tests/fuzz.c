/* Changes bytes of a .nb file, gives it a checksum that fits, loads and runs it, many times:
 * fuzz MODEL.nb SEED RUNS SIZE... To be compiled with sanitizers. */
#include "../paddlelite/csrc/paddle_lite.c"

static uint64_t state;

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

int main(int argc, char **argv) {
    static const unsigned char odd[] = {0, 1, 2, 127, 128, 255};
    static const uint32_t odd_numbers[] = {0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe,
                                           0x7f800000, 0x8000, 64, 9};
    int64_t dims[PL_MAX_RANK], count = 1;
    int rank = argc - 4, ran = 0, kind = PL_FLOAT32;
    FILE *file = argc > 4 ? fopen(argv[1], "rb") : NULL;
    if (!file) return 2;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    unsigned char *content = malloc(size), *made = malloc(size);
    fseek(file, 0, SEEK_SET);
    if (!content || !made || fread(content, 1, size, file) != size) return 2;
    fclose(file);
    state = strtoull(argv[2], NULL, 10);
    for (int i = 0; i < rank; i++) count *= dims[i] = strtoll(argv[4 + i], NULL, 10);
    double *data = calloc((size_t)count + 64, sizeof *data);
    for (int64_t i = 0; i < count && rank > 2; i++) ((float *)data)[i] = (float)(i % 17) - 8;
    if (rank == 2) kind = PL_INT64; /* numbers of words */
    size_t reached = 64 + (size_t)number(content + 32, 8);
    for (long run = strtol(argv[3], NULL, 10); run > 0; run--) {
        char reason[300];
        memcpy(made, content, size);
        for (uint32_t n = 1 + draw(3); n > 0; n--) {
            size_t at = 16 + draw((uint32_t)reached - 20);
            uint32_t value = odd_numbers[draw(8)];
            if (draw(3) == 0) memcpy(made + at, &value, 4);
            else made[at] = draw(2) ? odd[draw(6)] : (unsigned char)draw(256);
        }
        uint32_t crc = checksum(made + 16, size - 16);
        for (int i = 0; i < 4; i++) made[12 + i] = (unsigned char)(crc >> 8 * i);
        pl_model *m = pl_load(made, size, reason, sizeof reason);
        if (!m) continue;
        pl_set_threads(m, 1 + (int)draw(2));
        if (pl_input_count(m) && pl_run(m) == 0) abort(); /* nothing was given yet */
        if (!pl_set_input(m, -1, kind, rank, dims, data)) abort();
        if (!pl_set_input(m, pl_input_count(m), kind, rank, dims, data)) abort();
        for (int times = 0; times < 2; times++) {
            pl_tensor t;
            pl_set_input(m, 0, kind, rank, dims, data);
            for (int i = 1; i < pl_input_count(m); i++) { /* the others as the file states them */
                int64_t n = 1;
                if (pl_input(m, i, &t) || t.data) continue;
                for (int j = 0; j < t.rank; j++) n *= t.dims[j] >= 0 && n < 64 ? t.dims[j] : 64;
                if (n <= 64) pl_set_input(m, i, t.dtype, t.rank, t.dims, data);
            }
            ran += pl_run(m) == 0;
            for (int i = 0; i < pl_output_count(m); i++) pl_output(m, i, &t);
        }
        pl_close(m);
    }
    printf("%d ran\n", ran);
    free(content), free(made), free(data);
    return 0;
}
