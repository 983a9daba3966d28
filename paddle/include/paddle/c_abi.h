/* The C interface between paddle and libraries of operators, version 1.

   A library exports one function, PD_ENTRY: it gets the table of what the host (paddle) can do and
   returns a table of what the library can do. Nothing else is shared: no C++ type, no Python, no
   torch. The header is C99, so a library can be written in C, C++, Rust or Zig; paddle/extension.h
   and paddle/fluid/framework/op_registry.h are C++ over it.

   Rules.
   - Strings are UTF-8 and end in 0. What the library returns from PD_ENTRY stays valid for ever.
   - Nothing is thrown across: a function calls host->error(...) and returns the code.
   - The functions of a library may be called by several threads at once.
   - Pointers in a PD_Call are valid during the call only.
   - Memory comes from the host: on a GPU from its allocator, in the order of call->stream.
   - A field may be added at the end of a struct; PD_ABI_VERSION then stays, `size` grows. Whatever
     else changes makes a new version, and a library of another version is not loaded. */

#ifndef PADDLE_C_ABI_H_
#define PADDLE_C_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PD_ABI_VERSION 1u
#define PD_MAX_RANK 32 /* an array for sizes that the host hands over has this many elements */

#if defined(_WIN32)
#define PD_EXPORT __declspec(dllexport)
#else
#define PD_EXPORT __attribute__((visibility("default")))
#endif

/* ---------------------------------------------------------------- codes */

/* What a function returns. Beyond PD_OK and PD_OTHER_OUTPUTS it is a kind of error. */
enum {
  PD_OTHER_OUTPUTS = -1, /* done; outputs or their counts are not those that the host offered */
  PD_OK = 0,             /* done; every output is in the memory that was offered for it */
  PD_INVALID_ARGUMENT = 1,
  PD_NOT_FOUND = 2,
  PD_OUT_OF_RANGE = 3,
  PD_ALREADY_EXISTS = 4,
  PD_RESOURCE_EXHAUSTED = 5,
  PD_PRECONDITION_NOT_MET = 6,
  PD_PERMISSION_DENIED = 7,
  PD_EXECUTION_TIMEOUT = 8,
  PD_UNIMPLEMENTED = 9,
  PD_UNAVAILABLE = 10,
  PD_FATAL = 11,
  PD_EXTERNAL = 12,
  PD_NO_KERNEL = 13 /* no kernel for these data types, or for this device */
};

/* Kinds of devices, numbered as in DLPack. */
enum { PD_CPU = 1, PD_CUDA = 2, PD_CUDA_PINNED = 3, PD_ROCM = 10, PD_ONEAPI = 14 };

/* Classes of data types, numbered as in DLPack. */
enum {
  PD_INT = 0,
  PD_UINT = 1,
  PD_FLOAT = 2,
  PD_BFLOAT = 4,
  PD_COMPLEX = 5,
  PD_BOOL = 6
};

/* ---------------------------------------------------------------- tensors */

typedef struct PD_Device {
  int32_t type; /* PD_CPU, PD_CUDA, ... */
  int32_t id;
} PD_Device;

typedef struct PD_DType {
  uint8_t code;   /* PD_INT, PD_FLOAT, ... */
  uint8_t bits;   /* of one element: 32 for float32, 64 for complex64, 8 for bool */
  uint16_t lanes; /* always 1 */
} PD_DType;

/* Offsets that split the rows into sequences; the outermost level first. */
typedef struct PD_Lod {
  int32_t levels;
  const int64_t* lengths;        /* how many offsets each level has */
  const int64_t* const* offsets; /* each begins with 0 */
} PD_Lod;

enum {
  PD_UNWANTED = 1u /* an output of a gradient whose result nobody will look at */
};

/* Begins as a DLTensor of DLPack does. */
typedef struct PD_Tensor {
  void* data; /* NULL: nothing is there yet, or sizes alone are given */
  PD_Device device;
  int32_t ndim;
  PD_DType dtype;
  int64_t* shape;       /* in infer_shape -1 stands for a size that is not known */
  int64_t* strides;     /* in elements; NULL: rows are one behind the other (always, but for
                           operators with PD_TAKES_STRIDES) */
  uint64_t byte_offset; /* the first element is at data + byte_offset; 0 in what the host gives */
  uint64_t handle;      /* whose memory it is, for the host; see PD_Host.allocate */
  const PD_Lod* lod;    /* NULL: no sequences */
  uint32_t flags;
  uint32_t reserved;
} PD_Tensor;

/* ---------------------------------------------------------------- attributes */

