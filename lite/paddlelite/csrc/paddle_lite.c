/* Runs .nb files: reader, kernels and the interface of paddle_lite.h.
 *
 * C99 with the vector extensions of GCC and Clang. Errors are told by a jump back to the function
 * of the interface; all memory belongs to the model, so nothing is lost on the way. */
#include "paddle_lite.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef PL_THREADS
#include <pthread.h>
enum { MAX_THREADS = 64 };
#else
enum { MAX_THREADS = 1 };
#endif

#if defined(__AVX512F__)
#define W 16
#elif defined(__AVX__)
#define W 8
#else
#define W 4
#endif
enum { MR = 6, NR = 2 * W, KC = 256, NC = 256, ALIGN = 64 };
typedef float vec __attribute__((vector_size(W * 4), aligned(4), may_alias));

#define NONE 0xFFFFFFFFu
#define MAX_ELEMENTS ((int64_t)1 << 28)

typedef struct {
    char *raw, *at;
    size_t size;
    int used; /* 1: until the run ends, 2: as long as the model */
} buffer;

typedef struct {
    char *name;
    int dtype, rank, constant, last, is_output;
    int64_t dims[PL_MAX_RANK]; /* of an input before it is set: as the file states them */
    const void *data;
    buffer *home;
} tensor;

typedef struct step step;
typedef void kernel(pl_model *, step *);
struct step {
    const char *name;
    kernel *run;
    int n_ins, n_outs, n_ints, n_floats;
    int64_t *ins; /* -1: not given */
    uint32_t *outs;
    int32_t *ints;
    float *floats;
    buffer *packed; /* a constant weight in the order of the product */
};

struct pl_model {
    jmp_buf back;
    char error[400];
    buffer **buffers;
    size_t n_buffers;
    void **owned; /* memory of the program */
    size_t n_owned;
    tensor *tensors;
    step *steps, *now;
    uint32_t n_tensors, n_steps, n_ins, n_outs, *ins, *outs;
    void *file;
    int threads;
};

/* ---------------------------------------------------------------- errors, memory */

static void fail(pl_model *m, const char *text, ...) {
    va_list rest;
    size_t at = 0;
    if (m->now) {
        at = (size_t)snprintf(m->error, sizeof m->error, "operator %s that makes '%.100s': ",
                              m->now->name, m->tensors[m->now->outs[0]].name);
    }
    va_start(rest, text);
    vsnprintf(m->error + at, sizeof m->error - at, text, rest);
    va_end(rest);
    longjmp(m->back, 1);
}

static void check(pl_model *m, int holds, const char *text) {
    if (!holds) fail(m, "%s", text);
}

/* Zeroed memory that lives as long as the model. */
static void *own(pl_model *m, size_t count, size_t size) {
    void **more = realloc(m->owned, (m->n_owned + 1) * sizeof *more), *made;
    check(m, more != NULL, "out of memory");
    m->owned = more;
    made = calloc(count + 1, size);
    check(m, made != NULL, "out of memory");
    m->owned[m->n_owned++] = made;
    return made;
}

static void grow(pl_model *m, buffer *b, size_t size) {
    free(b->raw);
    b->size = 0;
    b->raw = malloc(size + ALIGN);
    check(m, b->raw != NULL, "out of memory");
    b->at = b->raw + (ALIGN - (uintptr_t)b->raw % ALIGN);
    b->size = size;
}

/* A free buffer of a size: the smallest that fits, else the largest one, which grows. */
static buffer *take(pl_model *m, size_t size, int used) {
    buffer *best = NULL, **more;
    size_t i;
    for (i = 0; i < m->n_buffers; i++) {
        buffer *b = m->buffers[i];
        int fits = b->size >= size, best_fits = best && best->size >= size;
        if (b->used || (best_fits && !fits)) continue;
        if (!best || fits > best_fits || (b->size < best->size) == fits) best = b;
    }
    if (used == 2 && best && best->size != size) best = NULL;
    if (!best) {
        best = own(m, 1, sizeof *best);
        more = realloc(m->buffers, (m->n_buffers + 1) * sizeof *more);
        check(m, more != NULL, "out of memory");
        m->buffers = more;
        m->buffers[m->n_buffers++] = best;
    }
    if (best->size < size || !best->raw) grow(m, best, size);
    best->used = used;
    return best;
}

static size_t width(int dtype) { return dtype == PL_INT64 ? 8 : 4; }

static int64_t count_of(const int64_t *dims, int rank) {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    return n;
}

/* The number of elements of some sizes, which must not be impossible or too large. */
static int64_t limited(pl_model *m, int rank, const int64_t *dims) {
    int64_t n = 1;
    int empty = 0;
    check(m, rank >= 0 && rank <= PL_MAX_RANK, "too many dimensions");
    for (int i = 0; i < rank; i++) {
        check(m, dims[i] >= 0 && dims[i] < MAX_ELEMENTS, "impossible sizes");
        if (dims[i] == 0) empty = 1;
        n *= dims[i] ? dims[i] : 1;
        check(m, n < MAX_ELEMENTS, "sizes are too large");
    }
    return empty ? 0 : n;
}

static tensor *in(pl_model *m, step *s, int i) {
    return s->ins[i] < 0 ? NULL : &m->tensors[s->ins[i]];
}

/* Gives a result its sizes and memory. */
static void *make(pl_model *m, step *s, int i, int dtype, int rank, const int64_t *dims) {
    tensor *t = &m->tensors[s->outs[i]];
    int64_t n = limited(m, rank, dims);
    t->home = take(m, (size_t)n * width(dtype) + ALIGN, 1);
    t->dtype = dtype, t->rank = rank;
    memmove(t->dims, dims, (size_t)rank * sizeof *dims);
    t->data = t->home->at;
    return t->home->at;
}

static int64_t size_of(const tensor *t) { return count_of(t->dims, t->rank); }

static const float *floats(pl_model *m, const tensor *t) {
    if (!t) return NULL;
    check(m, t->dtype == PL_FLOAT32, "float32 was expected");
    return t->data;
}

static int axis_of(pl_model *m, int64_t axis, int rank) {
    if (axis < -rank || axis >= rank) fail(m, "there is no axis %d of %d", (int)axis, rank);
    return (int)(axis < 0 ? axis + rank : axis);
}

static int same(const tensor *a, int rank, const int64_t *dims) {
    return a->rank == rank && !memcmp(a->dims, dims, (size_t)rank * sizeof *dims);
}

/* ---------------------------------------------------------------- threads */

typedef void part_function(void *job, int part, int parts);

#ifdef PL_THREADS
typedef struct {
    part_function *work;
    void *job;
    int part, parts, started;
} portion;

static void *do_portion(void *given) {
    portion *p = given;
    p->work(p->job, p->part, p->parts);
    return NULL;
}
#endif

/* Does the parts of some work at once where it is worth the start of threads; no part may fail. */
static void parallel(pl_model *m, part_function *work, void *job, int64_t effort) {
    int parts = effort > 1 << 20 ? m->threads : 1;
#ifdef PL_THREADS
    pthread_t ids[MAX_THREADS];
    portion all[MAX_THREADS];
    for (int i = 1; i < parts; i++) {
        all[i] = (portion){work, job, i, parts, 0};
        all[i].started = !pthread_create(&ids[i], NULL, do_portion, &all[i]);
    }
#endif
    work(job, 0, parts);
#ifdef PL_THREADS
    for (int i = 1; i < parts; i++) {
        if (all[i].started) pthread_join(ids[i], NULL);
        else do_portion(&all[i]);
    }
#endif
}

/* ---------------------------------------------------------------- activations */

enum { N_FUNCTIONS = 21 };

static void activate(float *y, int64_t n, int function, float a, float b) {
    int64_t i;
#define EACH(expression)              \
    for (i = 0; i < n; i++) {         \
        float x = y[i];               \
        y[i] = (expression);          \
    }                                 \
    break
    switch (function) {
        case 0: break;
        case 1: EACH(x < 0 ? 0 : x);
        case 2: EACH(x > b || a > b ? b : x < a ? a : x);
        case 3: EACH(x > 0 ? x : x * a);
        case 4: EACH(x * ((x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3) * (1.0f / 6)));
        case 5: EACH(x * a + b < 0 ? 0 : x * a + b > 1 ? 1 : x * a + b);
        case 6: EACH(x * (1 / (1 + expf(-x))));
        case 7: EACH(1 / (1 + expf(-x)));
        case 8: EACH(tanhf(x));
        case 9:
            EACH(a != 0 ? 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)))
                        : (float)(0.5 * x * (1 + erf(x * 0.70710678118654752))));
        case 10: EACH(expf(x));
        case 11: EACH(sqrtf(x));
        case 12: EACH(fabsf(x));
        case 13: EACH(x * x);
        case 14: EACH(logf(x));
        case 15: EACH(1 / sqrtf(x));
        case 16: EACH(x * a + b);
        case 17: EACH(powf(x, a));
        case 18: EACH(floorf(x));
        case 19: EACH((x < 0 ? 0 : x) + log1pf(expf(-fabsf(x))));
        case 20: EACH((x / a < -b ? -b : x / a > b ? b : rintf(x / a)) * a);
    }
#undef EACH
}

static int function_of(pl_model *m, int function) {
    if (function < 0 || function >= N_FUNCTIONS) fail(m, "there is no activation %d", function);
    return function;
}

static void activation(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    const float *from = floats(m, x);
    float *y = make(m, s, 0, PL_FLOAT32, x->rank, x->dims);
    memcpy(y, from, (size_t)size_of(x) * 4);
    activate(y, size_of(x), function_of(m, s->ints[0]), s->floats[0], s->floats[1]);
}

/* ---------------------------------------------------------------- products */

/* One operand of a product: a strided matrix, or the windows of a convolution. */
typedef struct {
    const float *x;
    int64_t down, across; /* strides of a matrix */
    /* windows: planes are [channel][phase][row][column], where phase is the column modulo sw */
    int windows;
    int64_t kh, kw, sh, sw, dh, dw, rows, columns, ow;
} source;

