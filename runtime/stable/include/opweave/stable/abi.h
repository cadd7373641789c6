/* The binary interface between operator libraries and Opweave's core: what stays from release to
 * release.
 *
 * A library is a shared library that exports one symbol, `opweave_library`, and needs none of the
 * core: the core hands it a table of functions. No type of C++ crosses, and no exception. library.h
 * is C++ for it.
 *
 * Versions. The major one changes when something of this file changes its meaning: then no library
 * of before is loaded. The minor one grows when something is added: functions at the end of OwApi,
 * members at the end of the structs that begin with `size`, codes. A library says which minor
 * version it needs at least (OwLibrary::min_minor) and is refused by a core that is older. Members
 * that a library was compiled without, as its `size` says, are 0; those that a core does not know
 * are not read. Structs without `size` never change. What a minor version added says so:
 * "since 1.1".
 *
 * Ownership. Arguments belong to the caller and live as long as the call. What a function gives in
 * an OwValue or OwTensor that it fills is the caller's, who gives it back by value_release or
 * tensor_release.
 */
#ifndef OPWEAVE_STABLE_ABI_H_
#define OPWEAVE_STABLE_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OW_ABI_MAJOR 1
#define OW_ABI_MINOR 1

/* 0, or OW_FAILED: then the thread has an error (OwApi::error_text). */
typedef int32_t OwStatus;
#define OW_DONE 0
#define OW_FAILED 1

/* Which Python exception an error becomes. */
enum OwErrorKind {
  OW_RUNTIME_ERROR = 0,
  OW_TYPE_ERROR = 1,
  OW_VALUE_ERROR = 2,
  OW_INDEX_ERROR = 3,
  OW_NOT_IMPLEMENTED_ERROR = 4
};

/* A tensor; null stands for None. */
typedef struct OwTensorObject* OwTensor;

/* Element types, and instruction sets in the order in which each has all of those before. */
enum OwDtype {
  OW_DTYPE_Bool = 0,
  OW_DTYPE_Byte = 1,
  OW_DTYPE_Char = 2,
  OW_DTYPE_Short = 3,
  OW_DTYPE_Int = 4,
  OW_DTYPE_Long = 5,
  OW_DTYPE_Half = 6,
  OW_DTYPE_BFloat16 = 7,
  OW_DTYPE_Float = 8,
  OW_DTYPE_Double = 9,
  OW_DTYPE_UInt16 = 10,
  OW_DTYPE_UInt32 = 11,
  OW_DTYPE_UInt64 = 12,
  OW_DTYPE_Float8_e4m3fn = 13,
  OW_DTYPE_Float8_e5m2 = 14,
  OW_DTYPE_ComplexFloat = 15 /* operators of libraries are not asked with such tensors */
};
enum OwIsa { OW_ISA_ANY = 0, OW_ISA_SSE4 = 1, OW_ISA_AVX2 = 2, OW_ISA_AVX512 = 3 };

/* Devices: 0 is the CPU, 1 meta (tensors without data); others have names (OwApi::device_name). */
typedef struct OwDevice {
  int32_t type;
  int32_t index; /* -1: the current one */
} OwDevice;

/* An argument or a result. */
enum OwTag {
  OW_NONE = 0,
  OW_TENSOR = 1,
  OW_BOOL = 2, /* as.integer, 0 or 1 */
  OW_INT = 3,
  OW_FLOAT = 4,
  OW_STRING = 5, /* as.text, of `count` bytes */
  OW_TENSORS = 6,
  OW_INTS = 7,
  OW_FLOATS = 8,
  OW_BOOLS = 9,
  OW_ELEMENT_TYPE = 10, /* as.code */
  OW_DEVICE = 11,
  OW_LAYOUT = 12, /* as.code */
  OW_MEMORY_FORMAT =
      13, /* as.code: 0 contiguous, 1 preserve, 2 and 3 channels_last of 4 and 5 dimensions */
  /* Since 1.1: a Scalar of 2^63 or more. as.integer has its bits, those of a uint64_t. */
  OW_WIDE_INT = 14
};
typedef struct OwValue {
  uint32_t tag;
  uint32_t count; /* of a list or string */
  union {
    OwTensor tensor;
    int64_t integer;
    double real;
    const char* text;
    const OwTensor* tensors;
    const int64_t* integers;
    const double* reals;
    const uint8_t* bools;
    OwDevice device;
    int32_t code;
  } as;
} OwValue;

