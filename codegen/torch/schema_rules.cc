// The rules of schemas, in the order in which torchgen asks.
#include "codegen/torch/schema_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweave::codegen::torch {
namespace {

bool is_letter(const std::string& set) { return set.size() == 1 && set[0] >= 'a' && set[0] <= 'z'; }

bool is_written(const Return& result) { return result.type.is_mutated(); }

std::string alias_problem(const Alias& alias) {
  const bool after_is_any = alias.after.size() == 1 && alias.after[0] == "*";
  if (!std::ranges::all_of(alias.before, is_letter) ||
      !(after_is_any || std::ranges::all_of(alias.after, is_letter)))
    return "a set of an alias annotation is one small letter, or '*' behind an arrow";
  if (alias.write && alias.before.size() > 1) return "what is written is in one set";
  if (alias.before.size() > 1 && alias.after.size() > 1)
    return "there may be two sets before the arrow or behind it, not both";
  if (alias.before.size() > 2) return "there may be two sets before the arrow, not more";
  return {};
}

bool can_have_alias(const Type& type) {
  if (!type.is_tensor_like() || type.size) return false;
  return !type.list || (!type.optional && !type.element_optional);
}

class SchemaRules {
 public:
  SchemaRules(const Schema& schema, const SchemaParts& parts, const OperatorName& name,
              DiagnosticSink& sink)
      : schema_(schema), parts_(parts), name_(name), sink_(sink) {}

  bool check() const {
    return check_arguments() && check_returns() && check_order() && check_self() && check_out() &&
           check_optional() && check_mixture() && check_written() && check_out_count() &&
           check_in_place() && check_options() && check_functional();
  }

 private:
  bool fail(Code code, Span span, const std::string& message,
            const std::string& advice = {}) const {
    Diagnostic& diagnostic = sink_.error(
        code, span, fmt::format("in the schema of '{}': {}", schema_.full_name(), message));
    if (!advice.empty()) diagnostic.note({}, advice);
    return false;
  }

  bool check_arguments() const {
    return std::ranges::all_of(schema_.arguments,
                               [&](const Argument& a) { return check_argument(a, sink_); });
  }

  bool check_returns() const {
    for (const Return& result : schema_.returns) {
      if (!check_return(result)) return false;
    }
    if (schema_.returns.size() != 1 || !schema_.returns_parenthesised) return true;
    const Return& only = schema_.returns[0];
    const std::string name = only.name.empty() ? "" : " " + only.name;
    return fail(Code::schema_not_canonical, only.span, "one result stands without parentheses",
                fmt::format("write: -> {}{}", print(only.type), name));
  }

  bool check_return(const Return& result) const {
    Argument as_argument;
    static_cast<schema::Argument&>(as_argument).type = result.type;
    as_argument.name = result.name;
    as_argument.span = as_argument.type_span = result.span;
    if (!check_argument(as_argument, sink_)) return false;
    if (!result.type.alias || result.type.alias->after.empty() || !result.name.empty()) return true;
    return fail(Code::bad_alias, result.span, "a result without a name cannot have an arrow",
                fmt::format("write: ({})", fmt::join(result.type.alias->before, "|")));
  }

  // Nothing stands behind what is written into by keyword.
  bool check_order() const {
    for (const Argument* argument : parts_.out) {
      if (argument->type.is_mutated()) continue;
      return fail(Code::schema_order, argument->span,
                  fmt::format("'{}' stands behind '{}', which is written", argument->name,
                              parts_.out[0]->name),
                  fmt::format("move '{}' before '{}'", argument->name, parts_.out[0]->name));
    }
    if (!parts_.second_options) return true;
    return fail(Code::schema_order, parts_.second_options->span,
                "dtype, layout, device and pin_memory stand there twice");
  }

  bool check_optional() const {
    for (const Argument& argument : schema_.arguments) {
      if (!argument.type.is_mutated() || !argument.type.optional) continue;
      Type given = argument.type;
      given.optional = false;
      return fail(Code::unwritable_argument, argument.type_span,
                  fmt::format("'{}' is written, and may be None", argument.name),
                  fmt::format("write: {} {}", print(given), argument.name));
    }
    return true;
  }