static void micro(int64_t k, const float *a, const float *b, float *c, int64_t ldc, int mr, int nr,
                  int first) {
    vec c0 = {0}, d0 = c0, c1 = c0, d1 = c0, c2 = c0, d2 = c0, c3 = c0, d3 = c0, c4 = c0, d4 = c0,
        c5 = c0, d5 = c0;
    float part[MR * NR];
    int i, j;
    for (; k > 0; k--, a += MR, b += NR) {
        vec x = *(const vec *)b, y = *(const vec *)(b + W);
        c0 += a[0] * x, d0 += a[0] * y;
        c1 += a[1] * x, d1 += a[1] * y;
        c2 += a[2] * x, d2 += a[2] * y;
        c3 += a[3] * x, d3 += a[3] * y;
        c4 += a[4] * x, d4 += a[4] * y;
        c5 += a[5] * x, d5 += a[5] * y;
    }
#define PUT(at, step, op)                                                             \
    *(vec *)(at) op c0, *(vec *)((at) + W) op d0;                                     \
    *(vec *)((at) + (step)) op c1, *(vec *)((at) + (step) + W) op d1;                 \
    *(vec *)((at) + 2 * (step)) op c2, *(vec *)((at) + 2 * (step) + W) op d2;         \
    *(vec *)((at) + 3 * (step)) op c3, *(vec *)((at) + 3 * (step) + W) op d3;         \
    *(vec *)((at) + 4 * (step)) op c4, *(vec *)((at) + 4 * (step) + W) op d4;         \
    *(vec *)((at) + 5 * (step)) op c5, *(vec *)((at) + 5 * (step) + W) op d5
    if (mr == MR && nr == NR) {
        if (first) {
            PUT(c, ldc, =);
        } else {
            PUT(c, ldc, +=);
        }
        return;
    }
    PUT(part, NR, =);
    for (i = 0; i < mr; i++)
        for (j = 0; j < nr; j++) c[i * ldc + j] = part[i * NR + j] + (first ? 0 : c[i * ldc + j]);
}

/* Rows in groups of MR, each group in the order of the sum. */
static void pack_rows(const float *a, int64_t down, int64_t across, int64_t rows, int64_t k,
                      float *to) {
    for (int64_t r = 0; r < rows; r += MR)
        for (int64_t i = 0; i < k; i++)
            for (int j = 0; j < MR; j++)
                *to++ = r + j < rows ? a[(r + j) * down + i * across] : 0;
}

static int64_t packed_rows(int64_t rows, int64_t k) { return (rows + MR - 1) / MR * MR * k; }

static void pack_windows(const source *s, int64_t k0, int64_t k, int64_t n0, int len, float *to) {
    int64_t from[NR], out = 0;
    int at[NR], size[NR], parts = 0, done = 0;
    while (done < len) {
        int64_t row = (n0 + done) / s->ow, column = (n0 + done) % s->ow;
        int run = s->ow - column < len - done ? (int)(s->ow - column) : len - done;
        from[parts] = row * s->sh * s->columns + column;
        at[parts] = done;
        size[parts++] = run;
        done += run;
    }
    for (int64_t i = k0; i < k0 + k; i++, out += NR) {
        int64_t j = i % s->kw * s->dw, plane = i / (s->kh * s->kw) * s->sw + j % s->sw;
        const float *base = s->x + (plane * s->rows + i / s->kw % s->kh * s->dh) * s->columns
                            + j / s->sw;
        for (int p = 0; p < parts; p++) {
            const float *f = base + from[p];
            float *t = to + out + at[p];
            for (int q = 0; q < size[p]; q++) t[q] = f[q];
        }
        for (int q = len; q < NR; q++) to[out + q] = 0;
    }
}

static void pack_columns(const source *s, int64_t k0, int64_t k, int64_t n0, int64_t n, float *to) {
    for (int64_t c = 0; c < n; c += NR, to += k * NR) {
        int len = n - c < NR ? (int)(n - c) : NR;
        if (s->windows) {
            pack_windows(s, k0, k, n0 + c, len, to);
            continue;
        }
        for (int64_t i = 0; i < k; i++) {
            const float *from = s->x + (k0 + i) * s->down + (n0 + c) * s->across;
            float *t = to + i * NR;
            if (s->across == 1) memcpy(t, from, (size_t)len * sizeof *t);
            else for (int q = 0; q < len; q++) t[q] = from[q * s->across];
            for (int q = len; q < NR; q++) t[q] = 0;
        }
    }
}

/* What happens to a product on its way out. */
typedef struct {
    const float *bias, *residual;
    int bias_by_row, function;
    float a, b, scale;
} finish;

static void finish_block(const finish *f, float *c, int64_t ldc, int64_t r0, int64_t r1, int64_t n0,
                         int64_t n) {
    for (int64_t r = r0; r < r1; r++) {
        float *y = c + r * ldc + n0;
        if (f->scale != 1)
            for (int64_t i = 0; i < n; i++) y[i] *= f->scale;
        if (f->bias && f->bias_by_row)
            for (int64_t i = 0; i < n; i++) y[i] += f->bias[r];
        else if (f->bias)
            for (int64_t i = 0; i < n; i++) y[i] += f->bias[n0 + i];
        if (f->residual)
            for (int64_t i = 0; i < n; i++) y[i] += f->residual[r * ldc + n0 + i];
        activate(y, n, f->function, f->a, f->b);
    }
}

typedef struct {
    int64_t rows, n, k;
    const float *a;
    const source *b;
    float *c, *room;
    const finish *f;
} product_job;

enum { ROOM = KC * (NC + NR) }; /* of one thread */

/* One of several parts of rows or of columns; each number is the same whatever the parts are. */
static void product_part(void *job, int part, int parts) {
    const product_job *p = job;
    int by_rows = p->rows > p->n, unit = by_rows ? MR : NR;
    int64_t all = by_rows ? p->rows : p->n, each = (all + parts - 1) / parts;
    int64_t first, last, r0 = 0, r1 = p->rows, n0 = 0, n1 = p->n;
    float *room = p->room + (int64_t)part * ROOM;
    each = (each + unit - 1) / unit * unit;
    first = part * each < all ? part * each : all, last = first + each < all ? first + each : all;
    if (by_rows) r0 = first, r1 = last;
    else n0 = first, n1 = last;
    for (; n0 < n1 && r0 < r1; n0 += NC) {
        int64_t nc = n1 - n0 < NC ? n1 - n0 : NC;
        for (int64_t k0 = 0; k0 < p->k; k0 += KC) {
            int64_t kc = p->k - k0 < KC ? p->k - k0 : KC;
            pack_columns(p->b, k0, kc, n0, nc, room);
            for (int64_t j = 0; j < nc; j += NR)
                for (int64_t r = r0; r < r1; r += MR)
                    micro(kc, p->a + r * p->k + k0 * MR, room + j * kc, p->c + r * p->n + n0 + j,
                          p->n, r1 - r < MR ? (int)(r1 - r) : MR,
                          nc - j < NR ? (int)(nc - j) : NR, k0 == 0);
        }
        finish_block(p->f, p->c, p->n, r0, r1, n0, nc);
    }
}

/* c = a b, where the rows of a are packed. */
static void product(pl_model *m, int64_t rows, int64_t n, int64_t k, const float *a,
                    const source *b, float *c, const finish *f) {
    buffer *room = take(m, (size_t)m->threads * ROOM * 4, 1);
    product_job job = {rows, n, k, a, b, c, (float *)room->at, f};
    if (!k) memset(c, 0, (size_t)(rows * n) * 4);
    parallel(m, product_part, &job, rows * n * k);
    room->used = 0;
}

/* A few rows x times w, which is read once as it stands. */
static void few_rows(int64_t rows, int64_t n, int64_t k, const float *x, const float *w, float *y,
                     const finish *f) {
    memset(y, 0, (size_t)(rows * n) * 4);
    for (int64_t i = 0; i < k; i++, w += n)
        for (int64_t r = 0, j = 0; r < rows; r++, j = 0) {
            float v = x[r * k + i], *out = y + r * n;
            for (; j + W <= n; j += W) *(vec *)(out + j) += v * *(const vec *)(w + j);
            for (; j < n; j++) out[j] += v * w[j];
        }
    finish_block(f, y, n, 0, rows, 0, n);
}

/* Sizes of two operands that are stretched to each other, and the strides of each. */
static int stretched(pl_model *m, const int64_t *x, int xr, const int64_t *y, int yr, int64_t *dims,
                     int64_t *xs, int64_t *ys) {
    int rank = xr > yr ? xr : yr;
    int64_t a = 1, b = 1;
    for (int i = rank - 1; i >= 0; i--) {
        int64_t p = i - (rank - xr) >= 0 ? x[i - (rank - xr)] : 1;
        int64_t q = i - (rank - yr) >= 0 ? y[i - (rank - yr)] : 1;
        check(m, p == q || p == 1 || q == 1, "the sizes of its operands do not fit");
        dims[i] = p == 1 ? q : p;
        xs[i] = p == 1 ? 0 : a;
        ys[i] = q == 1 ? 0 : b;
        a *= p, b *= q;
    }
    return rank;
}

/* Steps an index; keeps where that is in up to two strided tensors. */
static void advance(int rank, const int64_t *dims, int64_t *index, const int64_t *xs, int64_t *x,
                    const int64_t *ys, int64_t *y) {
    for (int i = rank - 1; i >= 0; i--) {
        *x += xs[i];
        if (ys) *y += ys[i];
        if (++index[i] < dims[i]) return;
        *x -= xs[i] * dims[i];
        if (ys) *y -= ys[i] * dims[i];
        index[i] = 0;
    }
}

static void matmul(pl_model *m, step *s) {
    tensor *x = in(m, s, 0), *y = in(m, s, 1), *bias = in(m, s, 2);
    const float *a = floats(m, x), *b = floats(m, y);
    int64_t dims[PL_MAX_RANK], xs[PL_MAX_RANK], ys[PL_MAX_RANK], index[PL_MAX_RANK] = {0};
    int64_t *p, *q, rows, n, k, batches, at = 0, bt = 0;
    int rank, flip = s->ints[0], turn = s->ints[1];
    source right = {0};
    finish f = {floats(m, bias), NULL, 0, 0, 0, 0, s->floats[0]};
    float *c;
    check(m, x->rank >= 2 && y->rank >= 2, "two dimensions were expected");
    p = x->dims + x->rank - 2, q = y->dims + y->rank - 2;
    rank = stretched(m, x->dims, x->rank - 2, y->dims, y->rank - 2, dims, xs, ys);
    rows = p[flip ? 1 : 0], k = p[flip ? 0 : 1], n = q[turn ? 0 : 1];
    right.down = turn ? 1 : n, right.across = turn ? k : 1;
    check(m, k == q[turn ? 1 : 0], "its operands do not fit");
    check(m, !bias || size_of(bias) == n, "its bias does not fit");
    batches = count_of(dims, rank);
    dims[rank] = rows, dims[rank + 1] = n;
    c = make(m, s, 0, PL_FLOAT32, rank + 2, dims);
    if (y->rank == 2 && !flip) rows *= batches, batches = batches > 0;
    if (rows < 4 && batches == 1 && !flip && !turn) {
        few_rows(rows, n, k, a, b, c, &f);
    } else {
        buffer *room = take(m, (size_t)packed_rows(rows, k) * 4 + 4, 1);
        for (int64_t i = 0; i < batches; i++, c += rows * n) {
            pack_rows(a + at * rows * k, flip ? 1 : k, flip ? rows : 1, rows, k, (float *)room->at);
            right.x = b + bt * n * k;
            product(m, rows, n, k, (float *)room->at, &right, c, &f);
            advance(rank, dims, index, xs, &at, ys, &bt);
        }
        room->used = 0;
    }
}

