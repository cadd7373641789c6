// Where the operands of a block program lie, and how its rows are shared out.
#pragma once

#include "kernels/blocks/numbers.h"

namespace opweave::blocks {

inline constexpr int kMaxOperands = 12;
inline constexpr int kMaxCoordinates = 4;
inline constexpr int kMaxParams = 8;

// How far apart, in elements. The kept dimensions of all operands are merged into two at most, and
// so are the folded ones; [0] is the inner one. 0 where an operand does not vary.
struct Strides {
  Index row[2];
  Index element[2];
};

// An element of a row, by number, and by those in the folded dimensions.
struct Place {
  Index at;
  Index inner, outer;
};

// What a kernel is told of a call whose programs compute in C. A host that has no such type writes
// numbers of 64 bits, one after another: `params` last, in C.
template <class C>
struct Geometry {
  Index size;        // elements of a row, which are folded
  Index inner_size;  // over the inner folded dimension
  Index rows;        // over all kept dimensions
  Index inner_rows;  // over the inner one
  Index rows_each;   // that a group of lanes walks, one after another
  Index parts;       // of a row, for a block each
  Index part_size;   // elements of a part, but for the last one
  Index phase;       // of a row in parts: how many folds are known
  Strides operands[kMaxOperands];
  Strides coordinates[kMaxCoordinates];  // a coordinate is how far it is, and this its steps
  C params[kMaxParams];
};

// The types of kernels' arguments have to be complete before.
template struct Geometry<float>;
#ifdef OW_HAS_DOUBLE
template struct Geometry<double>;
#endif

// What a program takes: inputs, then row inputs, then results, each an operand; `kInputs` and
// `kRowInputs` say where they begin. T is how operands lie in memory, C what is computed with.
template <int kInputs, int kRowInputs, class T, class C>
struct Operands {
  using Value = C;
  static constexpr int kRowsFrom = kInputs;
  static constexpr int kResultsFrom = kInputs + kRowInputs;
  template <int k>
  struct MemoryOf {
    using type = T;
  };
};

template <int k, class T, class... Others>
struct TypeAt : TypeAt<k - 1, Others...> {};
template <class T, class... Others>
struct TypeAt<0, T, Others...> {
  using type = T;
};

// Each operand of its own type.
template <int kInputs, int kRowInputs, class C, class... T>
struct OperandsOf : Operands<kInputs, kRowInputs, C, C> {
  template <int k>
  struct MemoryOf : TypeAt<k, T...> {};
};

}  // namespace opweave::blocks
