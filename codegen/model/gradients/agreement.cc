// The comparison: by algebra and in numbers.
#include "codegen/model/gradients/agreement.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_copy.h"
#include "codegen/expr/element_print.h"
#include "codegen/model/gradients/complex_comparison.h"
#include "codegen/model/gradients/gradient_comparison.h"
#include "codegen/model/gradients/numbers_of.h"
#include "codegen/model/pointwise/formula_elements.h"
#include "codegen/proof/equality.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

class Checker {
 public:
  Checker(const Operator& op, const DerivativeFormula& formula, Span span, DiagnosticSink& sink)
      : op_(op), formula_(formula), span_(span), sink_(sink) {}

  Agreement check() {
    const bool has_tree = op_.is_expr() || op_.formulas->composite != nullptr;
    const bool is_asked = has_tree && formula_.kind != DerivativeFormula::Kind::non_differentiable;
    if (!is_asked) return {};
    if (formula_.inputs.size() != 1) return not_compared("one formula is for several inputs");
    if (op_.schema.returns.size() != 1) return not_compared("there are several results");
    expr_ = expression();
    if (expr_ == nullptr) return not_compared(reason_);
    given_ = given();
    if (given_ == nullptr) return not_compared(reason_);
    const ElementDerivative found = Differentiator(arena_).differentiate(
        *expr_, formula_.inputs[0], Differentiator::Result::read, numbers_of(op_));
    if (found.gradient == nullptr) {
      return not_compared(
          fmt::format("'{}' has no derivative here", element_op_name(found.obstacle)));
    }
    derived_ = without_result(*found.gradient, Simplify::yes);
    return compare();
  }

 private:
  static Agreement not_compared(std::string reason) {
    return {.how = Agreement::How::not_compared, .reason = std::move(reason)};
  }

  Node expression() {
    if (op_.is_expr()) return ElementCopier(arena_, Simplify::no).copy(*op_.elements->expr);
    return pointwise(*op_.formulas->composite);
  }

  Node given() {
    if (formula_.kind == DerivativeFormula::Kind::zero) return arena_.literal(0, false);
    Node tree = pointwise(*formula_.formula);
    return tree ? without_result(*tree, Simplify::no) : nullptr;
  }

  Node pointwise(const FormulaNode& formula) {
    FormulaElements elements(arena_, op_.schema, FormulaElements::Depth::whole);
    Node tree = elements.convert(formula);
    if (elements.opaque().empty()) return tree;
    const FormulaNode& first = *elements.opaque().front();
    reason_ = first.kind == FormulaKind::call
                  ? fmt::format("'{}' is not pointwise", first.op->name.full)
                  : "it reads more than elements";
    return nullptr;
  }

  Node without_result(const ElementNode& tree, Simplify simplify) {
    ElementCopier copier(arena_, simplify);
    copier.replace(kResultIndex, expr_);
    return copier.copy(tree);
  }

  // A proof says nothing of what rounds, overflows or is infinite: numbers are looked at, too.
  Agreement compare() {
    const Equality equality = prove_equal(*given_, *derived_, arena_);
    SamplePoints samples(op_, {expr_, given_, derived_});
    GradientComparison comparison(expr_, given_, derived_, formula_.inputs[0]);
    if (const auto found = comparison.search(samples)) {
      report(*found);
      return {.how = Agreement::How::in_numbers, .points = comparison.points()};
    }
    if (agrees_beside_real(samples)) return agreement_of(equality, comparison, samples);
    return {.how = Agreement::How::in_numbers, .points = comparison.points()};
  }

  // Of real numbers conjugates are not seen.
  bool agrees_beside_real(SamplePoints& samples) {
    if (numbers_of(op_) == Numbers::real) return true;
    const auto found =
        compare_complex(op_, *expr_, *given_, *derived_, formula_.inputs[0], samples);
    if (found) report(*found);
    return !found;
  }

  Agreement agreement_of(const Equality& equality, const GradientComparison& comparison,
                         SamplePoints& samples) {
    const bool proved = equality.how != Equality::How::not_proved;
    if (!proved && comparison.points() == 0)
      return not_compared("no sample is in the domain of both");
    Agreement agreement{.how = Agreement::How::by_algebra};
    if (!proved) agreement = {.how = Agreement::How::in_numbers, .points = comparison.points()};
    agreement.at_kinks = !equality.but_at_kinks;
    if (equality.how == Equality::How::where_finite) agreement.partly = not_finite(equality);
    if (const auto edge = comparison.search_edges(samples))
      agreement.exception =
          fmt::format("at {} it gives {}, the derivative {}", described(edge->point),
                      number(edge->given), number(edge->derived));
    return agreement;
  }