/* ---------------------------------------------------------------- convolution, pooling */

static int64_t reach(pl_model *m, int64_t size, int64_t kernel, int64_t pads, int64_t stride,
                     int64_t dilation, int ceil) {
    int64_t room;
    check(m, kernel > 0 && stride > 0 && dilation > 0, "a kernel, stride or dilation is not > 0");
    room = size + pads - ((kernel - 1) * dilation + 1) + (ceil ? stride - 1 : 0);
    check(m, room >= 0, "a kernel is larger than what it is moved over");
    return room / stride + 1;
}

/* Channels with their padding, columns sorted by what is left of them modulo the stride. */
static void planes(const float *x, int64_t channels, int64_t h, int64_t w, int64_t top,
                   int64_t left, int64_t rows, int64_t columns, int64_t sw, float *to) {
    memset(to, 0, (size_t)(channels * sw * rows * columns) * 4);
    for (int64_t c = 0; c < channels; c++)
        for (int64_t p = 0; p < sw; p++, to += rows * columns) {
            int64_t q0 = left > p ? (left - p + sw - 1) / sw : 0;
            for (int64_t r = 0; r < h; r++) {
                float *t = to + (r + top) * columns;
                const float *f = x + (c * h + r) * w + (p - left);
                for (int64_t q = q0; q * sw + p - left < w && q < columns; q++) t[q] = f[q * sw];
            }
        }
}

/* Convolutions of one channel each, dealt out to the parts. */
typedef struct {
    source src;
    const float *image, *filter;
    float *y, *room;
    finish f;
    int64_t channels, each, h, wide, oh, top, left, plane;
} depthwise_job;

static void depthwise(void *job, int part, int parts) {
    const depthwise_job *p = job;
    const source *s = &p->src;
    const float *x = p->room + part * p->plane;
    for (int64_t o = part; o < p->channels * p->each; o += parts) {
        const float *w = p->filter + o * s->kh * s->kw;
        float *y = p->y + o * p->oh * s->ow;
        planes(p->image + o / p->each * p->h * p->wide, 1, p->h, p->wide, p->top, p->left, s->rows,
               s->columns, s->sw, p->room + part * p->plane);
        for (int64_t r = 0; r < p->oh; r++)
            for (int64_t c = 0; c < s->ow; c += W) {
                vec sum = {0};
                int64_t rest = s->ow - c;
                float *out = y + r * s->ow + c;
                for (int64_t i = 0; i < s->kh; i++)
                    for (int64_t j = 0; j < s->kw; j++) {
                        int64_t at = j * s->dw;
                        sum += w[i * s->kw + j]
                               * *(const vec *)(x + (at % s->sw * s->rows + r * s->sh + i * s->dh)
                                                        * s->columns + at / s->sw + c);
                    }
                if (rest >= W) *(vec *)out = sum;
                for (int64_t q = 0; rest < W && q < rest; q++) out[q] = sum[q];
            }
        finish_block(&p->f, p->y, p->oh * s->ow, o, o + 1, 0, p->oh * s->ow);
    }
}

/* Four paddings, top to right; -1: as many as leave one result for each stride. */
static void paddings(pl_model *m, const int32_t *given, int64_t h, int64_t w, int64_t kh,
                     int64_t kw, int64_t sh, int64_t sw, int64_t *made) {
    for (int i = 0; i < 4; i++) made[i] = given[i];
    if (given[0] != -1) return;
    check(m, kh > 0 && kw > 0 && sh > 0 && sw > 0, "a kernel or stride is not > 0");
    for (int i = 0; i < 4; i += 2) {
        int64_t size = i ? w : h, kernel_ = i ? kw : kh, stride = i ? sw : sh;
        int64_t rest = ((size + stride - 1) / stride - 1) * stride + kernel_ - size;
        made[i] = rest > 0 ? rest / 2 : 0;
        made[i + 1] = rest > 0 ? rest - rest / 2 : 0;
    }
}

static void conv2d(pl_model *m, step *s) {
    tensor *x = in(m, s, 0), *w = in(m, s, 1), *bias = in(m, s, 2), *residual = in(m, s, 3);
    const float *from = floats(m, x), *filter = floats(m, w), *b = floats(m, bias);
    const float *add = floats(m, residual);
    const int32_t *v = s->ints;
    int64_t u[10], groups = v[8], n, c, h, wide, oc, per, kh, kw, oh, ow, dims[4], k, each;
    int64_t room_dims[5], part, plane;
    int plain, deep;
    source src = {0};
    finish f = {b, NULL, 1, function_of(m, v[9]), s->floats[0], s->floats[1], 1};
    buffer *room = NULL, *packed = s->packed;
    float *y;
    check(m, x->rank == 4 && w->rank == 4, "four dimensions were expected");
    n = x->dims[0], c = x->dims[1], h = x->dims[2], wide = x->dims[3];
    oc = w->dims[0], per = w->dims[1], kh = w->dims[2], kw = w->dims[3];
    check(m, groups > 0 && c == per * groups && oc > 0 && oc % groups == 0,
          "its channels do not fit the filter");
    for (int i = 0; i < 10; i++) u[i] = v[i];
    paddings(m, v + 2, h, wide, kh, kw, v[0], v[1], u + 2);
    for (int i = 0; i < 8; i++)
        check(m, u[i] >= 0 && u[i] <= 1024, "its strides, paddings and dilations are 0 to 1024");
    oh = reach(m, h, kh, u[2] + u[3], u[0], u[6], 0);
    ow = reach(m, wide, kw, u[4] + u[5], u[1], u[7], 0);
    dims[0] = n, dims[1] = oc, dims[2] = oh, dims[3] = ow;
    check(m, !bias || size_of(bias) == oc, "its bias does not fit");
    check(m, !residual || same(residual, 4, dims), "its residual does not fit");
    y = make(m, s, 0, PL_FLOAT32, 4, dims);
    k = per * kh * kw, each = oc / groups;
    deep = per == 1 && groups > 1;
    plain = kh == 1 && kw == 1 && u[0] == 1 && u[1] == 1 && !(u[2] | u[3] | u[4] | u[5]);
    src.windows = !plain, src.down = h * wide, src.across = 1, src.kh = kh, src.kw = kw;
    src.sh = u[0], src.sw = u[1], src.dh = u[6], src.dw = u[7], src.ow = ow;
    src.rows = h + u[2] + u[3], src.columns = (wide + u[4] + u[5]) / u[1] + 1 + W;
    room_dims[0] = deep ? 1 : c, room_dims[1] = src.sw, room_dims[2] = src.rows;
    room_dims[3] = src.columns, room_dims[4] = m->threads;
    part = packed_rows(each, k), plane = src.rows * src.columns * src.sw;
    if (!plain || deep) room = take(m, (size_t)limited(m, 4 + deep, room_dims) * 4 + ALIGN, 1);
    if (!deep && !packed) {
        packed = take(m, (size_t)(part * groups) * 4, w->constant ? 2 : 1);
        for (int64_t g = 0; g < groups; g++)
            pack_rows(filter + g * each * k, k, 1, each, k, (float *)packed->at + g * part);
        if (w->constant) s->packed = packed;
    }
    for (int64_t i = 0; i < n; i++) {
        const float *image = from + i * c * h * wide;
        if (deep) {
            float *to = y + i * oc * oh * ow;
            depthwise_job job = {src, image, filter, to, (float *)room->at, f, c, each, h, wide,
                                 oh, u[2], u[4], plane};
            job.f.residual = add ? add + i * oc * oh * ow : NULL;
            parallel(m, depthwise, &job, oc * oh * ow * k);
            continue;
        }
        if (room)
            planes(image, c, h, wide, u[2], u[4], src.rows, src.columns, u[1], (float *)room->at);
        for (int64_t g = 0; g < groups; g++) {
            int64_t at = (i * oc + g * each) * oh * ow;
            f.bias = b ? b + g * each : NULL, f.residual = add ? add + at : NULL;
            src.x = plain ? image + g * per * h * wide : (float *)room->at + g * per * plane;
            product(m, each, oh * ow, k, (float *)packed->at + g * part, &src, y + at, &f);
        }
    }
    if (room) room->used = 0;
    if (packed && packed->used == 1) packed->used = 0;
}

/* Where a window of pixels begins and ends, and over how many of them a mean goes. */
static int64_t window(int adaptive, int64_t i, int64_t size, int64_t out, int64_t kernel_,
                      int64_t stride, const int64_t *pads, int exclusive, int64_t *span) {
    int64_t first = adaptive ? i * size / out : i * stride - pads[0];
    int64_t end = adaptive ? ((i + 1) * size + out - 1) / out : first + kernel_;
    int64_t count = (end < size + pads[1] ? end : size + pads[1]) - first;
    span[0] = first < 0 ? 0 : first, span[1] = end < size ? end : size;
    if (exclusive || adaptive) count = span[1] - span[0];
    return count > 0 ? count : 0;
}

