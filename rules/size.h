// Size: a whole number that may hold unknown sizes: a polynomial with whole coefficients over
// atoms, which are names (`H`) and functions of sizes that are no polynomials (a quotient that is
// rounded down, a choice). Equal sizes are equal as polynomials. Every name stands for a size of at
// least 2: what broadcasts and what is empty is written as 1 and 0.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opweave::rule {

class Size;

// Why no answer can be given; thrown through the evaluation.
struct NoShape {
  enum class Kind : uint8_t {
    refused,  // no call like this is taken
    unknown,  // nothing is said, or it depends on what is not known
    data,     // the elements decide
  };
  std::string why;
  Kind kind = Kind::refused;
};

// What one answer may cost. Rules can be written whose values grow without end (`concat(a, a)` on
// forty lines), and calls for which they do (2**60 pieces); they end with a refusal.
class Effort {
 public:
  // One answer. An inner scope belongs to the outer one.
  class Scope {
   public:
    Scope() {
      if (depth_++ == 0) left_ = kMost;
    }
    ~Scope() { --depth_; }
    Scope(const Scope&) = delete;
  };

  // Steps, elements or letters; NoShape where they are too many.
  static void spend(size_t units);

 private:
  static constexpr size_t kMost = 1'000'000;
  static inline thread_local size_t left_ = kMost;
  static inline thread_local int depth_ = 0;
};

// A name, or a function of sizes. Ordered by its text, which says it all.
struct Atom {
  std::string text;
  std::optional<int64_t> least;  // what it is at least, where that is known

  friend bool operator==(const Atom& a, const Atom& b) { return a.text == b.text; }
  friend auto operator<=>(const Atom& a, const Atom& b) { return a.text <=> b.text; }
};

// While a scope lives, long atoms have names, so that what is made of them does not grow with every
// use: `$1`, which no size can be called.
class SharedParts {
 public:
  class Scope {
   public:
    explicit Scope(SharedParts& parts) : outer_(current_) { current_ = &parts; }
    ~Scope() { current_ = outer_; }
    Scope(const Scope&) = delete;

   private:
    SharedParts* outer_;
  };

  const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }
  // The text as it is, or its name.
  static std::string shared(std::string text);

 private:
  std::vector<std::pair<std::string, std::string>> all_;  // names and what they stand for
  static inline thread_local SharedParts* current_ = nullptr;
};

class Size {
 public:
  Size(int64_t value = 0);  // NOLINT: a number is a size
  static Size named(std::string name);

  // The number that it is whatever the names stand for.
  std::optional<int64_t> number() const;
  // What it is at least; nothing where that is not known.
  std::optional<int64_t> least() const;
  size_t term_count() const { return terms_.size(); }
  // `2*H + 3`, highest powers first.
  std::string text() const;

  // NoShape where a number is out of the range of 64-bit integers.
  friend Size operator+(const Size& a, const Size& b);
  friend Size operator-(const Size& a, const Size& b);
  friend Size operator*(const Size& a, const Size& b);
  friend bool operator==(const Size& a, const Size& b) { return a.terms_ == b.terms_; }

  // Both of the polynomial's terms divided, where that leaves no remainder: (2*H)//2 is H.
  static Size floor_div(const Size& a, const Size& b);
  static Size atom(std::string text, std::optional<int64_t> least);

 private:
  using Monomial = std::vector<Atom>;  // a product, sorted

  static std::optional<Size> divided(const Size& a, const Size& b);

  std::map<Monomial, int64_t> terms_;  // no zeros
};

// Whether something holds: yes, no, or under a condition about the names.
struct Condition {
  enum class Kind : uint8_t { no, yes, open };
  Kind kind = Kind::yes;
  std::string text;  // of an open one: `H == W`

  static Condition of(bool value) { return {value ? Kind::yes : Kind::no, {}}; }
};
Condition equal(const Size& a, const Size& b);
Condition less(const Size& a, const Size& b);
Condition less_or_equal(const Size& a, const Size& b);
Condition both(const Condition& a, const Condition& b);
Condition either(const Condition& a, const Condition& b);
Condition negated(const Condition& a);

// The first where the condition holds, else the second: `(a < b ? a : b)`.
Size select(const Condition& condition, const Size& a, const Size& b);
Size smaller(const Size& a, const Size& b);
Size larger(const Size& a, const Size& b);
// As Python counts the ends of slices.
Size clamped(const Size& index, const Size& size);

}  // namespace opweave::rule
