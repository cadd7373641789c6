// The normal form of pointwise trees: a quotient of polynomials over arguments, exponentials,
// logarithms, roots and what is left of functions, for one choice of all conditions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/expr/element.h"
#include "codegen/proof/rational.h"

namespace opweave::codegen {

// Which way each condition goes, by its key.
using Choices = std::map<std::string, bool>;

class NormalForm {
 public:
  explicit NormalForm(const Choices& choices) : choices_(choices) {}

  // Null if a condition has no choice yet, which `missing` then names, or if it grew too large.
  std::optional<Rational> of(const ElementNode& node);
  const std::string& missing() const { return missing_; }

  // With squares of roots and sines written without them.
  std::optional<Rational> reduced(const Rational& value);

 private:
  using Value = std::optional<Rational>;

  struct Atom {
    enum class Kind { plain, root, sine, log };
    Kind kind = Kind::plain;
    Rational of;     // of a root and a logarithm
    int cosine = 0;  // of a sine: the atom of its cosine
  };

  Value make(const ElementNode& node);
  Value arithmetic(const ElementNode& node);
  Value function(const ElementNode& node, const Rational& x);
  Value function(const ElementNode& node, const Rational& x, const Rational& y);
  Value of_exponential(ElementOp op, const Rational& x);
  Value exponential(const Rational& x);
  Value power(const Rational& x, const Rational& y);
  Value selected(const ElementNode& node);
  Value signed_by(const Rational& x, const Rational& if_positive, const Rational& otherwise);
  std::optional<bool> condition(const ElementNode& node);
  std::optional<bool> comparison(const ElementNode& node);
  std::optional<bool> is_positive(const Rational& x);
  std::optional<bool> choice(const std::string& key);

  int atom(const std::string& key) { return atom(key, Atom()); }
  int atom(const std::string& key, Atom made);
  Rational named(const std::string& key) { return Rational::atom(atom(key)); }
  Rational logarithm(const Rational& x);
  Rational root(const Rational& x);
  Rational sine(const Rational& x);
  Rational cosine(const Rational& x);
  std::optional<Rational> reduced(const Polynomial& value);

  const Choices& choices_;
  std::string missing_;
  std::map<std::string, int> atoms_;
  std::vector<Atom> known_;
  std::unordered_map<const ElementNode*, Rational> done_;
};

}  // namespace opweave::codegen