static void pool2d(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    const float *from = floats(m, x);
    const int32_t *v = s->ints;
    int64_t kh = v[1], kw = v[2], dims[4], pads[4], h, w, r[2], c[2];
    float *y;
    check(m, x->rank == 4 && size_of(x), "four dimensions were expected");
    memcpy(dims, x->dims, sizeof dims);
    h = dims[2], w = dims[3];
    paddings(m, v + 5, h, w, kh, kw, v[3], v[4], pads);
    for (int i = 0; i < 4; i++)
        check(m, pads[i] >= 0 && pads[i] <= 1024, "its paddings are 0 to 1024");
    dims[2] = v[11] == 1 ? 1 : v[11] ? kh : reach(m, h, kh, pads[0] + pads[1], v[3], 1, v[9]);
    dims[3] = v[11] == 1 ? 1 : v[11] ? kw : reach(m, w, kw, pads[2] + pads[3], v[4], 1, v[9]);
    y = make(m, s, 0, PL_FLOAT32, 4, dims);
    for (int64_t p = dims[0] * dims[1]; p > 0; p--, from += h * w)
        for (int64_t i = 0; i < dims[2]; i++) {
            int64_t down = window(v[11], i, h, dims[2], kh, v[3], pads, v[10], r);
            for (int64_t j = 0; j < dims[3]; j++) {
                int64_t across = window(v[11], j, w, dims[3], kw, v[4], pads + 2, v[10], c);
                float best = -3.402823466e38f;
                double sum = 0;
                for (int64_t q = r[0]; q < r[1]; q++)
                    for (int64_t k = c[0]; k < c[1]; k++) {
                        float value = from[q * w + k];
                        sum += value;
                        if (!(value <= best)) best = value;
                    }
                *y++ = v[0] ? (float)(sum / (double)(down * across)) : best;
            }
        }
}

static void conv2d_transpose(pl_model *m, step *s) {
    tensor *x = in(m, s, 0), *w = in(m, s, 1), *bias = in(m, s, 2);
    const float *from = floats(m, x), *filter = floats(m, w), *b = floats(m, bias);
    const int32_t *v = s->ints;
    int64_t groups = v[8], c, h, wide, per, kh, kw, k, dims[4], sizes[2];
    finish f = {NULL, NULL, 0, 0, 0, 0, 1};
    source src = {0};
    buffer *room, *packed;
    float *y;
    check(m, x->rank == 4 && w->rank == 4 && size_of(x), "four dimensions were expected");
    for (int i = 0; i < 8; i++)
        check(m, v[i] >= (i < 2 || i > 5 ? 1 : i % 2 ? -1024 : 0) && v[i] <= 1024,
              "its strides, paddings and dilations are 0 to 1024");
    c = x->dims[1], h = x->dims[2], wide = x->dims[3];
    per = w->dims[1], kh = w->dims[2], kw = w->dims[3];
    check(m, groups > 0 && w->dims[0] == c && c % groups == 0 && size_of(w),
          "its channels do not fit the filter");
    dims[0] = x->dims[0], dims[1] = per * groups;
    dims[2] = (h - 1) * v[0] + (kh - 1) * v[6] + 1 - v[2] - v[3];
    dims[3] = (wide - 1) * v[1] + (kw - 1) * v[7] + 1 - v[4] - v[5];
    check(m, dims[2] > 0 && dims[3] > 0, "nothing would be left");
    check(m, !bias || size_of(bias) == dims[1], "its bias does not fit");
    y = make(m, s, 0, PL_FLOAT32, 4, dims);
    k = c / groups, sizes[0] = per * kh * kw, sizes[1] = h * wide;
    room = take(m, (size_t)limited(m, 2, sizes) * 4, 1);
    packed = take(m, (size_t)packed_rows(sizes[0], k) * 4, 1);
    src.down = sizes[1], src.across = 1;
    for (int64_t i = 0; i < dims[0] * groups; i++) {
        const float *part = (float *)room->at;
        int64_t g = i % groups;
        pack_rows(filter + g * k * sizes[0], 1, sizes[0], sizes[0], k, (float *)packed->at);
        src.x = from + i * k * sizes[1];
        product(m, sizes[0], sizes[1], k, (float *)packed->at, &src, (float *)room->at, &f);
        for (int64_t o = 0; o < per; o++, y += dims[2] * dims[3]) {
            for (int64_t j = 0; j < dims[2] * dims[3]; j++) y[j] = b ? b[g * per + o] : 0;
            for (int64_t j = 0; j < kh * kw; j++)
                for (int64_t r = 0; r < h; r++, part += wide) {
                    int64_t down = r * v[0] + j / kw * v[6] - v[2], right = j % kw * v[7] - v[4];
                    if (down < 0 || down >= dims[2]) continue;
                    for (int64_t q = 0; q < wide; q++) {
                        int64_t at = q * v[1] + right;
                        if (at >= 0 && at < dims[3]) y[down * dims[3] + at] += part[q];
                    }
                }
        }
    }
    room->used = packed->used = 0;
}

static float sigmoid(float x) { return 1 / (1 + expf(-x)); }

static void recurrent(pl_model *m, step *s) {
    tensor *x = in(m, s, 0), *wi = in(m, s, 1), *wh = in(m, s, 2);
    const float *from = floats(m, x), *bi = floats(m, in(m, s, 3)), *bh = floats(m, in(m, s, 4));
    int gru = s->ints[0], gates = gru ? 3 : 4;
    int64_t dims[3], steps, batch, size, n, k;
    source first = {floats(m, wi), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, again = first;
    finish f = {bi, NULL, 0, 0, 0, 0, 1}, f2 = {bh, NULL, 0, 0, 0, 0, 1};
    buffer *room, *given, *packed;
    float *y, *cell, *more;
    const float *state;
    check(m, (gru == 0 || gru == 1) && x->rank == 3 && wi->rank == 2 && wh->rank == 2,
          "its dimensions");
    steps = x->dims[0], batch = x->dims[1], k = x->dims[2], size = wh->dims[1], n = gates * size;
    check(m, wh->dims[0] == n && wi->dims[0] == n && wi->dims[1] == k, "its weights do not fit");
    check(m, (!bi || size_of(in(m, s, 3)) == n) && (!bh || size_of(in(m, s, 4)) == n),
          "its biases do not fit");
    first.across = k, again.across = size, again.x = floats(m, wh);
    dims[0] = steps, dims[1] = batch, dims[2] = n;
    given = take(m, (size_t)limited(m, 3, dims) * 4 + 4, 1);
    packed = take(m, (size_t)(packed_rows(steps * batch, k) + packed_rows(batch, size)) * 4 + 4, 1);
    room = take(m, (size_t)(batch * (n + 2 * size)) * 4 + 4, 1);
    dims[2] = size;
    y = make(m, s, 0, PL_FLOAT32, 3, dims);
    pack_rows(from, k, 1, steps * batch, k, (float *)packed->at);
    product(m, steps * batch, n, k, (float *)packed->at, &first, (float *)given->at, &f);
    more = (float *)room->at, cell = more + batch * n, state = cell + batch * size;
    memset(cell, 0, (size_t)(2 * batch * size) * 4);
    for (int64_t t = 0; t < steps; t++) {
        int64_t now = s->ints[1] ? steps - 1 - t : t;
        float *out = y + now * batch * size;
        pack_rows(state, size, 1, batch, size, (float *)packed->at);
        product(m, batch, n, size, (float *)packed->at, &again, more, &f2);
        for (int64_t i = 0; i < batch; i++)
            for (int64_t j = 0; j < size; j++) {
                const float *a = (float *)given->at + (now * batch + i) * n + j;
                const float *b = more + i * n + j;
                float *c = &cell[i * size + j];
                if (gru) {
                    float r = sigmoid(a[0] + b[0]), z = sigmoid(a[size] + b[size]);
                    float fresh = tanhf(a[2 * size] + r * b[2 * size]);
                    out[i * size + j] = z * state[i * size + j] + (1 - z) * fresh;
                } else {
                    *c = sigmoid(a[size] + b[size]) * *c
                         + sigmoid(a[0] + b[0]) * tanhf(a[2 * size] + b[2 * size]);
                    out[i * size + j] = sigmoid(a[3 * size] + b[3 * size]) * tanhf(*c);
                }
            }
        state = out;
    }
    room->used = given->used = packed->used = 0;
}

/* ---------------------------------------------------------------- along axes */

static int64_t whole(const tensor *t, int64_t i) {
    return t->dtype == PL_INT64 ? ((const int64_t *)t->data)[i] : ((const int32_t *)t->data)[i];
}

static int64_t of_whole(pl_model *m, int kind, int64_t u, int64_t v) {
    uint64_t a = (uint64_t)u, b = (uint64_t)v;
    check(m, kind != 3 && kind != 6 && kind >= 0 && kind <= 10, "float32 was expected");
    if (kind < 3) return (int64_t)(kind == 0 ? a + b : kind == 1 ? a - b : a * b);
    if (kind < 6) return (kind == 4) == (u > v) ? u : v;
    return kind == 7 ? u == v : kind == 8 ? u != v : kind == 9 ? u < v : u <= v;
}

static void binary(pl_model *m, step *s) {
    tensor *x = in(m, s, 0), *y = in(m, s, 1);
    const float *a = x->data, *b = y->data;
    int64_t dims[PL_MAX_RANK], xs[PL_MAX_RANK], ys[PL_MAX_RANK], index[PL_MAX_RANK] = {0};
    int64_t second[PL_MAX_RANK], at = 0, bt = 0, n, inner, p, q;
    int rank, yr = y->rank, kind = s->ints[0], dtype = kind > 6 ? PL_FLOAT32 : x->dtype;
    float *c;
    check(m, x->dtype == y->dtype, "its operands are of two data types");
    memcpy(second, y->dims, sizeof second);
    if (s->ints[1] >= 0 && yr < x->rank) {
        check(m, s->ints[1] <= x->rank - yr, "its axis does not fit");
        while (yr < x->rank - s->ints[1]) second[yr++] = 1;
    }
    rank = stretched(m, x->dims, x->rank, second, yr, dims, xs, ys);
    c = make(m, s, 0, dtype, rank, dims);
    n = count_of(dims, rank);
    if (rank == 0) dims[0] = 1, xs[0] = ys[0] = 0, rank = 1;
    inner = dims[rank - 1], p = xs[rank - 1], q = ys[rank - 1];
#define EACH(expression)                           \
    for (int64_t i = 0; i < inner; i++) {          \
        float u = a[at + i * p], v = b[bt + i * q]; \
        *c++ = (expression);                       \
    }                                              \
    break
    for (; n > 0; n -= inner) {
        switch (x->dtype == PL_FLOAT32 ? kind : -1) {
            case -1:
                for (int64_t i = 0; i < inner; i++, c += width(dtype) / 4) {
                    int64_t made = of_whole(m, kind, whole(x, at + i * p), whole(y, bt + i * q));
                    int32_t small = (int32_t)made;
                    if (kind > 6) *c = (float)made;
                    else memcpy(c, dtype == PL_INT64 ? (void *)&made : (void *)&small, width(dtype));
                }
                break;
            case 0: EACH(u + v);
            case 1: EACH(u - v);
            case 2: EACH(u * v);
            case 3: EACH(u / v);
            case 4: EACH(u > v || u != u ? u : v);
            case 5: EACH(u < v || u != u ? u : v);
            case 6: EACH(powf(u, v));
            case 7: EACH(u == v);
            case 8: EACH(u != v);
            case 9: EACH(u < v);
            case 10: EACH(u <= v);
            default: fail(m, "there is no binary operator %d", kind);
        }
        advance(rank - 1, dims, index, xs, &at, ys, &bt);
    }
#undef EACH
}

static void layer_norm(pl_model *m, step *s) {
    tensor *x = in(m, s, 0), *scale = in(m, s, 1), *bias = in(m, s, 2);
    const float *from = floats(m, x), *w = floats(m, scale), *b = floats(m, bias);
    int axis = axis_of(m, s->ints[0], x->rank);
    int64_t rows = count_of(x->dims, axis), n = count_of(x->dims + axis, x->rank - axis);
    float *y;
    check(m, n && (!scale || size_of(scale) == n) && (!bias || size_of(bias) == n),
          "its weights do not fit");
    y = make(m, s, 0, PL_FLOAT32, x->rank, x->dims);
    for (; rows > 0; rows--, from += n, y += n) {
        double mean = 0, square = 0;
        for (int64_t i = 0; i < n; i++) mean += from[i];
        mean /= (double)n;
        for (int64_t i = 0; i < n; i++) square += (from[i] - mean) * (from[i] - mean);
        square = 1 / sqrt(square / (double)n + s->floats[0]);
        for (int64_t i = 0; i < n; i++)
            y[i] = (float)((from[i] - mean) * square) * (w ? w[i] : 1) + (b ? b[i] : 0);
    }
}

static void softmax(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    const float *from = floats(m, x);
    int axis = axis_of(m, s->ints[0], x->rank);
    int64_t n = x->dims[axis], outer = count_of(x->dims, axis);
    int64_t inner = count_of(x->dims + axis + 1, x->rank - axis - 1);
    float *y;
    check(m, n > 0, "there is nothing along its axis");
    y = make(m, s, 0, PL_FLOAT32, x->rank, x->dims);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            const float *f = from + o * n * inner + i;
            float *t = y + o * n * inner + i, top = f[0];
            double sum = 0;
            for (int64_t j = 1; j < n; j++) if (!(f[j * inner] <= top)) top = f[j * inner];
            for (int64_t j = 0; j < n; j++) sum += t[j * inner] = expf(f[j * inner] - top);
            for (int64_t j = 0; j < n; j++) t[j * inner] = (float)(t[j * inner] / sum);
        }
}

