// make_fold_loops: the loops of one program, for every type of computation that it is defined for.
#if defined(OPWEAVE_KERNELS_CPU_FOLDS_MAKE_FOLD_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_FOLDS_MAKE_FOLD_LOOPS_INL_H_
#undef OPWEAVE_KERNELS_CPU_FOLDS_MAKE_FOLD_LOOPS_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_FOLDS_MAKE_FOLD_LOOPS_INL_H_
#endif

#include "kernels/cpu/folds/columns-inl.h"
#include "kernels/cpu/folds/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

// Bit k of kFoldedOnly: input k has no elements along what is kept.
template <int kNumInputs, int kNumRows, int kNumResults, int kNumSlots, uint32_t kFoldedOnly,
          int kNumCoordinates = 0>
struct FoldShape {
  static constexpr int kInputs = kNumInputs, kRows = kNumRows, kResults = kNumResults;
  static constexpr int kSlots = kNumSlots, kCoordinates = kNumCoordinates;
  static constexpr bool is_folded_only(int input) { return (kFoldedOnly >> input & 1) != 0; }
};

template <class Program, class Shape, class T>
constexpr FoldLoopsOf fold_loops_of() {
  return {&fold_rows<Program, Shape, T>, &fold_columns<Program, Shape, T>};
}

template <class Program, class Shape, bool kFloats, bool kIntegers>
constexpr FoldLoops make_fold_loops() {
  FoldLoops loops{};
  if constexpr (kFloats) {
    loops.by_type[static_cast<int>(kFloat)] = fold_loops_of<Program, Shape, float>();
    loops.by_type[static_cast<int>(kDouble)] = fold_loops_of<Program, Shape, double>();
  }
  if constexpr (kIntegers)
    loops.by_type[static_cast<int>(kLong)] = fold_loops_of<Program, Shape, int64_t>();
  return loops;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