/* A number that a program passed: Bool, Long, Double or, from 2^63 on, UInt64. */
typedef struct OwNumber {
  int8_t dtype;
  union {
    int64_t integer;
    double real;
  } as;
} OwNumber;

typedef struct OwResults OwResults;              /* where a function puts what it computes */
typedef struct OwBackward OwBackward;            /* one step of a backward pass */
typedef const struct OwOperatorHandle* OwHandle; /* an operator, to be called */

/* ---- what the core gives
 * ------------------------------------------------------------------------------- */
typedef struct OwApi {
  uint32_t size;
  uint32_t major, minor;
  uint32_t isa;        /* the best OwIsa that this processor has */
  const char* version; /* of the core, "0.1.0" */

  /* Errors of this thread. set_error gives OW_FAILED. The text is valid until the next failure. */
  OwStatus (*set_error)(int32_t kind, const char* text, uint64_t length);
  const char* (*error_text)(void);
  int32_t (*error_kind)(void);

  /* Tensors that are not null. Sizes and strides live as long as the tensor, which is not resized
   * meanwhile. */
  void (*tensor_retain)(OwTensor tensor);
  void (*tensor_release)(OwTensor tensor);
  int64_t (*tensor_dim)(OwTensor tensor);
  int64_t (*tensor_numel)(OwTensor tensor);
  const int64_t* (*tensor_sizes)(OwTensor tensor);
  const int64_t* (*tensor_strides)(OwTensor tensor);
  int32_t (*tensor_dtype)(OwTensor tensor);
  OwDevice (*tensor_device)(OwTensor tensor);
  void* (*tensor_data)(OwTensor tensor);
  int32_t (*tensor_is_contiguous)(OwTensor tensor);
  int32_t (*tensor_requires_grad)(OwTensor tensor);
  /* A new tensor whose elements are not set; without strides it is contiguous. */
  OwStatus (*tensor_empty)(const int64_t* sizes, const int64_t* strides, uint32_t dim,
                           int32_t dtype, OwDevice device, OwTensor* result);
  /* A number that takes part in promotion as one of Python does. */
  OwStatus (*tensor_of_number)(OwNumber number, OwTensor* result);

  void (*value_release)(OwValue* value);
  /* Copies a value to the results of a call; the library keeps its own. */
  OwStatus (*result_set)(OwResults* results, uint32_t index, const OwValue* value);

  /* The operator of a schema, with all that it allows to call; null, with an error, if there is
   * none. */
  OwHandle (*operator_find)(const char* schema);
  /* Dispatches like any call: differentiated, batched, traced. Arguments that are left out at the
   * end have their defaults. */
  OwStatus (*operator_call)(OwHandle op, const OwValue* arguments, uint32_t num_arguments,
                            OwValue* results, uint32_t num_results);

  /* Whether anybody wants the gradient of the argument, and what was saved (OwGradient::saved). */
  int32_t (*backward_needs)(const OwBackward* call, uint32_t argument);
  OwStatus (*backward_saved)(const OwBackward* call, uint32_t index, OwValue* value);

  /* Runs body on disjoint ranges, on the threads of the core. It must not fail. */
  OwStatus (*parallel_for)(int64_t begin, int64_t end, int64_t grain,
                           void (*body)(void* context, int64_t begin, int64_t end), void* context);

  const char* (*device_name)(int32_t type); /* null: there is none */
  int32_t (*device_type)(const char* name); /* -1: there is none */
  /* What kernels of a device enqueue on (a cudaStream_t); null for the CPU. */
  OwStatus (*stream_handle)(OwDevice device, void** handle);

  /* Since 1.1. A gradient of zeros for an argument that is one tensor. */
  OwStatus (*backward_zeros)(const OwBackward* call, uint32_t argument, OwTensor* result);
} OwApi;

/* ---- what a library gives
 * ------------------------------------------------------------------------------ */
typedef OwStatus (*OwFunction)(void* context, const OwValue* arguments, uint32_t num_arguments,
                               OwResults* results);

typedef struct OwKernel {
  /* "cpu", "meta" for what results look like, "cuda" or another dispatch key. Since 1.1
   * "composite": it is made of calls of operators and serves every device; it is differentiated,
   * batched and cast through, and its operator has no other kernels, gradient or batch rule. */
  const char* target;
  OwFunction run;
  void* context;
  /* The types that it takes and returns, "(Tensor, float) -> Tensor", to be compared with the
   * schema, or null. */
  const char* face;
} OwKernel;