static void arg_max(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    const float *from = floats(m, x);
    int axis = axis_of(m, s->ints[0], x->rank), rank = 0;
    int64_t n = x->dims[axis], dims[PL_MAX_RANK], outer = count_of(x->dims, axis);
    int64_t inner = count_of(x->dims + axis + 1, x->rank - axis - 1), *y;
    check(m, n > 0, "there is nothing along its axis");
    for (int i = 0; i < x->rank; i++)
        if (i != axis || s->ints[1]) dims[rank++] = i == axis ? 1 : x->dims[i];
    if (!rank) dims[rank++] = 1;
    y = make(m, s, 0, PL_INT64, rank, dims);
    for (int64_t o = 0; o < outer; o++)
        for (int64_t i = 0; i < inner; i++) {
            const float *f = from + o * n * inner + i;
            int64_t best = 0;
            for (int64_t j = 1; j < n && f[best * inner] == f[best * inner]; j++)
                if (!(f[j * inner] <= f[best * inner])) best = j;
            *y++ = best;
        }
}

static void reduce(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    const float *from = floats(m, x);
    int64_t n = size_of(x), made = 1, kept[PL_MAX_RANK], strides[PL_MAX_RANK];
    int64_t index[PL_MAX_RANK] = {0}, at = 0;
    int gone[PL_MAX_RANK] = {0}, rank = 0, kind = s->ints[0];
    buffer *room;
    double *sum;
    float *y;
    check(m, n > 0 && kind >= 0 && kind <= 4, "nothing to reduce, or no such kind");
    for (int i = 0; i < x->rank; i++) gone[i] = s->n_ints == 2;
    for (int i = 2; i < s->n_ints; i++) gone[axis_of(m, s->ints[i], x->rank)] = 1;
    for (int i = 0; i < x->rank; i++)
        if (!gone[i] || s->ints[1]) kept[rank++] = gone[i] ? 1 : x->dims[i];
    if (!rank) kept[rank++] = 1;
    for (int i = x->rank - 1; i >= 0; i--) {
        strides[i] = gone[i] ? 0 : made;
        if (!gone[i]) made *= x->dims[i];
    }
    y = make(m, s, 0, PL_FLOAT32, rank, kept);
    room = take(m, (size_t)made * sizeof *sum, 1);
    sum = (double *)room->at;
    for (int64_t i = 0; i < made; i++)
        sum[i] = kind == 4 ? 1 : kind == 2 ? -INFINITY : kind == 3 ? INFINITY : 0;
    for (int64_t i = 0; i < n; i++) {
        double v = from[i], u = sum[at];
        sum[at] = kind < 2 ? u + v : kind == 4 ? u * v : kind == 2 ? (v <= u ? u : v)
                                                                   : (v >= u ? u : v);
        advance(x->rank, x->dims, index, strides, &at, NULL, NULL);
    }
    for (int64_t i = 0; i < made; i++)
        y[i] = (float)(kind == 1 ? sum[i] / ((double)n / (double)made) : sum[i]);
    room->used = 0;
}

/* ---------------------------------------------------------------- forms */

/* Sizes: -1 is the rest, -2 - i the size of axis i of the input. */
static void reshape(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    int64_t dims[PL_MAX_RANK] = {0}, rest, n = size_of(x);
    int open = -1;
    for (int i = 0; i < s->n_ints; i++) {
        dims[i] = s->ints[i];
        check(m, -2 - dims[i] < x->rank, "there is no such axis");
        if (dims[i] < -1) dims[i] = x->dims[-2 - dims[i]];
        check(m, dims[i] >= 0 || open < 0, "impossible sizes");
        if (dims[i] < 0) open = i, dims[i] = 1;
    }
    rest = limited(m, s->n_ints, dims);
    if (open >= 0 && rest) dims[open] = n / rest;
    check(m, open >= 0 ? rest && n % rest == 0 : rest == n, "it cannot get these sizes");
    memcpy(make(m, s, 0, x->dtype, s->n_ints, dims), x->data, (size_t)n * width(x->dtype));
}

/* Where a place along an axis is; outside, by mode: -1, mirrored, the edge. */
static int64_t place(int64_t at, int64_t last, int mode) {
    if (mode == 1) at = at < 0 ? -at : at > last ? 2 * last - at : at;
    if (mode == 2) at = at < 0 ? 0 : at > last ? last : at;
    return at > last ? -1 : at;
}

/* Reads along each axis from a start, in steps; `axes`: in which order they become the result's. */
static void picked(pl_model *m, step *s, const int32_t *axes, const int64_t *dims,
                   const int64_t *starts, const int64_t *steps, int mode, float fill) {
    tensor *x = in(m, s, 0);
    int64_t strides[PL_MAX_RANK], sizes[PL_MAX_RANK], index[PL_MAX_RANK] = {0}, apart = 1, at = 0;
    int64_t inner = x->rank ? dims[x->rank - 1] : 1, n = count_of(dims, x->rank);
    int64_t other = fill > -9.2e18f && fill < 9.2e18f ? (int64_t)fill : INT64_MIN;
    int last = x->rank - 1, wide = x->dtype == PL_INT64;
    char *y = make(m, s, 0, x->dtype, x->rank, dims);
    const char *outside = x->dtype == PL_FLOAT32 ? (void *)&fill : (void *)&other;
    for (int i = last; i >= 0; apart *= x->dims[i--])
        for (int j = 0; j <= last; j++)
            if ((axes ? axes[j] : j) == i) strides[j] = apart, sizes[j] = x->dims[i];
    for (; n > 0; n -= inner) {
        int64_t from = 0, q;
        for (int i = 0; i < last && from >= 0; i++) {
            q = place(starts[i] + index[i] * steps[i], sizes[i] - 1, mode);
            from = q < 0 ? -1 : from + q * strides[i];
        }
        for (int64_t j = 0; j < inner; j++, y += wide ? 8 : 4) {
            q = last < 0 ? 0 : place(starts[last] + j * steps[last], sizes[last] - 1, mode);
            q = from < 0 || q < 0 ? -1 : last < 0 ? 0 : from + q * strides[last];
            if (wide) memcpy(y, q < 0 ? outside : (const char *)x->data + q * 8, 8);
            else memcpy(y, q < 0 ? outside : (const char *)x->data + q * 4, 4);
        }
        advance(last, dims, index, strides, &at, NULL, NULL);
    }
}

static void transpose(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    int64_t dims[PL_MAX_RANK], starts[PL_MAX_RANK] = {0}, steps[PL_MAX_RANK];
    int seen = 0;
    check(m, s->n_ints == x->rank, "its axes do not fit");
    for (int i = 0; i < x->rank; i++) {
        check(m, s->ints[i] >= 0 && s->ints[i] < x->rank && !(seen >> s->ints[i] & 1),
              "its axes do not fit");
        seen |= 1 << s->ints[i];
        dims[i] = x->dims[s->ints[i]], steps[i] = 1;
    }
    picked(m, s, s->ints, dims, starts, steps, 0, 0);
}

static void concat(pl_model *m, step *s) {
    tensor *first = &m->tensors[s->ins[0]];
    int axis = axis_of(m, s->ints[0], first->rank);
    int64_t dims[PL_MAX_RANK], rows = count_of(first->dims, axis), sum = 0;
    size_t unit, whole, done = 0;
    char *y;
    for (int i = 0; i < s->n_ins; i++) {
        tensor *x = &m->tensors[s->ins[i]];
        memcpy(dims, x->dims, sizeof dims);
        sum += dims[axis];
        dims[axis] = first->dims[axis];
        check(m, x->dtype == first->dtype && same(first, x->rank, dims), "its operands do not fit");
    }
    dims[axis] = sum;
    unit = (size_t)count_of(dims + axis + 1, first->rank - axis - 1) * width(first->dtype);
    whole = unit * (size_t)sum;
    y = make(m, s, 0, first->dtype, first->rank, dims);
    for (int i = 0; i < s->n_ins; i++) {
        tensor *x = &m->tensors[s->ins[i]];
        size_t size = unit * (size_t)x->dims[axis];
        for (int64_t r = 0; r < rows; r++)
            memcpy(y + done + (size_t)r * whole, (const char *)x->data + (size_t)r * size, size);
        done += size;
    }
}