  bool check_self() const {
    for (const Argument* argument : parts_.before_self) {
      if (!argument->type.is_mutated()) continue;
      return fail(Code::unwritable_argument, argument->span,
                  fmt::format("'{}' is written, and stands before 'self'", argument->name),
                  "move it behind 'self'");
    }
    return true;
  }

  bool check_out() const {
    const size_t pairs = std::min(parts_.out.size(), schema_.returns.size());
    for (size_t i = 0; i < pairs; ++i) {
      if (parts_.out[i]->type.alias == schema_.returns[i].type.alias) continue;
      return fail(Code::unwritable_argument, schema_.returns[i].span,
                  fmt::format("result {} has to be '{}', which is written", i, parts_.out[i]->name),
                  fmt::format("write: {}", print(parts_.out[i]->type)));
    }
    for (const Argument* argument : parts_.after_self) {
      if (!argument->type.is_mutated()) continue;
      const auto returned = [&](const Return& r) { return r.type.alias == argument->type.alias; };
      const auto found = std::ranges::find_if(schema_.returns, returned);
      if (found == schema_.returns.end()) continue;
      return fail(
          Code::unwritable_argument, found->span,
          fmt::format("'{}' is returned, but is neither 'self' nor keyword-only", argument->name),
          fmt::format("write '*, ' before '{}' if it is an out argument, and call it "
                      "'self' if the operator works in place",
                      print(*argument)));
    }
    return true;
  }

  bool check_mixture() const {
    const auto written = std::ranges::count_if(schema_.returns, is_written);
    if (written == 0 || written == std::ssize(schema_.returns)) return true;
    const auto fresh = std::ranges::find_if_not(schema_.returns, is_written);
    return fail(Code::unwritable_argument, fresh->span,
                "some results are written arguments, and some are new",
                "return what is new, or what is written: not both");
  }

  bool check_written() const {
    for (const Return& result : schema_.returns) {
      if (!is_written(result)) continue;
      std::vector<const Argument*> candidates = parts_.out;
      if (parts_.self) candidates.push_back(parts_.self);
      const auto same = [&](const Argument* a) { return a->type.alias == result.type.alias; };
      if (std::ranges::any_of(candidates, same)) continue;
      return fail(Code::bad_alias, result.span, "no argument that is written has this alias",
                  "it has to be that of 'self', or of an argument behind '*'");
    }
    return true;
  }

  bool check_out_count() const {
    if (parts_.out.empty()) return true;
    const auto is_tensor = [](const Argument* a) {
      return a->type.is_tensor() && !a->type.optional;
    };
    if (!std::ranges::all_of(parts_.out, is_tensor)) {
      if (schema_.returns.empty()) return true;
      return fail(Code::unwritable_argument, schema_.returns[0].span,
                  "lists that are written are not returned", "write: -> ()");
    }
    const auto is_result = [](const Argument* a) { return !a->name.starts_with("_scratch_"); };
    const auto count = std::ranges::count_if(parts_.out, is_result);
    if (count == std::ssize(schema_.returns)) return true;
    std::vector<std::string> results;
    for (const Argument* argument : parts_.out) {
      if (is_result(argument)) results.push_back(print(argument->type));
    }
    const std::string all = fmt::format("{}", fmt::join(results, ", "));
    return fail(Code::unwritable_argument,
                schema_.returns.empty() ? parts_.out[0]->span : schema_.returns[0].span,
                fmt::format("{} out arguments, but {} results", count, schema_.returns.size()),
                "write: -> " + (count == 1 ? all : "(" + all + ")"));
  }

  bool check_in_place() const {
    if (!name_.in_place) return true;
    if (!parts_.self || !parts_.self->type.is_mutated()) {
      return fail(
          Code::bad_schema_name, parts_.self ? parts_.self->span : schema_.name_span,
          "an operator that works in place writes 'self'",
          parts_.self ? fmt::format("write: {}", written_self()) : "write: Tensor(a!) self");
    }
    if (!parts_.out.empty()) {
      return fail(Code::bad_schema_name, parts_.out[0]->span,
                  "an operator that works in place has no out arguments");
    }
    const Type& self = parts_.self->type;
    const Span span = schema_.returns.empty() ? schema_.name_span : schema_.returns[0].span;
    if (!self.is_tensor() || self.optional) {
      return schema_.returns.empty() ||
             fail(Code::unwritable_argument, span, "what works in place on a list returns nothing",
                  "write: -> ()");
    }
    if (schema_.returns.size() == 1 && schema_.returns[0].type.alias == self.alias) return true;
    return fail(Code::unwritable_argument, span, "an operator that works in place returns 'self'",
                fmt::format("write: -> {}", print(self)));
  }

