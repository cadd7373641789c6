// The search: points where numerators cancel, and what is found there.
#include "codegen/model/gradients/digit_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_copy.h"
#include "codegen/expr/element_print.h"
#include "codegen/model/gradients/numbers_of.h"
#include "codegen/model/pointwise/formula_elements.h"
#include "codegen/model/samples/sample_points.h"
#include "codegen/proof/digits.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

constexpr size_t kMostCenters = 8;
constexpr size_t kMostSteps = 40;
// The signs of what a tree divides by are looked at here.
constexpr long double kReach = 8, kStep = 0.25L;

// The steps that something is divided by, and their factors.
std::vector<size_t> divisors_of(const Tape& tape) {
  const auto& steps = tape.steps();
  std::set<size_t> found;
  for (size_t i = steps.size(); i-- > 0;) {
    const auto& [node, operands] = steps[i];
    switch (node->op) {
      case ElementOp::divide:
        found.insert(operands[1]);
        break;
      case ElementOp::reciprocal:
      case ElementOp::rsqrt:
      case ElementOp::log:
        found.insert(operands[0]);
        break;
      case ElementOp::multiply:
        if (found.contains(i)) found.insert({operands[0], operands[1]});
        break;
      case ElementOp::square:
      case ElementOp::sqrt:
        if (found.contains(i)) found.insert(operands[0]);
        break;
      default:
        break;
    }
  }
  std::erase_if(found, [&](size_t i) { return steps[i].node->operands.empty(); });
  return {found.begin(), found.end()};
}

// Of a generated operator the first argument is the gradient that comes in.
bool is_gradient(const Operator& op, uint16_t argument) {
  return op.is_generated() && argument == 0;
}

class DigitSearch {
 public:
  DigitSearch(const Operator& op, Node expr, Node gradient)
      : op_(op),
        gradient_(*gradient),
        check_(*gradient, op.tensor_arguments()),
        samples_(op, {expr, gradient}) {}

  // The worst of what is found. What nobody would write by hand takes seconds, and is left alone.
  std::optional<LostDigits> search() {
    if (check_.tape().steps().size() > kMostSteps) return {};
    const std::set<uint16_t> read = read_elements(gradient_);
    for (const uint16_t argument : op_.tensor_arguments()) {
      if (!read.contains(argument) || is_gradient(op_, argument)) continue;
      ElementPoint base = samples_.next();
      base.grad = 1;
      for (const long double value : values_near(centers(base, argument))) {
        if (samples_.holds(argument, value)) look_at(base, argument, value);
      }
    }
    return worst_;
  }

 private:
  // With one tensor there, and with all that may be.
  void look_at(ElementPoint point, uint16_t argument, long double value) {
    point.arguments[argument] = value;
    look_at(point);
    bool differs = false;
    for (const uint16_t other : op_.tensor_arguments()) {
      if (other == argument || is_gradient(op_, other) || !samples_.holds(other, value)) continue;
      point.arguments[other] = value;
      differs = true;
    }
    if (differs) look_at(point);
  }

  void look_at(const ElementPoint& point) {
    for (const Arithmetic arithmetic : {Arithmetic::float32, Arithmetic::float64}) {
      const auto found = check_.at(point, arithmetic, unit(point));
      if (found && counts(*found) && (!worst_ || loss(*found) > loss(*worst_))) worst_ = found;
    }
  }

  // Where squares have no place, an infinity or NaN counts, and no number. Further derivatives may
  // overflow where they need not: they are of squares and cubes.
  bool counts(const LostDigits& found) const {
    const long double most = found.arithmetic == Arithmetic::float32 ? 0x1p60L : 0x1p500L;
    const auto& values = found.point.arguments;
    const bool squares = std::ranges::any_of(op_.tensor_arguments(), [&](uint16_t i) {
      const long double size = std::fabs(values[i]);
      return size != 0 && (size > most || size < 1 / most);
    });
    return std::isfinite(found.computed) ? !squares : !op_.is_generated();
  }

  long double loss(const LostDigits& found) const {
    if (std::isnan(found.computed)) return std::numeric_limits<long double>::infinity();
    const long double size = std::max(std::fabs(found.exact), unit(found.point));
    return std::fabs(found.computed - found.exact) / size;
  }

  // What comes in, of a gradient of a gradient as well.
  long double unit(const ElementPoint& point) const {
    return std::max(std::fabs(point.grad), op_.is_generated() ? std::fabs(point.arguments[0]) : 0);
  }

  // Zeros of what the tree divides by.
  std::set<long double> centers(ElementPoint point, uint16_t argument) const {
    std::set<long double> found = {0, 1, -1};
    const std::vector<size_t> divisors = divisors_of(check_.tape());
    if (divisors.empty()) return found;
    const auto at = [&](long double value) {
      point.arguments[argument] = value;
      return check_.tape().values(point, Arithmetic::extended, Arithmetic::extended);
    };
    auto before = at(-kReach);
    for (long double x = -kReach + kStep; x <= kReach; x += kStep) {
      const auto here = at(x);
      for (const size_t i : divisors) {
        if (before[i] * here[i] < 0 && found.size() < kMostCenters)
          found.insert(zero_between(at, i, x - kStep, x));
      }
      before = here;
    }
    return found;
  }

  template <typename At>
  static long double zero_between(At&& at, size_t step, long double low, long double high) {
    const bool rises = at(low)[step] < 0;
    for (int i = 0; i < 50; ++i) {
      const long double middle = (low + high) / 2;
      ((at(middle)[step] < 0) == rises ? low : high) = middle;
    }
    return low;
  }

