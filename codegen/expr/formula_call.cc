// Overload resolution.
#include "codegen/expr/formula_call.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "codegen/diagnostics/suggest.h"
#include "codegen/expr/formula_convert.h"

namespace opweave::codegen {
namespace {

// What an overload makes of the actual arguments.
class Binding {
 public:
  Binding(const FormulaCallable& callable, std::string_view name, Span call)
      : callable_(callable), name_(name), call_(call) {}

  bool bind(std::span<const FormulaActual> actuals, FormulaArena& arena) {
    given_.resize(schema().arguments.size());
    size_t position = 0;
    for (const FormulaActual& actual : actuals) {
      bool fine = actual.node->type.base == BaseType::options
                      ? take_options(actual, position, arena)
                      : take(actual, find(actual, position));
      if (!fine) return false;
    }
    for (size_t i = 0; i < given_.size(); ++i) {
      if (given_[i]) continue;
      if (!schema().arguments[i].default_value) {
        return refuse(call_,
                      fmt::format("the argument '{}' is missing", schema().arguments[i].name));
      }
      ++defaults_;
    }
    return true;
  }

  const FormulaNode* build(FormulaArena& arena) const {
    std::vector<const FormulaNode*> operands;
    for (size_t i = 0; i < given_.size(); ++i) operands.push_back(operand(i, arena));
    const auto& returns = schema().returns;
    Type type = returns.size() == 1 ? returns[0].type : plain_type(BaseType::tuple);
    const FormulaKind kind = callable_.op ? FormulaKind::call : FormulaKind::function;
    FormulaNode& node = arena.make(kind, type, call_, operands);
    node.op = callable_.op;
    if (!callable_.op) node.function = callable_.schema;
    return &node;
  }

  const Schema& schema() const { return *callable_.schema; }
  // Fewer conversions first, then fewer defaults.
  std::pair<int, int> rank() const { return {cost_, defaults_}; }
  const std::string& refusal() const { return refusal_; }
  Span refusal_span() const { return refusal_span_; }
  const std::string& suggestion() const { return suggestion_; }

 private:
  bool refuse(Span span, std::string message) {
    refusal_ = std::move(message);
    refusal_span_ = span;
    return false;
  }

  int find(const FormulaActual& actual, size_t& position) const {
    if (!actual.keyword.empty()) return schema().find_argument(actual.keyword);
    size_t index = position++;
    bool exists = index < schema().arguments.size() && !schema().arguments[index].keyword_only;
    return exists ? static_cast<int>(index) : -1;
  }

  bool take(const FormulaActual& actual, int index) {
    if (index < 0) return refuse_unknown(actual);
    const Argument& formal = schema().arguments[index];
    if (given_[index]) {
      const Span again = actual.keyword.empty() ? actual.node->span : actual.keyword_span;
      return refuse(again, fmt::format("'{}' is given twice", formal.name));
    }
    std::optional<int> cost = conversion_cost(*actual.node, formal.type);
    if (!cost) {
      Type wanted = formal.type;
      wanted.alias.reset();
      return refuse(actual.node->span, fmt::format("'{}' must be {}, not {}", formal.name,
                                                   print(wanted), print(actual.node->type)));
    }
    given_[index] = actual.node;
    cost_ += *cost;
    return true;
  }

  bool refuse_unknown(const FormulaActual& actual) {
    if (actual.keyword.empty()) return refuse(actual.node->span, "too many arguments");
    Suggester suggester(actual.keyword);
    for (const Argument& argument : schema().arguments) suggester.offer(argument.name);
    suggestion_ = suggester.best();
    return refuse(actual.keyword_span, fmt::format("unknown argument '{}'", actual.keyword));
  }

  // `x.options()` gives dtype, layout and device at once, where dtype stands or as `options=`.
  bool take_options(const FormulaActual& actual, size_t& position, FormulaArena& arena) {
    bool by_name = actual.keyword == "options";
    int dtype = by_name ? schema().find_argument("dtype") : find(actual, position);
    bool fits = dtype >= 0 && schema().arguments[dtype].name == "dtype";
    if (!fits && !by_name) dtype = schema().find_argument("dtype");
    if (dtype < 0) return refuse(actual.node->span, "it takes no options");
    const FormulaNode* tensor = actual.node->operands[0];
    return take_property(tensor, Property::scalar_type, BaseType::scalar_type, "dtype", arena) &&
           take_property(tensor, Property::layout, BaseType::layout, "layout", arena) &&
           take_property(tensor, Property::device, BaseType::device, "device", arena);
  }

