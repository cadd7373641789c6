// Promotion and dtypes of expressions, with what entries say of them.
#include "codegen/model/operators/element_rules.h"

#include <fmt/format.h>

#include "codegen/expr/element_checker.h"
#include "codegen/expr/element_conjugates.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/model/operators/entry_arguments.h"

namespace opweave::codegen {
namespace {

// Why a key cannot name an argument; empty if it can. Numbers of other types than Scalar have a
// dtype of their own: there is nothing to suit.
std::string_view obstacle(const Type& type, const ElementArgument& read, std::string_view key) {
  const bool scalar = type.base == BaseType::scalar && !type.list;
  if (key == "suits" && !scalar) return "is no Scalar, and so no number of any dtype";
  if (!scalar && !type.is_tensor()) return "is neither a tensor nor a Scalar: it has no dtype";
  if (!read.used) return "is not read by the expr";
  return read.as_boolean ? "is read as true or false by the expr" : "";
}

// Of the arguments that a key names.
void mark(Elements& elements, const Operator& op, const std::vector<LocatedText>& names,
          std::string_view key, bool ElementArgument::*member, DiagnosticSink& sink) {
  for (const LocatedText& word : names) {
    const int index = argument_index(op, word, sink);
    if (index < 0) continue;
    elements.arguments[index].*member = true;
    const Argument& argument = op.schema.arguments[index];
    const std::string_view why = obstacle(argument.type, elements.arguments[index], key);
    if (why.empty()) continue;
    sink.error(Code::bad_value, word.whole(),
               fmt::format("'{}' of '{}' names '{}', which {}", key, op.name.full, word.text, why))
        .note(argument.span, "it is declared here");
  }
}

void bits_conflict(const Operator& op, const OperatorEntry& entry, Span span, std::string_view key,
                   std::string_view what, DiagnosticSink& sink) {
  sink.error(Code::conflicting_statements, span,
             fmt::format("'{}' of '{}' {}, but its expr takes bits of whole numbers", key,
                         op.name.full, what))
      .note(entry.expr->whole(), "the expression is here");
}

// Of an expression that takes bits.
DTypeSet dtypes_of_bits(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  const DTypeSet bits = *dtype_group("integral_or_bool"), wide = *dtype_group("wide_unsigned");
  if (entry.dtypes && (entry.dtypes->bits & ~(bits.bits | wide.bits)) != 0)
    bits_conflict(op, entry, entry.dtypes_span, "dtypes", "has floats", sink);
  if (entry.promotion && entry.promotion->compute == ComputeRule::int_to_float)
    bits_conflict(op, entry, entry.promotion_span, "promotion", "makes floats", sink);
  return entry.dtypes.value_or(bits);
}

// Whole numbers become floats before they are computed with.
void check_dtypes_of_floats(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  if (!entry.dtypes || op.elements->promotion.compute != ComputeRule::int_to_float) return;
  if ((entry.dtypes->bits & dtype_group("floating")->bits) != 0) return;
  sink.error(Code::conflicting_statements, entry.dtypes_span,
             fmt::format("'dtypes' of '{}' has no floats, but its expr computes in them, whatever "
                         "it is given: no call would be possible",
                         op.name.full))
      .note(entry.expr->whole(), "the expression is here");
}

// What complex numbers do not have: an order, or a next whole number. Then it is as if they were
// not named.
DTypeSet without_wrong_complex(const Operator& op, const OperatorEntry& entry, DTypeSet dtypes,
                               DiagnosticSink& sink) {
  const ElementNode* node = takes_complex(entry) ? find_real_only(*op.elements->expr) : nullptr;
  if (node == nullptr) return dtypes;
  const Intrinsic& intrinsic = *find_intrinsic(node->op);
  sink.error(Code::conflicting_statements, entry.dtypes_span,
             fmt::format("'dtypes' of '{}' has complex numbers, which have no '{}'", op.name.full,
                         intrinsic.name.empty() ? intrinsic.symbol : intrinsic.name))
      .note(node->span ? node->span : entry.expr->whole(), "the expression takes it of them here");
  return {dtypes.bits & ~dtypes::kComplex};
}

DTypeSet computed_dtypes(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  // A view moves nothing and computes nothing.
  const DTypeSet usual{op.is_view() ? dtypes::kEvery : dtypes::kCommon};
  if (!op.is_expr()) return entry.dtypes.value_or(usual);
  const Context context = in_expr(op, sink);
  check_dtypes_of_floats(op, entry, sink);
  if (is_bitwise(*op.elements->expr)) return dtypes_of_bits(op, entry, sink);
  return without_wrong_complex(op, entry, entry.dtypes.value_or(usual), sink);
}

// Whether a number may stand where a tensor could: `a + 1`.
bool may_be_operand(const Operator& op, const Argument& argument) {
  return op.computation->implementation == Implementation::expr && !argument.keyword_only &&
         argument.type.base == BaseType::scalar && !argument.type.list && !argument.type.optional;
}

// What is no expression computes in no dtype of its own: `dtypes` says the same of all its tensors.
std::vector<DTypeSet> argument_dtypes(const Operator& op, const OperatorEntry& entry,
                                      DiagnosticSink& sink) {
  std::vector<DTypeSet> of_arguments;
  if (entry.dtypes && op.computation->implementation != Implementation::expr)
    of_arguments.assign(op.schema.arguments.size(), *entry.dtypes);
  // What is not said can be folded if it is a number as others are.
  if (!entry.dtypes && op.is_fold())
    of_arguments.assign(op.schema.arguments.size(), {dtypes::kCommon | dtypes::kWideUnsigned});
  for (const auto& [name, dtypes] : entry.argument_dtypes) {
    const int found = op.schema.find_argument(name.text);
    const bool number = found >= 0 && may_be_operand(op, op.schema.arguments[found]);
    const int index = number ? found : tensor_argument_index(op, name, "argument_dtypes", sink);
    if (index < 0) continue;
    of_arguments.resize(op.schema.arguments.size(), DTypeSet{dtypes::kEvery});
    of_arguments[index] = dtypes;
  }
  return of_arguments;
}

}  // namespace

Context in_expr(const Operator& op, DiagnosticSink& sink) {
  return {sink, op.origin.span,
          fmt::format("in the expr of '{}', which is declared here", op.name.full)};
}

bool takes_complex(const OperatorEntry& entry) {
  return entry.dtypes && (entry.dtypes->bits & dtypes::kComplex) != 0;
}

Elements elements_of(const ElementNode& expr, const Operator& op, const OperatorEntry& entry,
                     DiagnosticSink& sink) {
  const Context context = in_expr(op, sink);
  Elements elements{.expr = &expr, .arguments = element_arguments(expr, op.schema)};
  elements.promotion = entry.promotion ? *entry.promotion : derive_promotion(expr);
  if (expr.type == ElementType::boolean) elements.promotion.result = ResultRule::boolean;
  if (!entry.promotes.empty()) {
    for (ElementArgument& argument : elements.arguments) argument.promotes = false;
  }
  mark(elements, op, entry.promotes, "promotes", &ElementArgument::promotes, sink);
  mark(elements, op, entry.suits, "suits", &ElementArgument::suits, sink);
  mark(elements, op, entry.exact_numbers, "exact_numbers", &ElementArgument::exact, sink);
  return elements;
}

DTypes dtypes_of(const Operator& op, const OperatorEntry& entry, DiagnosticSink& sink) {
  return {computed_dtypes(op, entry, sink), argument_dtypes(op, entry, sink), entry.out_dtype};
}

}  // namespace opweave::codegen