static void slice(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    int64_t dims[PL_MAX_RANK], starts[PL_MAX_RANK] = {0}, steps[PL_MAX_RANK];
    check(m, s->n_ints % 4 == 0, "axis, start, end and step were expected");
    memcpy(dims, x->dims, sizeof dims);
    for (int i = 0; i < x->rank; i++) steps[i] = 1;
    for (int i = 0; i < s->n_ints; i += 4) {
        int axis = axis_of(m, s->ints[i], x->rank);
        int64_t each = s->ints[i + 3], size = x->dims[axis], ends[2], low = each < 0 ? -1 : 0;
        check(m, each != 0, "a step is 0");
        for (int j = 0; j < 2; j++) {
            int64_t at = s->ints[i + 1 + j];
            if (at < 0) at += size;
            ends[j] = at < low ? low : at > size + low ? size + low : at;
        }
        starts[axis] = ends[0], steps[axis] = each;
        dims[axis] = (ends[1] - ends[0] + each - (each > 0 ? 1 : -1)) / each;
        if (dims[axis] < 0) dims[axis] = 0;
    }
    picked(m, s, NULL, dims, starts, steps, 0, 0);
}

static void pad(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    int64_t dims[PL_MAX_RANK], starts[PL_MAX_RANK], steps[PL_MAX_RANK];
    int mode = s->ints[0];
    check(m, mode >= 0 && mode <= 2 && s->n_ints == 1 + 2 * x->rank, "its paddings do not fit");
    for (int i = 0; i < x->rank; i++) {
        int64_t before = s->ints[1 + 2 * i], after = s->ints[2 + 2 * i], size = x->dims[i];
        int64_t most = mode == 1 ? size - 1 : size || !mode ? MAX_ELEMENTS : 0;
        check(m, before >= 0 && after >= 0 && before <= most && after <= most,
              "its paddings do not fit");
        dims[i] = size + before + after, starts[i] = -before, steps[i] = 1;
    }
    picked(m, s, NULL, dims, starts, steps, mode, s->floats[0]);
}

/* Where a pixel of a result lies in the input. */
static float position(int64_t i, int64_t size, int64_t out, float scale, const int32_t *v) {
    float ratio;
    if (v[1]) return (float)i * (out > 1 ? (float)(size - 1) / (float)(out - 1) : 0)
                     + (v[0] ? 0 : 0.5f);
    ratio = scale > 0 ? 1 / scale : (float)size / (float)out;
    if (v[0] && v[2] == 0) {
        float at = ((float)i + 0.5f) * ratio - 0.5f;
        return at < 0 ? 0 : at;
    }
    return (float)i * ratio;
}

static void interpolate(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    const float *from = floats(m, x);
    const int32_t *v = s->ints;
    int64_t dims[4], h, w;
    float *y;
    check(m, x->rank == 4 && size_of(x), "four dimensions were expected");
    memcpy(dims, x->dims, sizeof dims);
    for (int i = 2; i < 4; i++) {
        float scale = s->floats[i - 2];
        double large = (double)dims[i] * scale;
        check(m, isfinite(scale), "its scale is not finite");
        check(m, large < (double)MAX_ELEMENTS, "sizes are too large");
        dims[i] = scale > 0 ? (int64_t)large : v[1 + i];
        check(m, dims[i] > 0, "nothing would be left");
    }
    h = x->dims[2], w = x->dims[3];
    y = make(m, s, 0, PL_FLOAT32, 4, dims);
    for (int64_t p = dims[0] * dims[1]; p > 0; p--, from += h * w)
        for (int64_t i = 0; i < dims[2]; i++) {
            float a = position(i, h, dims[2], s->floats[0], v);
            int64_t r = a < h - 1 ? (int64_t)a : h - 1, r2 = r + 1 < h ? r + 1 : r;
            for (int64_t j = 0; j < dims[3]; j++) {
                float b = position(j, w, dims[3], s->floats[1], v);
                int64_t c = b < w - 1 ? (int64_t)b : w - 1, c2 = c + 1 < w ? c + 1 : c;
                float down = a - (float)r, right = b - (float)c;
                if (!v[0]) {
                    *y++ = from[r * w + c];
                    continue;
                }
                *y++ = (from[r * w + c] * (1 - down) + from[r2 * w + c] * down) * (1 - right)
                       + (from[r * w + c2] * (1 - down) + from[r2 * w + c2] * down) * right;
            }
        }
}

static void gather(pl_model *m, step *s) {
    tensor *ids = in(m, s, 0), *x = in(m, s, 1);
    int axis = axis_of(m, s->ints[0], x->rank), rank = x->rank - 1 + ids->rank;
    int64_t dims[2 * PL_MAX_RANK], n = size_of(ids), rows = count_of(x->dims, axis);
    int64_t inner = count_of(x->dims + axis + 1, x->rank - axis - 1);
    size_t size = (size_t)inner * width(x->dtype);
    char *y;
    check(m, ids->dtype != PL_FLOAT32 && rank <= PL_MAX_RANK, "whole numbers were expected");
    memcpy(dims, x->dims, sizeof x->dims);
    memcpy(dims + axis, ids->dims, (size_t)ids->rank * sizeof *dims);
    memcpy(dims + axis + ids->rank, x->dims + axis + 1, (size_t)(x->rank - axis - 1) * sizeof *dims);
    y = make(m, s, 0, x->dtype, rank, dims);
    for (int64_t i = 0; i < rows * n; i++, y += size) {
        int64_t id = whole(ids, i % n);
        check(m, id >= 0 && id < x->dims[axis], "a number is outside");
        memcpy(y, (const char *)x->data + (size_t)(i / n * x->dims[axis] + id) * size, size);
    }
}

static void cast(pl_model *m, step *s) {
    tensor *x = in(m, s, 0);
    int dtype = s->ints[0];
    void *y;
    check(m, dtype >= 0 && dtype <= 2, "there is no such data type");
    y = make(m, s, 0, dtype, x->rank, x->dims);
    for (int64_t i = 0, n = size_of(x); i < n; i++) {
        int decimal = x->dtype == PL_FLOAT32;
        float v = decimal ? ((const float *)x->data)[i] : (float)whole(x, i);
        int64_t u = !decimal ? whole(x, i) : v > -9.2e18f && v < 9.2e18f ? (int64_t)v : INT64_MIN;
        if (dtype == PL_FLOAT32) ((float *)y)[i] = v;
        else if (dtype == PL_INT64) ((int64_t *)y)[i] = u;
        else ((int32_t *)y)[i] = (int32_t)u;
    }
}

/* ---------------------------------------------------------------- detection */

static void yolo_box(pl_model *m, step *s) {
    tensor *x = in(m, s, 0), *sizes = in(m, s, 1);
    const float *from = floats(m, x);
    const int32_t *v = s->ints;
    int64_t classes = v[0], count = (s->n_ints - 3) / 2, h, w, dims[3];
    float scale = s->floats[1], shift = -0.5f * (scale - 1), *boxes, *scores;
    check(m, x->rank == 4 && s->n_ints % 2 == 1 && classes >= 0 && v[1] > 0
                 && x->dims[1] == count * (5 + classes) && sizes->rank == 2
                 && sizes->dims[0] == x->dims[0] && sizes->dims[1] == 2
                 && sizes->dtype != PL_FLOAT32,
          "its operands do not fit");
    h = x->dims[2], w = x->dims[3];
    dims[0] = x->dims[0], dims[1] = count * h * w, dims[2] = 4;
    boxes = make(m, s, 0, PL_FLOAT32, 3, dims);
    dims[2] = classes;
    scores = make(m, s, 1, PL_FLOAT32, 3, dims);
    for (int64_t p = 0; p < dims[0] * count; p++, from += (5 + classes) * h * w) {
        float high = (float)whole(sizes, p / count * 2);
        float wide = (float)whole(sizes, p / count * 2 + 1);
        const int32_t *anchor = v + 3 + p % count * 2;
        for (int64_t at = 0; at < h * w; at++, boxes += 4, scores += classes) {
            const float *f = from + at;
            float trust = sigmoid(f[4 * h * w]);
            float cx = ((float)(at % w) + sigmoid(f[0]) * scale + shift) * wide / (float)w;
            float cy = ((float)(at / w) + sigmoid(f[h * w]) * scale + shift) * high / (float)h;
            float bw = expf(f[2 * h * w]) * (float)anchor[0] * wide / ((float)v[1] * (float)w) / 2;
            float bh = expf(f[3 * h * w]) * (float)anchor[1] * high / ((float)v[1] * (float)h) / 2;
            float side[4] = {cx - bw, cy - bh, cx + bw, cy + bh};
            int kept = trust >= s->floats[0];
            if (v[2]) {
                for (int j = 0; j < 2; j++) side[j] = side[j] < 0 ? 0 : side[j];
                side[2] = side[2] > wide - 1 ? wide - 1 : side[2];
                side[3] = side[3] > high - 1 ? high - 1 : side[3];
            }
            for (int j = 0; j < 4; j++) boxes[j] = kept ? side[j] : 0;
            for (int64_t j = 0; j < classes; j++)
                scores[j] = kept ? sigmoid(f[(5 + j) * h * w]) * trust : 0;
        }
    }
}

typedef struct {
    float key, score, shared;
    int32_t label, place, rank;
} choice;

static int by_key(const void *a, const void *b) { /* the largest first, else as they were */
    const choice *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? 1 : -1) : (x->rank > y->rank) - (x->rank < y->rank);
}

static float shared(const float *a, const float *b, float extra) {
    float w = (a[2] < b[2] ? a[2] : b[2]) - (a[0] > b[0] ? a[0] : b[0]) + extra;
    float h = (a[3] < b[3] ? a[3] : b[3]) - (a[1] > b[1] ? a[1] : b[1]) + extra;
    float one = (a[2] - a[0] + extra) * (a[3] - a[1] + extra);
    float two = (b[2] - b[0] + extra) * (b[3] - b[1] + extra);
    return w > 0 && h > 0 ? w * h / (one + two - w * h) : 0;
}

