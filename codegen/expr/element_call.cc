// Binds actual arguments to the schema of a pointwise operator.
#include "codegen/expr/element_call.h"

#include <fmt/format.h>

#include "codegen/diagnostics/suggest.h"

namespace opweave::codegen {
namespace {

// What keeps an overload from taking a call.
struct Refusal {
  Span span;
  std::string message;
  std::string suggestion;
};

class Binder {
 public:
  Binder(const ElementCallable& callable, Span call, ElementArena& arena)
      : schema_(*callable.schema), call_(call), arena_(arena) {}

  bool bind(const std::vector<ElementArgumentSyntax>& arguments) {
    given_.assign(schema_.arguments.size(), false);
    actuals_.resize(schema_.arguments.size());
    size_t position = 0;
    for (const ElementArgumentSyntax& argument : arguments) {
      int index = argument.keyword.empty() ? next_positional(position++)
                                           : schema_.find_argument(argument.keyword);
      if (!take(index, argument)) return false;
    }
    return fill_defaults();
  }

  const std::vector<ElementActual>& actuals() const { return actuals_; }
  const Refusal& refusal() const { return refusal_; }

 private:
  bool refuse(Span span, std::string message) {
    refusal_.span = span;
    refusal_.message = std::move(message);
    return false;
  }

  int next_positional(size_t position) const {
    bool exists = position < schema_.arguments.size() && !schema_.arguments[position].keyword_only;
    return exists ? static_cast<int>(position) : -1;
  }

  bool take(int index, const ElementArgumentSyntax& argument) {
    if (index < 0) {
      return argument.keyword.empty() ? refuse(argument.span, "too many arguments")
                                      : refuse_unknown(argument);
    }
    const Argument& formal = schema_.arguments[index];
    if (given_[index]) {
      const Span again = argument.keyword.empty() ? argument.span : argument.keyword_span;
      return refuse(again, fmt::format("'{}' is given twice", formal.name));
    }
    if (std::string_view wanted = unmet(formal.type, argument.actual); !wanted.empty()) {
      return refuse(argument.span, fmt::format("'{}' must be {}", formal.name, wanted));
    }
    given_[index] = true;
    actuals_[index] = argument.actual;
    return true;
  }

  bool refuse_unknown(const ElementArgumentSyntax& argument) {
    Suggester suggester(argument.keyword);
    for (const Argument& known : schema_.arguments) suggester.offer(known.name);
    refusal_.suggestion = suggester.best();
    return refuse(argument.keyword_span, fmt::format("unknown argument '{}'", argument.keyword));
  }

  // What the type wants that the actual argument is not; empty if it fits.
  static std::string_view unmet(const Type& type, const ElementActual& actual) {
    if (actual.none) return type.optional ? "" : "a value, not none";
    if (type.base == BaseType::string) return actual.is_string ? "" : "a string";
    if (actual.is_string) return "a value, not a string";
    if (actual.may_be_none && !type.optional) return "a value, and this may be none here";
    if (type.base == BaseType::tensor) return "";
    return actual.node->uniform ? "" : "a parameter, the same for all elements";
  }

  bool fill_defaults() {
    for (size_t i = 0; i < actuals_.size(); ++i) {
      if (given_[i]) continue;
      const Argument& formal = schema_.arguments[i];
      if (!formal.default_value) {
        return refuse(call_, fmt::format("the argument '{}' is missing", formal.name));
      }
      actuals_[i] = from_default(*formal.default_value);
    }
    return true;
  }

  ElementActual from_default(const Constant& value) {
    ElementActual actual;
    switch (value.kind) {
      case Constant::Kind::none:
        actual.none = true;
        break;
      case Constant::Kind::boolean:
        actual.node = arena_.boolean(value.boolean);
        break;
      case Constant::Kind::string:
        actual.is_string = true;
        actual.string = value.string;
        break;
      default: {
        bool is_real = value.kind == Constant::Kind::real;
        actual.node = arena_.literal(value.real, is_real);
      }
    }
    return actual;
  }

  const Schema& schema_;
  Span call_;
  ElementArena& arena_;
  std::vector<bool> given_;
  std::vector<ElementActual> actuals_;
  Refusal refusal_;
};

}  // namespace

const ElementNode* call_element(const SyntaxNode& call,
                                const std::vector<ElementCallable>& overloads,
                                const std::vector<ElementArgumentSyntax>& arguments,
                                ElementArena& arena, DiagnosticSink& sink) {
  std::vector<Refusal> refusals;
  for (const ElementCallable& callable : overloads) {
    Binder binder(callable, call.span, arena);
    if (binder.bind(arguments)) {
      return ElementInliner(arena, binder.actuals()).inline_into(callable.body);
    }
    refusals.push_back(binder.refusal());
  }
  if (overloads.size() == 1) {
    sink.error(Code::wrong_arguments, refusals[0].span,
               fmt::format("in the call of '{}': {}", call.text, refusals[0].message))
        .suggest(refusals[0].suggestion)
        .note(overloads[0].schema->span, "it is declared here");
    return nullptr;
  }
  Diagnostic& error =
      sink.error(Code::wrong_arguments, call.span,
                 fmt::format("no overload of '{}' takes these arguments", call.text));
  for (size_t i = 0; i < overloads.size(); ++i) {
    const std::string& near = refusals[i].suggestion;
    error.note(overloads[i].schema->span,
               fmt::format("not this one: {}{}", refusals[i].message,
                           near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  return nullptr;
}

}  // namespace opweave::codegen