  // What is not finite everywhere: of the formula, if it has such a part.
  std::string not_finite(const Equality& equality) const {
    const bool of_given = equality.first_not_finite != nullptr;
    const ElementNode& part = of_given ? *equality.first_not_finite : *equality.second_not_finite;
    return fmt::format("'{}'{} is not finite everywhere", print(part, names()),
                       of_given ? "" : " of the derivative");
  }

  std::string_view what() const { return op_.is_expr() ? "expr" : "composite"; }

  void report(const ComplexCounterexample& found) {
    std::string point;
    for (size_t i = 0; i < found.point.arguments.size(); ++i)
      point += op_.schema.arguments[i].name + " = " + complex_text(found.point.arguments[i]) + ", ";
    disagreement()
        .note({}, fmt::format("for {}grad = {} the formula gives {}, the derivative is {}, and the "
                              "{} itself changes by {}",
                              point, complex_text(found.point.grad), complex_text(found.given),
                              complex_text(found.derived), what(), complex_text(found.difference)))
        .note({}, fmt::format("the derivative is {}", print(*derived_, names())))
        .note(op_.origin.span, "the operator is declared here");
  }

  Diagnostic& disagreement() {
    return sink_.error(Code::formula_disagrees, span_,
                       fmt::format("the gradient of '{}' with respect to '{}' is not the "
                                   "derivative of its {}",
                                   op_.name.full, names()[formula_.inputs[0]], what()));
  }

  void report(const Counterexample& found) {
    const int digits = number(found.given) == number(found.derived) ? 13 : 6;
    const std::string derived = number(found.derived, digits);
    const std::string change =
        std::isfinite(found.difference)
            ? fmt::format("the derivative is {}, and the {} itself changes by {}", derived, what(),
                          number(found.difference, digits))
            : fmt::format("and the derivative is {}", derived);
    disagreement()
        .note({}, fmt::format("for {} the formula gives {}, {}", described(found.point),
                              number(found.given, digits), change))
        .note({}, fmt::format("the derivative is {}", print(*derived_, names())))
        .note(op_.origin.span, "the operator is declared here");
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Argument& argument : op_.schema.arguments) names.push_back(argument.name);
    return names;
  }

  static std::string number(long double value, int digits = 6) {
    if (std::isnan(value)) return "nan";
    return fmt::format("{:.{}g}", static_cast<double>(value), digits);
  }

  // "self = 0.5, beta = 2"
  std::string described(const ElementPoint& point) const {
    std::string text;
    for (size_t i = 0; i < point.arguments.size(); ++i) {
      const Argument& argument = op_.schema.arguments[i];
      text += text.empty() ? "" : ", ";
      const bool is_text = argument.type.base == BaseType::string;
      text += argument.name + " = " +
              (!point.given[i] ? "none"
               : is_text       ? fmt::format("'{}'", point.texts[i])
                               : number(point.arguments[i]));
    }
    return point.grad == 1 ? text : text + ", grad = " + number(point.grad);
  }

  const Operator& op_;
  const DerivativeFormula& formula_;
  Span span_;
  DiagnosticSink& sink_;
  ElementArena arena_;
  Node expr_ = nullptr, given_ = nullptr, derived_ = nullptr;
  std::string reason_;
};

}  // namespace

std::string how_equal(const Agreement& agreement) {
  std::string text = agreement.how == Agreement::How::in_numbers
                         ? fmt::format("at {} points", agreement.points)
                         : std::string("by algebra");
  if (!agreement.at_kinks) text += " but at kinks";
  if (!agreement.partly.empty()) text += " where both are finite: " + agreement.partly;
  if (!agreement.exception.empty())
    text += (agreement.partly.empty() ? ", but " : "; ") + agreement.exception;
  return text;
}

Agreement check_agreement(const Operator& op, const DerivativeFormula& formula, Span span,
                          DiagnosticSink& sink) {
  return Checker(op, formula, span, sink).check();
}

}  // namespace opweave::codegen
