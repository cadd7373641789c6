// Proof by cases: a condition that neither tree has decided splits the question in two.
#include "codegen/proof/equality.h"

#include "codegen/proof/normal_form.h"

namespace opweave::codegen {
namespace {

constexpr int kMaxQuestions = 256;

class Prover {
 public:
  Prover(const ElementNode& a, const ElementNode& b) : a_(a), b_(b) {}

  bool prove(const Choices& choices) {
    if (++questions_ > kMaxQuestions) return false;
    NormalForm form(choices);
    const auto a = form.of(a_);
    const auto b = a ? form.of(b_) : std::nullopt;
    if (!form.missing().empty()) {
      Choices chosen = choices;
      for (const bool value : {true, false}) {
        chosen[form.missing()] = value;
        if (!prove(chosen)) return false;
      }
      return true;
    }
    if (!a || !b) return false;
    const auto difference = form.reduced(a->plus(*b, -1));
    return difference && difference->is_zero();
  }

 private:
  const ElementNode& a_;
  const ElementNode& b_;
  int questions_ = 0;
};

}  // namespace

bool proved_equal(const ElementNode& a, const ElementNode& b) {
  return &a == &b || Prover(a, b).prove({});
}

}  // namespace opweave::codegen
