/* A library that lies: what each macro changes, a test says. */
#include "paddle/c_abi.h"

#ifndef NAME
#define NAME "hostile_op"
#endif
#ifndef INPUTS
#define INPUTS 1
#endif
#ifndef OUTPUTS
#define OUTPUTS 1
#endif
#ifndef ATTRIBUTES
#define ATTRIBUTES 0
#endif
#ifndef TYPE
#define TYPE PD_ATTR_INT
#endif
#ifndef INPLACE
#define INPLACE -1
#endif
#ifndef COUNT
#define COUNT 1
#endif
#ifndef SECOND
#define SECOND "Y"
#endif
#ifndef SIZE
#define SIZE sizeof(PD_Library)
#endif
#ifndef SHAPE
#define SHAPE
#endif
#ifndef CALL
#define CALL
#endif
#ifndef INFER
#define INFER infer
#endif
#ifndef GRADIENT
#define GRADIENT 0
#endif
#ifndef DESCRIBED
#define DESCRIBED &told
#endif

static const PD_Host* host;
static const PD_Slot in[] = {{"X", 0, 0, -1}, {SECOND, 0, 0, -1}};
static const PD_Slot out[] = {{"Out", 0, 0, INPLACE}};
static const PD_Attribute attrs[] = {{"a", 0, TYPE, 0, {0, 0, 0, {0}}}};
static const PD_Binding bound[] = {{0, 7}, {0, 0}};
static const PD_Gradient gradient = {"relu", bound, bound, 0, 0, 0};
static const PD_Operator told = {NAME, 0, PD_HAS_INFER_SHAPE, INPUTS, in, OUTPUTS, out, ATTRIBUTES,
                                 attrs, GRADIENT, 0, 0};
static int32_t count(void) { return COUNT; }
static const PD_Operator* describe(int32_t op) { (void)op; (void)gradient; return DESCRIBED; }
static int32_t infer(int32_t op, PD_Call* c) { (void)op; (void)c; SHAPE; return PD_OK; }
static int32_t call(int32_t op, PD_Call* c) { (void)op; (void)c; CALL; return PD_OK; }
static const PD_Library library = {PD_ABI_VERSION, SIZE, "C", count, describe, INFER, infer, call};
const PD_Library* PD_ENTRY(const PD_Host* given) { (void)told; host = given; return &library; }