enum OwPromotion {
  OW_PROMOTE = 0,              /* to the common type of all operands */
  OW_PROMOTE_INT_TO_FLOAT = 1, /* the same, but integers become the default float type */
  OW_PROMOTE_NONE = 2,         /* the type of the first tensor */
  OW_PROMOTE_SAME = 3          /* the type that all have */
};
enum OwOperandKind { OW_OPERAND_COMMON = 0, OW_OPERAND_BOOL = 1 };
enum OwNumberUse {
  OW_NUMBER_OPERAND = 0,
  OW_NUMBER_FACTOR = 1,
  OW_NUMBER_ELEMENT = 2,
  OW_NUMBER_ONE_ELEMENT = 3 /* since 1.1 */
};

typedef struct OwPointwiseInput {
  uint32_t kind;   /* OwOperandKind */
  uint64_t dtypes; /* bit i: it may have the element type i */
} OwPointwiseInput;
typedef struct OwPointwiseNumber {
  uint32_t promotes;       /* like a Python number */
  uint32_t suits_type;     /* no float for integers, no bool but for bool */
  uint32_t use;            /* OwNumberUse: what it has to have a place in */
  uint64_t refused_dtypes; /* types of numbers that it may not have */
} OwPointwiseNumber;

/* n elements; arrays are dense and of the type of computation, masks are bytes 0 or 1. `out` may be
 * one of the inputs, and does not overlap them in another way. */
typedef void (*OwLoopFunction)(void* out, const void* const* inputs, const OwNumber* numbers,
                               int64_t n);
typedef struct OwLoop {
  int32_t dtype; /* of computation: Half and the like are computed in Float and need none */
  uint32_t isa; /* OwIsa that it needs; of several the core takes the best that the processor has */
  OwLoopFunction run;
} OwLoop;

/* An operator of elements: the core promotes, broadcasts, allocates, and runs the loops in
 * parallel. Inputs are the tensor arguments of the schema in order, numbers the others. */
typedef struct OwPointwise {
  uint32_t size;
  uint32_t promotion; /* OwPromotion */
  uint32_t result;    /* OwOperandKind */
  uint32_t contiguous, casts_out;
  uint64_t dtypes; /* common types that it is defined for, bit i is type i */
  const OwPointwiseInput* inputs;
  uint32_t num_inputs, num_numbers;
  const OwPointwiseNumber* numbers;
  const OwLoop* loops;
  uint32_t num_loops;
  /* Since 1.1. In place, expanded tensors are written, one layer after the other, with a warning.
   */
  uint32_t expanded;
  /* Since 1.1. What is cast to a common type of 16 bits before the loop computes in a wider one, by
   * bits: inputs that are one number for all elements (others always are), and numbers. */
  uint32_t rounded_inputs, rounded_numbers;
} OwPointwise;

enum OwSavedKind {
  OW_SAVE_ARGUMENT = 0,
  OW_SAVE_RESULT = 1,
  /* Since 1.1: what OwGradient::of_arguments and of_results gave. */
  OW_SAVE_OF_ARGUMENTS = 2,
  OW_SAVE_OF_RESULTS = 3
};
typedef struct OwSaved {
  uint32_t kind;
  uint32_t index;
} OwSaved;

/* The backward function: `gradients` of the results, or of the tensors of one that is a list, null
 * where nobody asked for one; it calls operators, and sets results by the index of the argument
 * that they are the gradient of. */
typedef OwStatus (*OwGradientFunction)(void* context, const OwBackward* call,
                                       const OwTensor* gradients, uint32_t num_gradients,
                                       OwResults* results);
/* Since 1.1. Values that a function computes, to be kept in the place of tensors. */
typedef struct OwSavedValues {
  OwFunction compute; /* or null: there are none */
  void* context;
  uint32_t count;
} OwSavedValues;
typedef struct OwGradient {
  uint32_t size;
  uint32_t num_saved;
  const OwSaved* saved;
  uint64_t constants; /* bit i: argument i has no gradient */
  OwGradientFunction apply;
  void* context;
  /* Since 1.1. Of the arguments, before the kernel runs, and of the results, after it; `saved`
   * names them by their index. */
  OwSavedValues of_arguments, of_results;
  uint64_t constant_results; /* bit i: nobody differentiates result i */
  uint32_t fills;   /* whether gradients of results that nobody asked for are zeros, and not null */
  uint64_t refused; /* bit i: argument i, a constant, may neither require a gradient nor have a
                       tangent */
} OwGradient;

