// SymInt: a whole number that may be a symbol: a polynomial over names, and a hint, which is the
// number that it is in the call at hand. Comparisons that hold for some names and not for others
// are decided by the hints and become guards.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "rules/size.h"
#include "rules/sizes.h"
#include "runtime/core/tensor/sizes_and_strides.h"
#include "runtime/rules/over/lists.h"
#include "runtime/rules/symbolic/guards.h"

namespace opweave::symbolic {

class SymInt {
 public:
  SymInt() = default;
  SymInt(std::integral auto value)  // NOLINT: a number is one
      : size_(static_cast<int64_t>(value)), hint_(static_cast<int64_t>(value)) {}
  SymInt(rule::Size size, int64_t hint) : size_(std::move(size)), hint_(hint) {}
  // RuntimeError for a hint below 2: what broadcasts and what is empty is a number.
  static SymInt named(std::string name, int64_t hint);

  const rule::Size& size() const { return size_; }
  int64_t hint() const { return hint_; }
  // The number where one is needed: a symbol becomes its hint, with a guard.
  int64_t guard_int() const;
  explicit operator int64_t() const { return guard_int(); }
  // Its hint: floats of sizes are there to look at the range of 64 bits alone.
  explicit operator double() const { return static_cast<double>(hint_); }

  friend SymInt operator+(const SymInt& a, const SymInt& b);
  friend SymInt operator-(const SymInt& a, const SymInt& b);
  friend SymInt operator*(const SymInt& a, const SymInt& b);
  static SymInt floor_div(const SymInt& a, const SymInt& b);

  friend bool operator==(const SymInt& a, const SymInt& b) {
    return Guards::decide(equal(a.size_, b.size_), a.hint_ == b.hint_);
  }
  friend bool operator<(const SymInt& a, const SymInt& b) {
    return Guards::decide(less(a.size_, b.size_), a.hint_ < b.hint_);
  }
  friend bool operator<=(const SymInt& a, const SymInt& b) {
    return Guards::decide(less_or_equal(a.size_, b.size_), a.hint_ <= b.hint_);
  }
  friend bool operator!=(const SymInt& a, const SymInt& b) { return !(a == b); }
  friend bool operator>(const SymInt& a, const SymInt& b) { return b < a; }
  friend bool operator>=(const SymInt& a, const SymInt& b) { return b <= a; }
  friend SymInt operator-(const SymInt& a) { return SymInt(0) - a; }

  friend void append_to(std::string& out, const SymInt& value) { out += value.size_.text(); }

 private:
  rule::Size size_;
  int64_t hint_ = 0;
};

using SymIntList = ListRef<SymInt>;
void append_to(std::string& out, SymIntList values);

// Owns its elements, as DimVector.
class SymDims {
 public:
  SymDims() = default;
  explicit SymDims(size_t n, SymInt value = 0) : items_(n, std::move(value)) {}
  SymDims(std::initializer_list<SymInt> values) : items_(values) {}
  SymDims(SymIntList values) : items_(values.begin(), values.end()) {}  // NOLINT: a copy of it

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  const SymInt* data() const { return items_.data(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  SymInt& operator[](size_t i) { return items_[i]; }
  const SymInt& operator[](size_t i) const { return items_[i]; }
  void push_back(SymInt value) { items_.push_back(std::move(value)); }
  void insert(size_t position, SymInt value) {
    items_.insert(items_.begin() + static_cast<ptrdiff_t>(position), std::move(value));
  }
  operator SymIntList() const { return {items_.data(), items_.size()}; }  // NOLINT: a view of it

  friend void append_to(std::string& out, const SymDims& values) {
    append_to(out, SymIntList(values));
  }

 private:
  std::vector<SymInt> items_;
};

// The numbers that a list has to hold: dimensions.
DimVector guard_ints(SymIntList list);
// `[N, 3]`
std::string text_of(SymIntList list);

}  // namespace opweave::symbolic

namespace opweave::rule {

template <>
struct over::ListsOf<symbolic::SymInt> {
  using List = symbolic::SymDims;
  using View = symbolic::SymIntList;
};

// Sizes are worked out as the generator does it for `opweave shapes`: what is one of two sizes is a
// size that says so, and no guard.
template <>
struct generic::Arithmetic<symbolic::SymInt> {
  using SymInt = symbolic::SymInt;

  static SymInt floor_div(const SymInt& a, const SymInt& b) { return SymInt::floor_div(a, b); }
  static SymInt stride_product(const SymInt& stride, const SymInt& size) { return stride * size; }
  // Strides are the same if they are whatever the names stand for; a block is filled when its size
  // is reached, and a condition is stated where it is reached under one.
  static bool is(const SymInt& a, const SymInt& b) { return a.size() == b.size(); }
  static bool is_short_of(const SymInt& filled, const SymInt& block) {
    return !(filled.size() == block.size());
  }
  struct Truth {
    Condition condition;
    bool hint;
  };
  static Truth at_least(const SymInt& a, const SymInt& b) {
    return {less_or_equal(b.size(), a.size()), a.hint() >= b.hint()};
  }
  static SymInt select(const Truth& truth, const SymInt& a, const SymInt& b) {
    return {rule::select(truth.condition, a.size(), b.size()), (truth.hint ? a : b).hint()};
  }
  static SymInt common_size(const SymInt& a, const SymInt& b, size_t dim);
};

}  // namespace opweave::rule