  static std::vector<long double> values_near(const std::set<long double>& centers) {
    std::vector<long double> values;
    const auto both = [&](long double center, long double by) {
      values.insert(values.end(), {center + by, center - by});
    };
    for (const long double center : centers) {
      if (center == 0) {
        for (int k = 1; k <= 100; k += k < 40 ? 3 : 15) both(0, std::ldexp(1.0L, -k));
      } else {
        values.push_back(center);
        for (int k = 2; k <= 50; k += 4) both(center, std::ldexp(std::fabs(center), -k));
      }
    }
    for (int k = 3; k <= 120; k += k < 16 ? 2 : 13) both(0, std::ldexp(1.0L, k));
    for (int k = 200; k <= 1000; k += 150) both(0, std::ldexp(1.0L, k));
    return values;
  }

  const Operator& op_;
  const ElementNode& gradient_;
  DigitCheck check_;
  SamplePoints samples_;
  std::optional<LostDigits> worst_;
};

class Reporter {
 public:
  Reporter(const Operator& op, DiagnosticSink& sink) : op_(op), sink_(sink) {
    for (const Argument& argument : op.schema.arguments) names_.push_back(argument.name);
  }

  void report(const LostDigits& found, uint16_t argument, const ElementNode& gradient, Span span) {
    const char* dtype = found.arithmetic == Arithmetic::float32 ? "float32" : "float64";
    auto& diagnostic = sink_.warning(
        Code::digits_lost, span,
        fmt::format("the gradient of '{}' with respect to '{}' loses its digits in {}: for {} it "
                    "is {}, and {} is computed",
                    op_.name.full, names_[argument], dtype, described(found.point),
                    number(found.exact), number(found.computed)));
    diagnostic.note({}, fmt::format("they are lost by '{}'", print(*found.at, names_)))
        .note({}, fmt::format("the gradient is {}", print(gradient, names_)));
    if (op_.origin.gradient_of != nullptr)
      diagnostic.note({}, fmt::format("'{}' is a gradient of '{}'", op_.name.full,
                                      op_.origin.gradient_of->name.full));
  }

 private:
  static std::string number(long double value) {
    return std::isnan(value) ? "nan" : fmt::format("{:.6g}", static_cast<double>(value));
  }

  std::string described(const ElementPoint& point) const {
    std::string text;
    for (size_t i = 0; i < point.arguments.size(); ++i) {
      const bool is_text = op_.schema.arguments[i].type.base == BaseType::string;
      text += (text.empty() ? "" : ", ") + names_[i] + " = ";
      text += !point.given[i] ? "none"
              : is_text       ? fmt::format("'{}'", point.texts[i])
                              : number(point.arguments[i]);
    }
    return text;
  }

  const Operator& op_;
  DiagnosticSink& sink_;
  std::vector<std::string> names_;
};

// The gradient as a tree over the operator's own arguments; null where it is none.
class GradientTrees {
 public:
  explicit GradientTrees(const Operator& op)
      : op_(op), expr_(ElementCopier(arena_, Simplify::no).copy(*op.elements->expr)) {}

  Node expr() const { return expr_; }

  Node of(const DerivativeFormula& formula) {
    if (formula.kind != DerivativeFormula::Kind::formula || formula.inputs.size() != 1)
      return nullptr;
    return formula.derived ? derived(formula) : written(*formula.formula);
  }

 private:
  Node derived(const DerivativeFormula& formula) {
    Node found =
        Differentiator(arena_)
            .differentiate(*expr_, formula.inputs[0], Differentiator::Result::read, numbers_of(op_))
            .gradient;
    return found == nullptr ? nullptr : without_result(*found);
  }

  Node written(const FormulaNode& formula) {
    FormulaElements elements(arena_, op_.schema, FormulaElements::Depth::whole);
    Node found = elements.convert(formula);
    return found == nullptr || !elements.opaque().empty() ? nullptr : without_result(*found);
  }

  Node without_result(const ElementNode& tree) {
    ElementCopier copier(arena_, Simplify::no);
    copier.replace(kResultIndex, expr_);
    return copier.copy(tree);
  }

  const Operator& op_;
  ElementArena arena_;
  Node expr_;
};

bool is_looked_at(const Operator& op) {
  return op.is_expr() && op.gradient->derivative != nullptr && !op.origin.imported &&
         op.forms->form == Form::functional;
}

Span span_of(const Operator& op, const DerivativeFormula& formula) {
  if (!formula.derived) return formula.formula->span;
  return op.origin.gradient_of != nullptr ? op.origin.gradient_of->origin.span
                                          : op.elements->expr->span;
}

// Whether something was said.
bool check_operator(const Operator& op, DiagnosticSink& sink) {
  GradientTrees trees(op);
  bool told = false;
  for (const DerivativeFormula& formula : op.gradient->derivative->formulas) {
    Node gradient = trees.of(formula);
    // By the gradient that comes in it is the gradient itself.
    if (gradient == nullptr || is_gradient(op, formula.inputs[0])) continue;
    const auto found = DigitSearch(op, trees.expr(), gradient).search();
    if (!found) continue;
    Reporter(op, sink).report(*found, formula.inputs[0], *gradient, span_of(op, formula));
    told = true;
  }
  return told;
}

}  // namespace

void check_digits(const std::vector<const Operator*>& operators, DiagnosticSink& sink) {
  std::set<const Operator*> told;  // what is derived from them has the same to say
  for (const Operator* op : operators) {
    if (!is_looked_at(*op) || told.contains(op->origin.gradient_of)) continue;
    if (check_operator(*op, sink)) told.insert(op);
  }
}

}  // namespace opweave::codegen