/* How it runs under vmap. */
enum OwBatchRule {
  OW_BATCH_DEFAULT =
      0, /* a pointwise operator on the whole batch, another for one example after the other */
  OW_BATCH_LOOP = 1,
  OW_BATCH_POINTWISE = 2,    /* its tensors broadcast */
  OW_BATCH_LEADING_DIMS = 3, /* it allows any number of dimensions in front */
  OW_BATCH_DIMS = 4 /* since 1.1: its one tensor gets the examples in front, and `roles` say which
                       arguments count dimensions */
};

/* Since 1.1. What an argument says about dimensions, or of the computation. */
enum OwRole {
  OW_ROLE_PLAIN = 0,
  OW_ROLE_DIM = 1,         /* names dimensions of the first tensor: an int or ints */
  OW_ROLE_DIMS_OR_ALL = 2, /* the same, of which none means all */
  OW_ROLE_ORDER = 3,       /* all dimensions, in an order */
  OW_ROLE_NEW_DIM = 4,     /* a dimension of the result, which has one more */
  OW_ROLE_SIZE = 5,        /* the sizes of the result */
  OW_ROLE_INDEX = 6,       /* of an element */
  OW_ROLE_TRAINING = 7,    /* whether the call is one of training */
  OW_ROLE_PROBABILITY = 8
};

/* Since 1.1. Which dtypes `out` of a form may have beside that of the result. */
enum OwOutDtypes {
  OW_OUT_SAME = 0,
  OW_OUT_CAST = 1,  /* those to which it casts: no float to a whole number */
  OW_OUT_TRUTH = 2, /* bool and uint8 */
  OW_OUT_ANY = 3
};

/* Since 1.1. Another form of an operator: it takes the same arguments, in place or with
 * keyword-only tensors to write to besides, runs that operator, and writes what it gives. */
typedef struct OwForm {
  uint32_t size;
  uint32_t out_dtypes;       /* OwOutDtypes; in place the dtype must be one to which results cast */
  const char* operator_name; /* of the library, "f" or "f.overload" */
  uint32_t through;          /* whether that operator is differentiated through what it calls */
} OwForm;

typedef struct OwOperator {
  uint32_t size;
  uint32_t batch_rule;
  const char*
      schema; /* "scaled(Tensor self, float factor=2.0) -> Tensor", in the library's namespace */
  const char* place; /* file:line of its entry, or null */
  const OwKernel* kernels;
  const OwPointwise* pointwise; /* or null */
  const OwGradient*
      gradient; /* or null: what it calls is differentiated, and nothing if it calls nothing */
  uint32_t num_kernels;
  uint32_t flags;   /* OwOperatorFlag */
  OwHandle* handle; /* filled by the core, for others of the library that call it; or null */
  /* Since 1.1. */
  const uint8_t* roles; /* OwRole of each argument, or null */
  uint64_t numbers;     /* bit i: argument i is a tensor for which a program may pass a number */
  /* In the place of kernels; or null. Beside `pointwise` it says whose tangents a form in place
   * has, and a core of 1.0 may do without. */
  const OwForm* form;
} OwOperator;
enum OwOperatorFlag {
  OW_GLOBAL = 1,   /* the schema's name is the whole one, without the library's namespace */
  OW_INTERNAL = 2, /* called by others of the library; no function of Python */
  OW_CONSTANT = 4, /* its results have no gradient, which is no error */
  /* Its kernels say themselves which devices go together. Without it the core refuses a call whose
   * tensors are on several, apart from those of no dimensions on the host. */
  OW_ANY_DEVICES = 8
};

/* An operator of the core, or of a library loaded before, that this one calls. */
typedef struct OwUse {
  const char*
      schema; /* as the library knows it; a core whose operator takes all such calls is as good */
  OwHandle* handle; /* filled by the core before `start`; or null */
} OwUse;

typedef struct OwLibrary {
  uint32_t size;
  uint32_t abi_major, min_minor;
  uint32_t num_operators;
  const char* name;
  const char*
      built_for; /* the version of Opweave that it was compiled with, for messages, or null */
  const OwOperator* const* operators;
  const OwUse* uses;
  uint32_t num_uses;
  /* Called once, before any kernel; the table stays. May be null. */
  OwStatus (*start)(const OwApi* api);
} OwLibrary;

/* What a library exports; called once. */
typedef const OwLibrary* (*OwLibraryFunction)(void);
#define OW_LIBRARY_SYMBOL "opweave_library"

#ifdef __cplusplus
}
#endif
#endif /* OPWEAVE_STABLE_ABI_H_ */