  std::string written_self() const {
    Argument self = *parts_.self;
    Alias alias;
    alias.before = {"a"};
    alias.write = true;
    self.type.alias = alias;
    return print(self);
  }

  bool check_options() const {
    if (parts_.options.empty()) return true;
    for (const Argument* option : parts_.options) {
      if (option->type.optional) continue;
      const std::string type = print(option->type);
      return fail(Code::wrong_form, option->type_span,
                  fmt::format("'{}' is a {} beside the other options of what makes a tensor, which "
                              "may all be left out",
                              option->name, type),
                  fmt::format("write: {}? {}=None", type, option->name));
    }
    const SchemaKind kind = kind_of(parts_, name_);
    if (kind == SchemaKind::functional) return true;
    return fail(
        Code::wrong_form, parts_.options[0]->span,
        fmt::format("{} forms have no dtype, layout, device and pin_memory", kind_name(kind)),
        "they are for what makes a new tensor");
  }

  bool check_functional() const {
    if (name_.overload.find("functional") == std::string::npos) return true;
    if (kind_of(parts_, name_) == SchemaKind::functional) return true;
    return fail(Code::bad_schema_name, schema_.name_span,
                "an overload called 'functional' writes nothing", "give the overload another name");
  }

  const Schema& schema_;
  const SchemaParts& parts_;
  const OperatorName& name_;
  DiagnosticSink& sink_;
};

// Types that schemas of Opweave have, and those of PyTorch do not.
bool check_type(const Argument& argument, DiagnosticSink& sink) {
  const Type& type = argument.type;
  const bool symbolic_float = type.symbolic && type.base == BaseType::floating;
  if (type.base != BaseType::dimname && !symbolic_float) return true;
  Type plain = type;
  plain.base = symbolic_float ? BaseType::floating : BaseType::integer;
  plain.symbolic = false;
  sink.error(Code::unknown_type, argument.type_span,
             fmt::format("PyTorch's generator has no type '{}'",
                         symbolic_float ? "SymFloat" : base_type_name(type.base)))
      .suggest(print(plain));
  return false;
}

bool check_default(const Argument& argument, DiagnosticSink& sink) {
  if (!argument.default_value) return true;
  const std::string& text = argument.default_value->text;
  for (const std::string_view part : {", ", "=", "::"}) {
    if (text.find(part) == std::string::npos) continue;
    auto& diagnostic = sink.error(
        Code::bad_default, argument.default_span,
        fmt::format("the default of '{}' has '{}' in it, which ends it", argument.name, part));
    if (part != ", ") return false;
    std::string without = text;
    for (size_t at = 0; (at = without.find(", ", at)) != std::string::npos;)
      without.erase(at + 1, 1);
    diagnostic.suggest(std::move(without));
    return false;
  }
  return true;
}

}  // namespace

bool check_argument(const Argument& argument, DiagnosticSink& sink) {
  if (!check_type(argument, sink)) return false;
  const auto& alias = argument.type.alias;
  if (!alias) return check_default(argument, sink);
  if (!can_have_alias(argument.type)) {
    sink.error(Code::bad_alias, argument.type_span,
               "only Tensor, Tensor? and Tensor[] have an alias annotation");
    return false;
  }
  if (const std::string problem = alias_problem(*alias); !problem.empty()) {
    sink.error(Code::bad_alias, argument.type_span, problem);
    return false;
  }
  return check_default(argument, sink);
}

bool check_schema(const Schema& schema, const SchemaParts& parts, const OperatorName& name,
                  DiagnosticSink& sink) {
  return SchemaRules(schema, parts, name, sink).check();
}

}  // namespace opweave::codegen::torch