static void multiclass_nms(pl_model *m, step *s) {
    tensor *x = in(m, s, 0), *y = in(m, s, 1);
    const float *boxes = floats(m, x), *scores = floats(m, y);
    const int32_t *v = s->ints;
    int64_t images, classes, n, total = 0, dims[2];
    float extra = v[3] ? 0 : 1, eta = s->floats[2];
    buffer *room, *numbers;
    choice *kept, *now;
    int32_t *counts, *places = NULL;
    float *out;
    check(m, x->rank == 3 && x->dims[2] == 4 && y->rank == 3 && y->dims[0] == x->dims[0]
                 && y->dims[2] == x->dims[1],
          "its operands do not fit");
    images = x->dims[0], n = x->dims[1], classes = y->dims[1];
    room = take(m, (size_t)(size_of(y) + n + 1) * sizeof *kept, 1);
    numbers = take(m, (size_t)images * 4 + 4, 1);
    counts = (int32_t *)numbers->at;
    kept = (choice *)room->at;
    for (int64_t i = 0; i < images; i++, boxes += n * 4) {
        int64_t found = 0;
        for (int64_t c = 0; c < classes; c++, scores += n) {
            float bound = s->floats[1];
            int64_t open = 0;
            now = kept + total + found;
            for (int64_t p = 0; p < n && c != v[0]; p++)
                if (scores[p] > s->floats[0]) {
                    choice one = {scores[p], scores[p], 0, (int32_t)c, (int32_t)p, (int32_t)p};
                    now[open++] = one;
                }
            qsort(now, (size_t)open, sizeof *now, by_key);
            if (v[1] >= 0 && open > v[1]) open = v[1];
            for (int64_t at = 0, used = 0; at < open; at++) {
                choice one = now[at];
                if (used && !(one.shared <= bound)) continue;
                now[used++] = one, found++;
                if (eta < 1 && bound > 0.5f) bound *= eta;
                for (int64_t j = at + 1; j < open; j++) {
                    float more = shared(boxes + one.place * 4, boxes + now[j].place * 4, extra);
                    if (!(more <= now[j].shared)) now[j].shared = more;
                }
            }
        }
        now = kept + total;
        for (int64_t j = 0; j < found; j++) now[j].rank = (int32_t)j;
        qsort(now, (size_t)found, sizeof *now, by_key);
        if (v[2] >= 0 && found > v[2]) found = v[2];
        for (int64_t j = 0; j < found; j++)
            now[j].rank = (int32_t)j, now[j].key = (float)-now[j].label;
        qsort(now, (size_t)found, sizeof *now, by_key);
        counts[i] = (int32_t)found;
        total += found;
    }
    dims[0] = total, dims[1] = 6;
    if (s->n_outs == 1 && !total) dims[0] = dims[1] = 1;
    out = make(m, s, 0, PL_FLOAT32, 2, dims);
    if (s->n_outs == 1 && !total) out[0] = -1;
    dims[1] = 1;
    if (s->n_outs > 1) places = make(m, s, 1, PL_INT32, 2, dims);
    now = kept;
    for (int64_t i = 0; i < images; i++)
        for (int32_t j = 0; j < counts[i]; j++, now++, out += 6) {
            int64_t place_ = i * n + now->place;
            out[0] = (float)now->label, out[1] = now->score;
            memcpy(out + 2, (const float *)x->data + place_ * 4, 16);
            if (places) *places++ = (int32_t)place_;
        }
    if (s->n_outs > 2) memcpy(make(m, s, 2, PL_INT32, 1, &images), counts, (size_t)images * 4);
    room->used = numbers->used = 0;
}

/* ---------------------------------------------------------------- the file */

/* Operator; least and most operands, results, whole numbers; other numbers; operands that may be
 * missing, as bits. `paddlelite/reader.py` has the same table. */
#define OP(name, ...) {#name, name, {__VA_ARGS__}}
static const struct {
    const char *name;
    kernel *run;
    int limits[8];
} OPERATORS[] = {
    OP(conv2d, 4, 4, 1, 1, 10, 10, 2, 12), OP(conv2d_transpose, 3, 3, 1, 1, 9, 9, 0, 4),
    OP(recurrent, 5, 5, 1, 1, 2, 2, 0, 24), OP(arg_max, 1, 1, 1, 1, 2, 2, 0, 0),
    OP(matmul, 3, 3, 1, 1, 2, 2, 1, 4),
    OP(pool2d, 1, 1, 1, 1, 12, 12, 0, 0), OP(activation, 1, 1, 1, 1, 1, 1, 2, 0),
    OP(binary, 2, 2, 1, 1, 2, 2, 0, 0), OP(layer_norm, 3, 3, 1, 1, 1, 1, 1, 6),
    OP(softmax, 1, 1, 1, 1, 1, 1, 0, 0), OP(reduce, 1, 1, 1, 1, 2, 10, 0, 0),
    OP(reshape, 1, 1, 1, 1, 0, 8, 0, 0), OP(transpose, 1, 1, 1, 1, 0, 8, 0, 0),
    OP(concat, 1, 1024, 1, 1, 1, 1, 0, 0), OP(slice, 1, 1, 1, 1, 4, 32, 0, 0),
    OP(pad, 1, 1, 1, 1, 1, 17, 1, 0), OP(gather, 2, 2, 1, 1, 1, 1, 0, 0),
    OP(cast, 1, 1, 1, 1, 1, 1, 0, 0), OP(interpolate, 1, 1, 1, 1, 5, 5, 2, 0),
    OP(yolo_box, 2, 2, 2, 2, 5, 67, 2, 0), OP(multiclass_nms, 2, 2, 1, 3, 4, 4, 3, 0),
};
enum { N_OPERATORS = sizeof OPERATORS / sizeof *OPERATORS };

static uint64_t number(const unsigned char *at, int bytes) {
    uint64_t n = 0;
    for (int i = bytes - 1; i >= 0; i--) n = n << 8 | at[i];
    return n;
}

static uint32_t checksum(const unsigned char *data, size_t size) {
    uint32_t table[8][256], crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < 256; i++) {
        table[0][i] = i;
        for (int j = 0; j < 8; j++) table[0][i] = table[0][i] >> 1 ^ (table[0][i] & 1) * 0xEDB88320u;
    }
    for (uint32_t i = 0; i < 256; i++)
        for (int j = 1; j < 8; j++)
            table[j][i] = table[j - 1][i] >> 8 ^ table[0][table[j - 1][i] & 255];
    for (; size >= 8; size -= 8, data += 8) {
        uint64_t x = number(data, 8) ^ crc;
        crc = 0;
        for (int j = 0; j < 8; j++) crc ^= table[7 - j][x >> 8 * j & 255];
    }
    for (; size; size--) crc = crc >> 8 ^ table[0][(crc ^ *data++) & 255];
    return ~crc;
}

typedef struct {
    const unsigned char *at;
    size_t left;
} cursor;

static uint64_t next(pl_model *m, cursor *c, int bytes) {
    uint64_t n;
    check(m, c->left >= (size_t)bytes, "damaged .nb file: its program ends too early");
    n = number(c->at, bytes);
    c->at += bytes, c->left -= (size_t)bytes;
    return n;
}

static char *text(pl_model *m, cursor *c, size_t length) {
    char *made = own(m, length + 1, 1);
    check(m, c->left >= length, "damaged .nb file: its program ends too early");
    memcpy(made, c->at, length);
    c->at += length, c->left -= length;
    return made;
}

static const char DAMAGED[] = "damaged .nb file: a tensor";

static const unsigned char *blob_at(pl_model *m, const unsigned char *blob, size_t blob_size,
                                    uint64_t at, uint64_t size) {
    check(m, at % 64 == 0 && at <= blob_size && size <= blob_size - at, DAMAGED);
    return blob + at;
}

static void read_tensor(pl_model *m, tensor *t, cursor *c, const unsigned char *blob, size_t size,
                        size_t *unclaimed) {
    int kind = (int)next(m, c, 1), stored = (int)next(m, c, 1), rank = (int)next(m, c, 1);
    int axis = (int)next(m, c, 1);
    uint64_t at, bytes;
    int64_t n;
    t->name = text(m, c, (size_t)next(m, c, 2));
    check(m, kind <= 2 && rank <= PL_MAX_RANK, DAMAGED);
    t->dtype = kind, t->rank = rank, t->last = -1;
    for (int i = 0; i < rank; i++) t->dims[i] = (int32_t)next(m, c, 4);
    at = next(m, c, 8), bytes = next(m, c, 8);
    if (at == UINT64_MAX) {
        check(m, bytes == 0 && stored == kind, DAMAGED);
        for (int i = 0; i < rank; i++) check(m, t->dims[i] >= -1, DAMAGED);
        return;
    }
    check(m, stored == kind || (kind == 0 && (stored == 8 || stored == 9)), DAMAGED);
    n = limited(m, rank, t->dims);
    check(m, bytes == (uint64_t)n * (stored == 8 ? 1 : stored == 9 ? 2 : width(kind)), DAMAGED);
    check(m, bytes <= *unclaimed, DAMAGED);
    *unclaimed -= bytes; /* so no file becomes far larger in memory */
    t->constant = 1;
    t->data = blob_at(m, blob, size, at, bytes);
    if (stored != kind) {
        float *made = own(m, (size_t)n, 4);
        const unsigned char *values = t->data, *scales;
        int64_t inner;
        check(m, axis < rank, DAMAGED);
        scales = blob_at(m, blob, size, next(m, c, 8), (uint64_t)t->dims[axis] * 4);
        inner = count_of(t->dims + axis + 1, rank - axis - 1);
        for (int64_t i = 0; i < n; i++) {
            float scale;
            int value = stored == 8 ? (int8_t)values[i] : (int16_t)number(values + 2 * i, 2);
            memcpy(&scale, scales + i / inner % t->dims[axis] * 4, 4);
            made[i] = (float)value * scale;
        }
        t->data = made;
    }
}

