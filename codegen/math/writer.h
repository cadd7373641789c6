// The walk over mathematics that both printers share: what needs parentheses, and how sums,
// products, calls and conditions are strung together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/math/math.h"

namespace opweave::codegen {

class MathWriter {
 public:
  virtual ~MathWriter() = default;
  std::string write(const MathNode& node) const;

 protected:
  enum Level : int {
    kLowest,
    kCases,
    kEither,
    kBoth,
    kNot,
    kRelation,
    kInfix,
    kSum,
    kProduct,
    kPower,
    kAtom
  };

  // In parentheses if it binds less tightly than that.
  std::string at_least(const MathNode& node, Level level) const;
  std::string joined(const MathNode& node, std::string_view symbol, Level level) const;
  std::string listed(const MathNode& node, size_t first) const;

  virtual Level level_of(const MathNode& node) const;

  // One token.
  virtual std::string number(std::string_view text) const = 0;
  virtual std::string name(std::string_view text) const = 0;
  virtual std::string words(std::string_view text) const = 0;
  // An operator between values, with its spaces; `prefix` stands before one.
  virtual std::string symbol(std::string_view text) const = 0;
  virtual std::string prefix(std::string_view text) const = 0;
  virtual std::string word_between(std::string_view text) const = 0;
  virtual std::string comma() const = 0;
  // Between a value and what is asked of it.
  virtual std::string dot() const = 0;
  virtual std::string fenced(std::string_view open, const std::string& inner,
                             std::string_view close) const = 0;
  virtual std::string applied(const std::string& function, const std::string& arguments) const = 0;
  // Layout in two dimensions, or what stands for it.
  virtual std::string fraction(const MathNode& node) const = 0;
  virtual std::string power(const MathNode& node) const = 0;
  virtual std::string index(const MathNode& node) const = 0;
  virtual std::string root(const MathNode& node) const = 0;
  virtual std::string overline(const MathNode& node) const = 0;
  virtual std::string cases(const MathNode& node) const = 0;
  virtual std::string partial(const MathNode& node) const = 0;

 private:
  std::string sum(const MathNode& node) const;
  std::string equation(const MathNode& node) const;
  std::string minus(const MathNode& node) const;
  std::string enclosed(const MathNode& node) const;
  std::string call(const MathNode& node) const;
  std::string access(const MathNode& node) const;
};

}  // namespace opweave::codegen
