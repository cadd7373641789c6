// The comparison: first by algebra, then in numbers.
#include "codegen/model/gradients/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_copy.h"
#include "codegen/expr/element_print.h"
#include "codegen/model/gradients/formula_elements.h"
#include "codegen/model/samples/sample_points.h"
#include "codegen/proof/equality.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

constexpr int kDrawn = 400;
constexpr int kCompared = 120;

struct Counterexample {
  ElementPoint point;
  long double given = 0, derived = 0, difference = 0;
};

// Both gradients of one argument, in numbers.
class Comparison {
 public:
  Comparison(Node expr, Node given, Node derived, uint16_t argument)
      : expr_(expr), given_(given), derived_(derived), argument_(argument) {}

  int points() const { return points_; }

  std::optional<Counterexample> search(SamplePoints& samples) {
    for (int i = 0; i < kDrawn && points_ < kCompared; ++i) {
      ElementPoint point = samples.next();
      point.result = value(*expr_, point);
      const long double given = value(*given_, point), derived = value(*derived_, point);
      const bool defined =
          std::isfinite(point.result) && std::isfinite(given) && std::isfinite(derived);
      if (!defined) continue;
      ++points_;
      if (agree(given, derived, 0) || agree(given, derived, rounding(point))) continue;
      if (is_near_kink(point)) continue;
      const long double difference = quotient(point) * point.grad;
      if (is_close(given, difference) || !std::isfinite(difference)) continue;
      return Counterexample{point, given, derived, difference};
    }
    return std::nullopt;
  }

 private:
  static long double value(const ElementNode& tree, const ElementPoint& point) {
    return Evaluator(point, ErrorBounds::no).evaluate(tree).value;
  }

  // How far rounding may have moved both gradients.
  long double rounding(const ElementPoint& point) const {
    return Evaluator(point).evaluate(*given_).error + Evaluator(point).evaluate(*derived_).error;
  }

  static bool agree(long double a, long double b, long double rounding) {
    const long double size = std::max(std::fabs(a), std::fabs(b));
    return std::fabs(a - b) <= 1e-8L * size + 64 * rounding + 1e-15L;
  }
  static bool is_close(long double a, long double b) {
    return std::fabs(a - b) <= 1e-6L * std::max(std::fabs(a), std::fabs(b)) + 1e-9L;
  }

  long double step(const ElementPoint& point) const {
    return 1e-4L * std::max(1.0L, std::fabs(point.arguments[argument_]));
  }

  ElementPoint moved(ElementPoint point, long double by) const {
    point.arguments[argument_] += by;
    return point;
  }

  // Conventions rule at kinks and jumps: the quotient of differences knows nothing there.
  bool is_near_kink(const ElementPoint& point) const {
    const long double h = 2 * step(point);
    for (Node tree : {expr_, given_, derived_}) {
      const uint64_t way = way_of(*tree, point);
      if (way != way_of(*tree, moved(point, h)) || way != way_of(*tree, moved(point, -h)))
        return true;
    }
    return false;
  }
  static uint64_t way_of(const ElementNode& tree, const ElementPoint& point) {
    Evaluator evaluator(point, ErrorBounds::no);
    evaluator.evaluate(tree);
    return evaluator.way();
  }

  // Central differences, extrapolated once.
  long double quotient(const ElementPoint& point) const {
    const auto at = [&](long double h) {
      const ElementPoint low = moved(point, -h), high = moved(point, h);
      return (value(*expr_, high) - value(*expr_, low)) / (2 * h);
    };
    const long double h = step(point);
    return (4 * at(h / 2) - at(h)) / 3;
  }

  Node expr_, given_, derived_;
  uint16_t argument_;
  int points_ = 0;
};

class Checker {
 public:
  Checker(const Operator& op, const DerivativeFormula& formula, Span span, DiagnosticSink& sink)
      : op_(op), formula_(formula), span_(span), sink_(sink) {}

  Agreement check() {
    const bool has_tree = op_.is_expr() || op_.composite != nullptr;
    const bool is_asked = has_tree && formula_.kind != DerivativeFormula::Kind::non_differentiable;
    if (!is_asked) return {};
    if (formula_.inputs.size() != 1) return not_compared("one formula is for several inputs");
    if (op_.schema.returns.size() != 1) return not_compared("there are several results");
    expr_ = expression();
    if (expr_ == nullptr) return not_compared(reason_);
    given_ = given();
    if (given_ == nullptr) return not_compared(reason_);
    const ElementDerivative found =
        Differentiator(arena_).differentiate(*expr_, formula_.inputs[0]);
    if (found.gradient == nullptr) {
      return not_compared(
          fmt::format("'{}' has no derivative here", element_op_name(found.obstacle)));
    }
    derived_ = without_result(*found.gradient);
    return compare();
  }

 private:
  static Agreement not_compared(std::string reason) {
    return {.how = Agreement::How::not_compared, .reason = std::move(reason)};
  }

  Node expression() {
    if (op_.is_expr()) return ElementCopier(arena_, Simplify::no).copy(*op_.expr);
    return pointwise(*op_.composite);
  }

  Node given() {
    if (formula_.kind == DerivativeFormula::Kind::zero) return arena_.literal(0, false);
    Node tree = pointwise(*formula_.formula);
    return tree ? without_result(*tree) : nullptr;
  }

  Node pointwise(const FormulaNode& formula) {
    FormulaElements elements(arena_, op_.schema, FormulaElements::Depth::whole);
    Node tree = elements.convert(formula);
    if (elements.opaque().empty()) return tree;
    const FormulaNode& first = *elements.opaque().front();
    reason_ = first.kind == FormulaKind::call
                  ? fmt::format("'{}' is not pointwise", first.op->full_name)
                  : "it reads more than elements";
    return nullptr;
  }

  Node without_result(const ElementNode& tree) {
    ElementCopier copier(arena_, Simplify::yes);
    copier.replace(kResultIndex, expr_);
    return copier.copy(tree);
  }

  Agreement compare() {
    if (proved_equal(*given_, *derived_)) return {.how = Agreement::How::by_algebra};
    SamplePoints samples(op_, {expr_, given_, derived_});
    Comparison comparison(expr_, given_, derived_, formula_.inputs[0]);
    if (const auto counterexample = comparison.search(samples)) report(*counterexample);
    if (comparison.points() == 0) return not_compared("no sample is in the domain of both");
    return {.how = Agreement::How::in_numbers, .points = comparison.points()};
  }

  void report(const Counterexample& found) {
    std::vector<std::string> names;
    for (const Argument& argument : op_.schema.arguments) names.push_back(argument.name);
    const std::string_view what = op_.is_expr() ? "expr" : "composite";
    sink_
        .error(Code::formula_disagrees, span_,
               fmt::format("the gradient of '{}' with respect to '{}' is not the derivative of "
                           "its {}",
                           op_.full_name, names[formula_.inputs[0]], what))
        .note({},
              fmt::format("for {} the formula gives {}, the derivative is {}, and the {} itself "
                          "changes by {}",
                          described(found.point), number(found.given), number(found.derived), what,
                          number(found.difference)))
        .note({}, fmt::format("the derivative is {}", print(*derived_, names)))
        .note(op_.span, "the operator is declared here");
  }

  static std::string number(long double value) {
    return fmt::format("{:.6g}", static_cast<double>(value));
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

Agreement check_agreement(const Operator& op, const DerivativeFormula& formula, Span span,
                          DiagnosticSink& sink) {
  return Checker(op, formula, span, sink).check();
}

}  // namespace opweave::codegen
