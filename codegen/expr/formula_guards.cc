// A walk over formulas that remembers what conditions have said.
#include "codegen/expr/formula_guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/expr/formula_convert.h"

namespace opweave::codegen {
namespace {

bool asks_for_presence(const FormulaNode& node) {
  return node.kind == FormulaKind::property &&
         (node.property == Property::defined || node.property == Property::has_value);
}

class GuardChecker {
 public:
  GuardChecker(const FormulaScope& scope, const CalledSchemas& called, DiagnosticSink& sink)
      : scope_(scope), called_(called), sink_(sink) {}

  bool check(const FormulaNode& formula, std::span<const Type> wanted) {
    visit(formula, {});
    if (formula.kind == FormulaKind::tuple) {
      for (size_t i = 0; i < formula.operands.size(); ++i) result(formula.operand(i), wanted[i]);
    } else if (wanted.size() == 1) {
      result(formula, wanted[0]);
    }
    return fine_;
  }

 private:
  GivenArguments implied(const FormulaNode& condition, bool value) const {
    return given_by(condition, value,
                    [this](const FormulaNode& part, bool v) { return implied(part, v); });
  }

  void visit(const FormulaNode& node, const GivenArguments& given) {
    // What is shared is read again only where less is known of it.
    const auto [known, is_new] = seen_.emplace(&node, given);
    if (!is_new) {
      if (std::ranges::includes(given, known->second)) return;
      known->second = given;
    }
    check_reads(node, given);
    for (size_t i = 0; i < node.operands.size(); ++i) {
      visit(node.operand(i),
            joined(given, given_before(node, i, [this](const FormulaNode& part, bool value) {
                     return implied(part, value);
                   })));
    }
  }

  void check_reads(const FormulaNode& node, const GivenArguments& given) {
    if (node.kind == FormulaKind::call) return check_call(node, given);
    const bool asks = node.kind == FormulaKind::property && !asks_for_presence(node);
    const bool value =
        node.kind == FormulaKind::convert && node.conversion == Conversion::from_optional;
    if (asks || value) present(node.operand(0), node.span, given);
  }

  void check_call(const FormulaNode& call, const GivenArguments& given) {
    const auto schema = called_.find(&call);
    if (schema == called_.end()) return;
    for (size_t i = 0; i < call.operands.size(); ++i) {
      const Type& type = schema->second->arguments[i].type;
      if (type.is_tensor() && !type.optional) {
        present(call.operand(i), call.operand(i).span, given);
      } else if (type.is_tensor_list() && !type.element_optional &&
                 call.operand(i).kind == FormulaKind::list) {
        for (const FormulaNode* item : call.operand(i).operands) present(*item, item->span, given);
      }
    }
  }

  void result(const FormulaNode& node, const Type& wanted) {
    if (wanted.optional || !wanted.is_tensor() || scope_.is_derivative || scope_.is_forward) return;
    present(node, node.span, {});
  }

  // The argument or `none` that may stand where a value has to; null if there is none.
  const FormulaNode* absent(const FormulaNode& node, const GivenArguments& given) const {
    switch (node.kind) {
      case FormulaKind::argument:
        return node.type.optional && !given.contains(node.index) ? &node : nullptr;
      case FormulaKind::named:
        return absent(node.operand(0), given);
      case FormulaKind::constant:
        return is_none(node) ? &node : nullptr;
      case FormulaKind::convert:
        return node.conversion == Conversion::none_to_tensor ? &node.operand(0) : nullptr;
      case FormulaKind::conditional: {
        const FormulaNode* then =
            absent(node.operand(1), joined(given, implied(node.operand(0), true)));
        return then ? then
                    : absent(node.operand(2), joined(given, implied(node.operand(0), false)));
      }
      default:
        return nullptr;
    }
  }

  void present(const FormulaNode& node, Span where, const GivenArguments& given) {
    const FormulaNode* missing = absent(node, given);
    if (missing == nullptr || !reported_.insert(where.begin).second) return;
    fine_ = false;
    if (missing->kind != FormulaKind::argument) {
      sink_.error(Code::type_mismatch, where, "a Tensor is needed here, not none");
      return;
    }
    const std::string& name = scope_.schema->arguments[missing->index].name;
    sink_.error(Code::type_mismatch, where,
                fmt::format("'{0}' may be none here: ask '{0} == none' first", name));
  }

  const FormulaScope& scope_;
  const CalledSchemas& called_;
  DiagnosticSink& sink_;
  std::map<const FormulaNode*, GivenArguments> seen_;
  std::set<uint32_t> reported_;
  bool fine_ = true;
};

}  // namespace

GivenArguments joined(GivenArguments a, const GivenArguments& b) {
  a.insert(b.begin(), b.end());
  return a;
}

GivenArguments given_by(const FormulaNode& condition, bool value, const AskCondition& ask) {
  if (condition.kind == FormulaKind::unary) return ask(condition.operand(0), !value);
  if (asks_for_presence(condition) && condition.operand(0).kind == FormulaKind::argument)
    return value ? GivenArguments{condition.operand(0).index} : GivenArguments();
  const bool both =
      condition.kind == FormulaKind::binary && condition.symbol == (value ? "&&" : "||");
  if (!both) return {};
  return joined(ask(condition.operand(0), value), ask(condition.operand(1), value));
}

GivenArguments given_before(const FormulaNode& node, size_t operand, const AskCondition& ask) {
  if (operand == 0) return {};
  if (node.kind == FormulaKind::conditional) return ask(node.operand(0), operand == 1);
  if (node.kind == FormulaKind::binary && (node.symbol == "&&" || node.symbol == "||"))
    return ask(node.operand(0), node.symbol == "&&");
  return {};
}

bool check_guards(const FormulaNode& formula, std::span<const Type> wanted,
                  const FormulaScope& scope, const CalledSchemas& called, DiagnosticSink& sink) {
  return GuardChecker(scope, called, sink).check(formula, wanted);
}

}  // namespace opweave::codegen