enum {
  PD_ATTR_BOOL = 1, /* i: 0 or 1 */
  PD_ATTR_INT,      /* i, of 32 bits */
  PD_ATTR_INT64,    /* i */
  PD_ATTR_FLOAT,    /* d */
  PD_ATTR_DOUBLE,   /* d */
  PD_ATTR_STRING,   /* s, of `count` bytes and a 0 */
  PD_ATTR_BOOLS,    /* list: const uint8_t*, `count` of them */
  PD_ATTR_INTS,     /* list: const int32_t* */
  PD_ATTR_INT64S,   /* list: const int64_t* */
  PD_ATTR_FLOATS,   /* list: const float* */
  PD_ATTR_DOUBLES,  /* list: const double* */
  PD_ATTR_STRINGS   /* list: const PD_String* */
};

typedef struct PD_String {
  const char* s;
  int64_t count;
} PD_String;

typedef struct PD_Value {
  int32_t type; /* PD_ATTR_... */
  int32_t reserved;
  int64_t count; /* elements of a list, bytes of a string */
  union {
    int64_t i;
    double d;
    const char* s;
    const void* list;
  } as;
} PD_Value;

/* ---------------------------------------------------------------- what a library has */

enum {
  PD_SLOT_LIST = 1u,         /* a list of tensors */
  PD_SLOT_OPTIONAL = 2u,     /* it may be missing */
  PD_SLOT_NO_GRADIENT = 4u,  /* no gradient flows through it */
  PD_SLOT_NO_BUFFER = 8u,    /* an input of a gradient of which the sizes alone are read */
  PD_SLOT_INTERMEDIATE = 16u, /* an output that is there for the gradient alone */
  PD_SLOT_MAY_REUSE = 32u    /* an output: `inplace` may be done, where the input is needed no more */
};

typedef struct PD_Slot {
  const char* name;
  const char* doc; /* or NULL */
  uint32_t flags;
  int32_t inplace; /* of an output: the number of the input that it is written into, else -1 */
} PD_Slot;

typedef struct PD_Attribute {
  const char* name;
  const char* doc; /* or NULL */
  int32_t type;    /* PD_ATTR_... */
  int32_t has_initial;
  PD_Value initial; /* the default, where there is one */
} PD_Attribute;

/* Where an input of a gradient operator comes from. */
enum { PD_FROM_INPUT = 0, PD_FROM_OUTPUT = 1, PD_FROM_OUTPUT_GRADIENT = 2 };

typedef struct PD_Binding {
  int32_t source; /* PD_FROM_...; of an output always PD_FROM_INPUT: it is that one's gradient */
  int32_t slot;   /* which input or output of the operator; -1: none, the slot stays empty */
} PD_Binding;

/* The operator that gives the gradients of another one. Without bindings they follow from names:
   X and Out are the inputs and outputs of those names, Out@GRAD comes with the gradient, X@GRAD is
   what is computed. In the gradient of a gradient, Out@GRAD is its input of that name, X@GRAD@GRAD
   the gradient of its output X@GRAD, Out@GRAD@GRAD (an output) the gradient of its input Out@GRAD,
   Out@NEW@GRAD that of its input Out. Attributes go on by name. */
typedef struct PD_Gradient {
  const char* name;           /* an operator of the same library, or a built-in one */
  const PD_Binding* inputs;   /* one for each input of that operator, or NULL */
  const PD_Binding* outputs;  /* one for each output of that operator, or NULL */
  int32_t attribute_count;    /* attributes that it gets beside those of the same name */
  const char* const* attribute_names;
  const PD_Value* attribute_values;
} PD_Gradient;

typedef struct PD_Kernel {
  int32_t device; /* PD_CPU, ... */
  PD_DType dtype; /* of the first input */
} PD_Kernel;

enum {
  PD_HAS_INFER_SHAPE = 1u, /* else every output has the sizes of the first input */
  PD_HAS_INFER_DTYPE = 2u, /* else every output has the data type of the first input */
  PD_TAKES_STRIDES = 4u,   /* inputs may be anything but contiguous */
  PD_OWN_LOD = 8u,         /* it sets the sequences of its outputs (PD_Host.set_lod) */
  PD_SHARES_LOD = 16u,     /* outputs with as many rows have the sequences of the first input */
  PD_RANDOM = 32u          /* two calls may give different results */
};

typedef struct PD_Operator {
  const char* name;
  const char* doc; /* or NULL */
  uint32_t flags;
  int32_t input_count;
  const PD_Slot* inputs;
  int32_t output_count;
  const PD_Slot* outputs;
  int32_t attribute_count;
  const PD_Attribute* attributes;
  const PD_Gradient* gradient; /* NULL: it has none */
  int32_t kernel_count;        /* 0: the operator says itself what it does not take */
  const PD_Kernel* kernels;
} PD_Operator;

struct PD_Call;

