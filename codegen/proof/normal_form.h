// The normal form of pointwise trees: a quotient of polynomials over arguments, exponentials,
// logarithms, roots and what is left of functions, in one case of all decisions; and whether the
// tree has a finite value in that case.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "codegen/expr/element.h"
#include "codegen/proof/atoms.h"
#include "codegen/proof/decisions.h"
#include "codegen/proof/rational.h"

namespace opweave::codegen {

struct NormalValue {
  enum class State {
    finite,    // `value`
    nan,       // whatever else it is made of
    infinite,  // or nan
    unread,    // a question is open, or it grew too large
  };
  State state = State::unread;
  Rational value;
  const ElementNode* at = nullptr;  // what is not finite
};

class NormalForm {
 public:
  explicit NormalForm(const Choices& choices) : decisions_(choices, atoms_) {}

  const NormalValue& of(const ElementNode& node);
  const Decisions& decisions() const { return decisions_; }

  // With squares of roots and sines written without them; null if it grew too large.
  std::optional<Rational> reduced(const Rational& value);

 private:
  using State = NormalValue::State;
  using Value = std::optional<Rational>;
  using Classes = std::vector<Signs>;

  NormalValue make(const ElementNode& node);
  NormalValue selected(const ElementNode& node);
  NormalValue operation(const ElementNode& node);
  NormalValue unclear(const ElementNode& node, const ElementNode* at);
  std::string key_of(const ElementNode& node, int depth);
  bool stays_infinite(const ElementNode& node);
  Value arithmetic(const ElementNode& node, const Rational& x, const Rational& y);
  Value function(const ElementNode& node, const Rational& x);
  Value function(const ElementNode& node, const Rational& x, const Rational& y);
  Value of_exponential(ElementOp op, const Rational& x);
  Value exponential(const Rational& x);
  Value power(const Rational& x, const Rational& y);

  // Where it is finite, for operands that are: normal_form_finite.cc.
  State finiteness(const ElementNode& node, const Rational& x, const Rational& y);
  State finiteness_of_power(const Rational& x, const Rational& y);
  State off_poles(const Rational& x);
  State by_sign(const Rational& x, State zero, State negative);

  // Conditions: normal_form_conditions.cc. Null if a question is open.
  std::optional<bool> condition(const ElementNode& node);
  std::optional<bool> conjunction(const ElementNode& node);
  std::optional<bool> about_finiteness(const ElementNode& node);
  std::optional<bool> comparison(const ElementNode& node);
  std::optional<bool> decided(ElementOp op, const Rational& difference);
  std::optional<Signs> sign(const Rational& x, const Classes& classes);
  Value signed_by(const Rational& x, const Rational& if_positive, const Rational& otherwise);

  int atom(const std::string& key, NormalAtom made = {}) {
    return atoms_.get(key, std::move(made));
  }
  Rational conjugated(const Polynomial& value);
  Rational named(const std::string& key, bool uniform,
                 NormalAtom::Kind kind = NormalAtom::Kind::plain);
  Rational logarithm(const Rational& x);
  Rational root(const Rational& x);
  Rational sine(const Rational& x);
  Rational cosine(const Rational& x);
  std::optional<Rational> reduced(const Polynomial& value);

  NormalAtoms atoms_;
  Decisions decisions_;
  std::unordered_map<const ElementNode*, NormalValue> done_;
};

}  // namespace opweave::codegen
