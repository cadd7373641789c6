// Proof by cases: what neither tree has decided splits the question.
#include "codegen/proof/equality.h"

#include <algorithm>

#include "codegen/expr/element_copy.h"
#include "codegen/proof/normal_form.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;
using State = NormalValue::State;

constexpr int kMaxQuestions = 3000;

class Prover {
 public:
  explicit Prover(ElementArena& arena) : arena_(arena) {}

  Equality prove(const ElementNode& first, const ElementNode& second) {
    const bool proved = same(first, second, {}, false) && (compared_ || &first == &second);
    found_.how = !proved                                               ? Equality::How::not_proved
                 : found_.first_not_finite || found_.second_not_finite ? Equality::How::where_finite
                                                                       : Equality::How::everywhere;
    // Where the value of something infinite is asked for, the other case told of a difference.
    found_.but_at_kinks |= at_infinite_ && found_.how == Equality::How::everywhere;
    return found_;
  }

 private:
  // `kink`: a point where other values are a matter of convention.
  bool same(const ElementNode& a, const ElementNode& b, const Choices& choices, bool kink) {
    if (&a == &b) return true;
    if (++questions_ > kMaxQuestions) return false;
    NormalForm form(choices);
    const NormalValue& x = form.of(a);
    const NormalValue& y = form.of(b);
    if (form.decisions().contradicted()) return true;
    if (form.decisions().question())
      return split(a, b, choices, *form.decisions().question(), kink);
    if (x.state == State::unread || y.state == State::unread) return false;
    if (x.state != State::finite || y.state != State::finite) {
      note_finiteness(x, y);
      return true;
    }
    compared_ |= !kink;
    const bool of_infinite = std::ranges::any_of(choices, [](const auto& choice) {
      return choice.first.starts_with("finite ") && choice.second == kPositive;
    });
    const auto difference = form.reduced(x.value.plus(y.value, -1));
    if (form.decisions().contradicted() || (difference && difference->is_zero())) return true;
    (of_infinite ? at_infinite_ : found_.but_at_kinks) |= kink;
    return kink;
  }

  bool split(const ElementNode& a, const ElementNode& b, const Choices& choices,
             const Question& question, bool kink) {
    for (const Signs answer : question.answers) {
      const bool is_zero = answer == kZero && !question.is_truth;
      const bool single = kink || (is_zero && !question.uniform);
      if (is_zero && question.zero) {
        if (!same_with(a, b, *question.zero, single)) return false;
        continue;
      }
      Choices chosen = choices;
      chosen[question.key] = answer;
      if (!same(a, b, chosen, single)) return false;
    }
    return true;
  }

  // With an argument put in, all other questions are new ones: a proof without them is one with
  // them.
  bool same_with(const ElementNode& a, const ElementNode& b, const Solution& solution, bool kink) {
    ElementCopier copier(arena_, Simplify::no);
    Node sum = solution.constant == 0 && !solution.others.empty()
                   ? nullptr
                   : arena_.literal(solution.constant, true);
    for (const auto& [argument, factor] : solution.others) {
      Node other = copier.copy(*argument);
      Node term = factor == 1
                      ? other
                      : arena_.apply(ElementOp::multiply, {arena_.literal(factor, true), other});
      sum = sum == nullptr ? term : arena_.apply(ElementOp::add, {sum, term});
    }
    ElementCopier replacing(arena_, Simplify::no);
    replacing.replace(solution.argument->index, sum);
    Node left = replacing.copy(a);
    return same(*left, *replacing.copy(b), {}, kink);
  }

  void note_finiteness(const NormalValue& x, const NormalValue& y) {
    if (x.state != State::finite && y.state != State::finite) return;
    const auto note = [](const NormalValue& value, Node& found) {
      if (value.state != State::finite && found == nullptr) found = value.at;
    };
    note(x, found_.first_not_finite);
    note(y, found_.second_not_finite);
  }

  ElementArena& arena_;
  Equality found_;
  bool compared_ = false;  // there was a case where both are finite
  bool at_infinite_ = false;
  int questions_ = 0;
};

}  // namespace

Equality prove_equal(const ElementNode& first, const ElementNode& second, ElementArena& arena) {
  return Prover(arena).prove(first, second);
}

}  // namespace opweave::codegen