static void read_step(pl_model *m, step *s, cursor *c) {
    size_t length = (size_t)next(m, c, 1);
    int counts[4], found = -1;
    char *name;
    for (int i = 0; i < 4; i++) counts[i] = (int)next(m, c, 2);
    name = text(m, c, length);
    for (int i = 0; i < N_OPERATORS; i++)
        if (!strcmp(OPERATORS[i].name, name)) found = i;
    if (found < 0) fail(m, "this runtime has no operator '%.60s'; is the file of a later one?", name);
    for (int i = 0; i < 3; i++)
        check(m, counts[i] >= OPERATORS[found].limits[2 * i]
                     && counts[i] <= OPERATORS[found].limits[2 * i + 1],
              "damaged .nb file: the counts of an operator");
    check(m, counts[3] == OPERATORS[found].limits[6], "damaged .nb file: the counts of an operator");
    s->name = name, s->run = OPERATORS[found].run;
    s->n_ins = counts[0], s->n_outs = counts[1], s->n_ints = counts[2], s->n_floats = counts[3];
    s->ins = own(m, (size_t)counts[0], sizeof *s->ins);
    s->outs = own(m, (size_t)counts[1], sizeof *s->outs);
    s->ints = own(m, (size_t)counts[2], sizeof *s->ints);
    s->floats = own(m, (size_t)counts[3], sizeof *s->floats);
    for (int i = 0; i < counts[0]; i++) {
        uint32_t at = (uint32_t)next(m, c, 4);
        int may = i < 5 && OPERATORS[found].limits[7] >> i & 1;
        check(m, at < m->n_tensors || (at == NONE && may), "damaged .nb file: an operand");
        s->ins[i] = at == NONE ? -1 : (int64_t)at;
    }
    for (int i = 0; i < counts[1]; i++) {
        s->outs[i] = (uint32_t)next(m, c, 4);
        check(m, s->outs[i] < m->n_tensors, "damaged .nb file: a result");
    }
    for (int i = 0; i < counts[2]; i++) s->ints[i] = (int32_t)next(m, c, 4);
    for (int i = 0; i < counts[3]; i++) {
        uint32_t bits = (uint32_t)next(m, c, 4);
        memcpy(&s->floats[i], &bits, 4);
    }
}

/* Every tensor is made once, before it is read; notes where each is read last. */
static void check_order(pl_model *m) {
    char *known = own(m, m->n_tensors, 1);
    for (uint32_t i = 0; i < m->n_tensors; i++) known[i] = (char)m->tensors[i].constant;
    for (uint32_t i = 0; i < m->n_ins; i++) {
        check(m, m->ins[i] < m->n_tensors && !known[m->ins[i]], "damaged .nb file: its inputs");
        known[m->ins[i]] = 1;
    }
    for (uint32_t i = 0; i < m->n_steps; i++) {
        step *s = &m->steps[i];
        for (int j = 0; j < s->n_ins; j++) {
            if (s->ins[j] < 0) continue;
            check(m, known[s->ins[j]], "damaged .nb file: the order of its operators");
            m->tensors[s->ins[j]].last = (int)i;
        }
        for (int j = 0; j < s->n_outs; j++) {
            check(m, !known[s->outs[j]], "damaged .nb file: an operator writes twice");
            known[s->outs[j]] = 1;
        }
    }
    for (uint32_t i = 0; i < m->n_outs; i++) {
        check(m, m->outs[i] < m->n_tensors && known[m->outs[i]], "damaged .nb file: its outputs");
        m->tensors[m->outs[i]].is_output = 1;
    }
}

static void read_file(pl_model *m, const unsigned char *at, size_t size) {
    uint64_t places[6];
    cursor c;
    size_t unclaimed;
    uint32_t counts[4];
    check(m, size >= 8 && !memcmp(at, "PYPDNB\r\n", 8),
          "not a .nb file of paddlelite (those of the original Paddle Lite are another layout)");
    check(m, size >= 64, "damaged .nb file: it ends in its header");
    check(m, (uintptr_t)at % 8 == 0, "the memory of a file has to be aligned to 8 bytes");
    check(m, number(at + 8, 4) == 1, "a .nb file of a version that this runtime does not read");
    for (int i = 0; i < 6; i++) places[i] = number(at + 16 + 8 * i, 8);
    check(m, places[0] == size, "damaged .nb file: its size");
    check(m, number(at + 12, 4) == checksum(at + 16, size - 16), "damaged .nb file: its checksum");
    check(m, places[1] == 64 && places[2] <= size - 64 && places[5] == 0 && places[3] % 64 == 0
                 && places[3] >= 64 + places[2] && places[3] <= size
                 && places[4] == size - places[3],
          "damaged .nb file: the places in its header");
    c.at = at + 64, c.left = (size_t)places[2], unclaimed = (size_t)places[4];
    for (int i = 0; i < 4; i++) {
        counts[i] = (uint32_t)next(m, &c, 4);
        check(m, counts[i] <= places[2], "damaged .nb file: its counts");
    }
    check(m, counts[3] > 0, "damaged .nb file: it has no outputs");
    m->n_tensors = counts[0], m->tensors = own(m, counts[0], sizeof *m->tensors);
    m->steps = own(m, counts[1], sizeof *m->steps);
    for (uint32_t i = 0; i < counts[0]; i++)
        read_tensor(m, &m->tensors[i], &c, at + places[3], (size_t)places[4], &unclaimed);
    for (uint32_t i = 0; i < counts[1]; i++) read_step(m, &m->steps[i], &c);
    m->n_steps = counts[1], m->n_ins = counts[2], m->n_outs = counts[3];
    m->ins = own(m, counts[2], sizeof *m->ins);
    m->outs = own(m, counts[3], sizeof *m->outs);
    for (uint32_t i = 0; i < counts[2]; i++) m->ins[i] = (uint32_t)next(m, &c, 4);
    for (uint32_t i = 0; i < counts[3]; i++) m->outs[i] = (uint32_t)next(m, &c, 4);
    check(m, c.left == 0, "damaged .nb file: there is more behind its program");
    check_order(m);
}

/* ---------------------------------------------------------------- the interface */

pl_model *pl_load(const void *bytes, size_t size, char *error, size_t error_size) {
    pl_model *const volatile m = calloc(1, sizeof *m);
    if (m && !setjmp(m->back)) {
        m->threads = 1;
        read_file(m, bytes, size);
        return m;
    }
    snprintf(error, error_size, "%s", m ? m->error : "out of memory");
    pl_close(m);
    return NULL;
}

pl_model *pl_open(const char *path, char *error, size_t error_size) {
    FILE *file = fopen(path, "rb");
    long size = -1;
    char *bytes = NULL;
    pl_model *m = NULL;
    if (file && !fseek(file, 0, SEEK_END)) size = ftell(file);
    if (size >= 0) bytes = malloc((size_t)size + 1);
    if (bytes && !fseek(file, 0, SEEK_SET) && fread(bytes, 1, (size_t)size, file) == (size_t)size)
        m = pl_load(bytes, (size_t)size, error, error_size);
    else snprintf(error, error_size, "cannot read '%s'", path);
    if (file) fclose(file);
    if (m) m->file = bytes;
    else free(bytes);
    return m;
}

void pl_close(pl_model *m) {
    if (!m) return;
    for (size_t i = 0; i < m->n_buffers; i++) free(m->buffers[i]->raw);
    for (size_t i = 0; i < m->n_owned; i++) free(m->owned[i]);
    free(m->buffers);
    free(m->owned);
    free(m->file);
    free(m);
}

int pl_input_count(const pl_model *m) { return (int)m->n_ins; }
int pl_output_count(const pl_model *m) { return (int)m->n_outs; }
const char *pl_error(const pl_model *m) { return m->error; }

static int tell(pl_model *m, int index, uint32_t count, const uint32_t *list, pl_tensor *found) {
    tensor *t;
    m->now = NULL;
    if (setjmp(m->back)) return -1;
    check(m, index >= 0 && (uint32_t)index < count, "there is no such input or output");
    t = &m->tensors[list[index]];
    found->name = t->name, found->dtype = t->dtype, found->rank = t->rank, found->data = t->data;
    memcpy(found->dims, t->dims, sizeof t->dims);
    return 0;
}

int pl_input(pl_model *m, int i, pl_tensor *t) { return tell(m, i, m->n_ins, m->ins, t); }
int pl_output(pl_model *m, int i, pl_tensor *t) { return tell(m, i, m->n_outs, m->outs, t); }

int pl_set_input(pl_model *m, int index, int dtype, int rank, const int64_t *dims,
                 const void *data) {
    tensor *t;
    size_t size;
    m->now = NULL;
    if (setjmp(m->back)) return -1;
    check(m, index >= 0 && (uint32_t)index < m->n_ins, "there is no such input");
    t = &m->tensors[m->ins[index]];
    if (dtype != t->dtype || rank != t->rank)
        fail(m, "input '%.100s': another data type or number of dimensions was expected", t->name);
    size = (size_t)limited(m, rank, dims) * width(dtype);
    t->data = NULL;
    if (t->home && t->home->size < size + ALIGN) grow(m, t->home, size + ALIGN);
    if (!t->home) t->home = take(m, size + ALIGN, 2);
    memcpy(t->dims, dims, (size_t)rank * sizeof *dims);
    memcpy(t->home->at, data, size);
    t->data = t->home->at;
    return 0;
}

int pl_set_threads(pl_model *m, int threads) {
    m->now = NULL;
    if (setjmp(m->back)) return -1;
    if (threads < 1 || threads > MAX_THREADS) /* 1 where PL_THREADS was not defined */
        fail(m, "1 to %d threads can compute, not %d", MAX_THREADS, threads);
    m->threads = threads;
    return 0;
}

int pl_run(pl_model *m) {
    m->now = NULL;
    if (setjmp(m->back)) return -1;
    for (uint32_t i = 0; i < m->n_ins; i++)
        if (!m->tensors[m->ins[i]].data)
            fail(m, "input '%.100s' has no contents", m->tensors[m->ins[i]].name);
    for (size_t i = 0; i < m->n_buffers; i++)
        if (m->buffers[i]->used == 1) m->buffers[i]->used = 0;
    for (uint32_t i = 0; i < m->n_steps; i++) /* where this run fails, there are no results */
        for (int j = 0; j < m->steps[i].n_outs; j++) m->tensors[m->steps[i].outs[j]].data = NULL;
    for (uint32_t i = 0; i < m->n_steps; i++) {
        step *s = m->now = &m->steps[i];
        s->run(m, s);
        for (int j = 0; j < s->n_ins; j++) {
            tensor *t = in(m, s, j);
            if (t && t->last == (int)i && !t->is_output && t->home && t->home->used == 1)
                t->home->used = 0;
        }
    }
    m->now = NULL;
    return 0;
}