  bool take_property(const FormulaNode* tensor, Property property, BaseType type,
                     std::string_view name, FormulaArena& arena) {
    int index = schema().find_argument(name);
    if (index < 0) return true;
    FormulaNode& node = arena.make(FormulaKind::property, plain_type(type), tensor->span, {tensor});
    node.property = property;
    return take({&node, name, tensor->span}, index);
  }

  const FormulaNode* operand(size_t index, FormulaArena& arena) const {
    const Argument& formal = schema().arguments[index];
    if (given_[index]) return convert_to(given_[index], formal.type, arena);
    FormulaNode& node = arena.make(FormulaKind::constant, formal.type, call_);
    node.constant = &*formal.default_value;
    node.is_default = true;
    return &node;
  }

  FormulaCallable callable_;
  std::string_view name_;
  Span call_;
  std::vector<const FormulaNode*> given_;
  int cost_ = 0;
  int defaults_ = 0;
  std::string refusal_;
  Span refusal_span_;
  std::string suggestion_;
};

// What makes a call mean one of two overloads that fit equally well.
std::string cure(const Schema& one, const Schema& other) {
  for (const auto& [schema, rival] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    for (const Argument& argument : schema->arguments) {
      if (rival->find_argument(argument.name) >= 0) continue;
      return fmt::format("'{0}=...' in the call means '{1}', which alone has this argument",
                         argument.name, schema->full_name());
    }
  }
  return "give an argument for which the two have different types, or convert one to a type that "
         "only "
         "one of them takes";
}

void report_refusals(std::string_view name, Span span, std::span<const FormulaActual> actuals,
                     const std::vector<Binding>& bindings, DiagnosticSink& sink) {
  if (bindings.size() == 1) {
    const Binding& only = bindings[0];
    sink.error(Code::wrong_arguments, only.refusal_span(),
               fmt::format("in the call of '{}': {}", name, only.refusal()))
        .suggest(only.suggestion())
        .note(only.schema().span, "it is declared here");
    return;
  }
  Diagnostic& error =
      sink.error(Code::wrong_arguments, span,
                 fmt::format("no overload of '{}' takes {}", name, describe(actuals)));
  for (const Binding& binding : bindings) {
    const std::string& near = binding.suggestion();
    error.note(binding.schema().span,
               fmt::format("not this one: {}{}", binding.refusal(),
                           near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
}

}  // namespace

const FormulaNode* resolve_call(std::string_view name, Span span,
                                std::span<const FormulaCallable> overloads,
                                std::span<const FormulaActual> actuals, FormulaArena& arena,
                                DiagnosticSink* sink) {
  std::vector<Binding> fitting, refused;
  for (const FormulaCallable& callable : overloads) {
    Binding binding(callable, name, span);
    (binding.bind(actuals, arena) ? fitting : refused).push_back(std::move(binding));
  }
  if (fitting.empty()) {
    if (sink) report_refusals(name, span, actuals, refused, *sink);
    return nullptr;
  }
  const Binding* best = &fitting[0];
  const Binding* rival = nullptr;
  for (size_t i = 1; i < fitting.size(); ++i) {
    if (fitting[i].rank() < best->rank()) {
      best = &fitting[i];
      rival = nullptr;
    } else if (fitting[i].rank() == best->rank()) {
      rival = &fitting[i];
    }
  }
  if (!rival) return best->build(arena);
  if (sink) {
    sink->error(Code::ambiguous_call, span,
                fmt::format("the call of '{}' with {} is ambiguous", name, describe(actuals)))
        .note(best->schema().span, "it may mean this overload")
        .note(rival->schema().span, "or this one")
        .note({}, cure(best->schema(), rival->schema()));
  }
  return nullptr;
}

std::string describe(std::span<const FormulaActual> actuals) {
  std::string text;
  for (const FormulaActual& actual : actuals) {
    if (!text.empty()) text += ", ";
    if (!actual.keyword.empty()) text += std::string(actual.keyword) + "=";
    text += print(actual.node->type);
  }
  return "(" + text + ")";
}

}  // namespace opweave::codegen