typedef struct PD_Library {
  uint32_t version;       /* PD_ABI_VERSION; these two fields stay where they are in any version */
  uint32_t size;          /* sizeof(PD_Library) */
  const char* built_with; /* compiler and standard, for messages; or NULL */
  int32_t (*count)(void); /* how many operators there are */
  const PD_Operator* (*describe)(int32_t op); /* op: 0 to count() - 1 */

  /* These three return a code of the first enum. `call` tells what is given.
     infer_shape  sets outputs[i].ndim and .shape[...], and output_counts of lists
     infer_dtype  sets outputs[i].dtype
     call         computes; before it, outputs[i] is memory of the sizes that were inferred */
  int32_t (*infer_shape)(int32_t op, struct PD_Call* call);
  int32_t (*infer_dtype)(int32_t op, struct PD_Call* call);
  int32_t (*call)(int32_t op, struct PD_Call* call);
} PD_Library;

/* ---------------------------------------------------------------- a call */

enum {
  PD_RUNTIME = 1u /* sizes are those of real tensors; else a Program is being made */
};

typedef struct PD_Call {
  uint32_t size; /* sizeof(PD_Call) */
  uint32_t flags;
  PD_Device device; /* where the operator runs */
  void* stream;     /* of the device: a cudaStream_t; NULL on the CPU, and the default one */

  int32_t input_count;         /* tensors of all slots together, a list's one after the other */
  int32_t output_count;        /* likewise */
  const PD_Tensor* inputs;
  const int32_t* input_counts; /* for each slot how many there are: 0 where it is missing */
  PD_Tensor* outputs;          /* what the host offers; the library may replace them, see PD_Host */
  int32_t* output_counts;      /* for each slot; 0: it is missing, or a list whose length infer_shape
                                  has to set */
  const PD_Value* attributes;  /* one for each PD_Attribute, in that order */
  const void* host_data;       /* for the host */
} PD_Call;

/* ---------------------------------------------------------------- what the host does */

typedef struct PD_Host {
  uint32_t version; /* PD_ABI_VERSION of the host */
  uint32_t size;    /* sizeof(PD_Host) */

  /* Says what went wrong; the function then returns `code`. `call` may be NULL (in PD_ENTRY). */
  void (*error)(PD_Call* call, int32_t code, const char* text);

  /* New memory, without values. The library owns it by the handle in `made` and gives it back with
     release. An output is handed over by copying the tensor to call->outputs[i] and returning
     PD_OTHER_OUTPUTS: its handle then belongs to the host (once, if it stands there twice). An
     output may also be an input, an offer, or a part of any tensor (another data or shape with the
     same handle): the host copies where two results, or a result and an input, would be one. */
  int32_t (*allocate)(PD_Call* call, int32_t ndim, const int64_t* shape, PD_DType dtype,
                      PD_Device device, PD_Tensor* made);
  void (*release)(uint64_t handle);
  void (*retain)(uint64_t handle); /* it has to be released once more. Both do nothing for inputs and
                                      offers, which are there during the call alone */

  /* A copy with another data type, on another device, or of its own memory. */
  int32_t (*convert)(PD_Call* call, const PD_Tensor* from, PD_DType dtype, PD_Device device,
                     PD_Tensor* made);

  /* Makes room for `count` outputs, where a list is longer than was offered; returns the array,
     which is call->outputs from then on. */
  PD_Tensor* (*room)(PD_Call* call, int32_t count);

  /* Gives an output its sequences; offsets are copied. */
  int32_t (*set_lod)(PD_Call* call, int32_t output, const PD_Lod* lod);

  /* The stream on which work for a device is queued at present. */
  void* (*stream)(PD_Device device);

  /* Calls an operator, built in or loaded, by its name. `counts` says how many tensors each input
     slot has (0: missing), `slots` how many numbers that are; attributes not given have their
     defaults. Afterwards *made points to *made_count tensors, and *made_counts to their number in
     each output slot, valid until the next such call of the thread; the library owns the handles. */
  int32_t (*call_operator)(PD_Call* call, const char* name, int32_t slots, const int32_t* counts,
                           const PD_Tensor* inputs, int32_t attribute_count,
                           const char* const* attribute_names, const PD_Value* attribute_values,
                           int32_t* made_count, const PD_Tensor** made,
                           const int32_t** made_counts);

  /* A line for the log, shown if GLOG_v is at least `level`. */
  void (*log)(int32_t level, const char* text);
} PD_Host;

/* The one function that a library exports, under the name that PD_ENTRY stands for. NULL: the
   library cannot be used; it has called host->error. */
#define PD_ENTRY paddle_operator_library
typedef const PD_Library* (*PD_EntryFunction)(const PD_Host* host);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* PADDLE_C_ABI_H_ */
