// The folds: what one begins with, and what joins two. NaN wins in Max and Min.
#pragma once

#include "kernels/blocks/numbers.h"

namespace opweave::blocks {

namespace fold {

struct Sum {
  template <class T>
  static OW_BLOCK T identity() {
    return T(0);
  }
  template <class T>
  static OW_BLOCK T join(T a, T b) {
    return a + b;
  }
};

struct Product {
  template <class T>
  static OW_BLOCK T identity() {
    return T(1);
  }
  template <class T>
  static OW_BLOCK T join(T a, T b) {
    return a * b;
  }
};

struct Max {
  template <class T>
  static OW_BLOCK T identity() {
    return -Limits<T>::infinity();
  }
  template <class T>
  static OW_BLOCK T join(T a, T b) {
    return a != a ? a : b != b ? b : a < b ? b : a;
  }
};

struct Min {
  template <class T>
  static OW_BLOCK T identity() {
    return Limits<T>::infinity();
  }
  template <class T>
  static OW_BLOCK T join(T a, T b) {
    return a != a ? a : b != b ? b : b < a ? b : a;
  }
};

}  // namespace fold

// The terms of the folds of one walk, in their order.
template <class C, int kCount>
struct Terms {
  C values[kCount];
};

// Several folds at once, over arrays with a number for each.
template <class... Folds>
struct Together {
  static constexpr int kCount = 0;
  template <class T>
  static OW_BLOCK void begin(T*) {}
  template <class T, class U>
  static OW_BLOCK void join(T*, const U*) {}
  template <class T, class Group>
  static OW_BLOCK void join_lanes(T*, const Group&) {}
};

template <class Fold, class... Others>
struct Together<Fold, Others...> {
  using Rest = Together<Others...>;
  static constexpr int kCount = 1 + Rest::kCount;

  template <class T>
  static OW_BLOCK void begin(T* into) {
    *into = Fold::template identity<T>();
    Rest::begin(into + 1);
  }
  template <class T, class U>
  static OW_BLOCK void join(T* into, const U* more) {
    *into = Fold::join(*into, static_cast<T>(*more));
    Rest::join(into + 1, more + 1);
  }
  // What the lanes of a group have, in each of them.
  template <class T, class Group>
  static OW_BLOCK void join_lanes(T* values, const Group& group) {
    *values = group.template join<Fold>(*values);
    Rest::join_lanes(values + 1, group);
  }
};

}  // namespace opweave::blocks
