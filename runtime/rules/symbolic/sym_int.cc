// Arithmetic of numbers that may be symbols.
#include "runtime/rules/symbolic/sym_int.h"

#include "runtime/rules/arithmetic.h"
#include "runtime/rules/checked_arithmetic.h"

namespace opweave::symbolic {

SymInt SymInt::named(std::string name, int64_t hint) {
  OW_CHECK(hint >= 2, "the symbol ", name, " stands for a size of at least 2, got ", hint);
  return {rule::Size::named(std::move(name)), hint};
}

int64_t SymInt::guard_int() const {
  if (const auto number = size_.number()) return *number;
  Guards::decide(equal(size_, hint_), true);
  return hint_;
}

SymInt operator+(const SymInt& a, const SymInt& b) {
  return {a.size_ + b.size_, checked_add(a.hint_, b.hint_)};
}

SymInt operator-(const SymInt& a, const SymInt& b) {
  return {a.size_ - b.size_, checked_sub(a.hint_, b.hint_)};
}

SymInt operator*(const SymInt& a, const SymInt& b) {
  return {a.size_ * b.size_, checked_mul(a.hint_, b.hint_)};
}

SymInt SymInt::floor_div(const SymInt& a, const SymInt& b) {
  return {rule::Size::floor_div(a.size_, b.size_),
          rule::generic::Arithmetic<int64_t>::floor_div(a.hint_, b.hint_)};
}

void append_to(std::string& out, SymIntList values) { out += text_of(values); }

DimVector guard_ints(SymIntList list) {
  DimVector numbers;
  for (const SymInt& value : list) numbers.push_back(value.guard_int());
  return numbers;
}

std::string text_of(SymIntList list) {
  std::string text;
  for (const SymInt& value : list) {
    if (!text.empty()) text += ", ";
    append_to(text, value);
  }
  return "[" + text + "]";
}

}  // namespace opweave::symbolic

namespace opweave::rule::generic {

// Names stand for sizes of at least 2, so that a size is 1 only where it is written so.
symbolic::SymInt Arithmetic<symbolic::SymInt>::common_size(const SymInt& a, const SymInt& b,
                                                           size_t dim) {
  if (a.size() == Size(1)) return b;
  if (b.size() == Size(1)) return a;
  OW_CHECK(a == b, "The size of tensor a (", a, ") must match the size of tensor b (", b,
           ") at non-singleton dimension ", dim);
  return a.size().number() ? a : b.size().number() ? b : a;
}

}  // namespace opweave::rule::generic
