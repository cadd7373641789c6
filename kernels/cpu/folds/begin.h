// Opens a generated file of kernels that fold, in the same way as kernels/cpu/pointwise/begin.h one
// of pointwise kernels; the generated file defines OW_POINTWISE_FILE to its own path.
//
// No include guard: Highway includes the generated file, and it this one, once per instruction set.
#include "kernels/cpu/folds/run_fold.h"

// Behind the others: it says which instruction set this is.
#include "kernels/cpu/pointwise/begin.h"

// What is compiled for each of them.
#include "kernels/cpu/folds/make_fold_loops-inl.h"

// Loops that are compiled once, between `#if OW_POINTWISE_ONCE` and `#endif`.
#undef OW_RARE_LOOPS
#define OW_RARE_LOOPS(name) HWY_STATIC_DISPATCH(name)()
