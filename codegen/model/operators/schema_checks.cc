// Semantic checks of schemas.
#include "codegen/model/operators/schema_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/declarations/effects.h"
#include "codegen/syntax/named_values.h"
#include "codegen/syntax/value_types.h"

namespace opweave::codegen {
namespace {

Type unaliased(Type type) {
  type.alias.reset();
  return type;
}

std::string_view type_name(const Type& type) {
  return type.base == BaseType::object ? type.object : base_type_name(type.base);
}

bool fits_single(const Constant& value, BaseType base) {
  switch (value.kind) {
    case Constant::Kind::boolean:
      return base == BaseType::boolean || base == BaseType::scalar;
    case Constant::Kind::integer:
      return base == BaseType::integer || base == BaseType::scalar || base == BaseType::floating;
    case Constant::Kind::real:
      return base == BaseType::floating || base == BaseType::scalar;
    case Constant::Kind::string:
      return base == BaseType::string;
    case Constant::Kind::symbol:
      return find_named_value(value.string, base) != nullptr;
    default:
      return false;
  }
}

bool fits(const Constant& value, const Type& type) {
  if (value.kind == Constant::Kind::none) return type.optional;
  if (value.kind != Constant::Kind::list) {
    return (!type.list || type.size) && fits_single(value, type.base);
  }
  // The size of a list of numbers is not that of its default: PyTorch writes `int[2] stride=[]`.
  return type.list && std::ranges::all_of(value.items, [&](const Constant& item) {
           return fits_single(item, type.base);
         });
}

// As many as callers may give: all, or of ints one for all. `[]` says that nothing is given.
bool fits_length(const Constant& value, const Type& type) {
  if (value.kind != Constant::Kind::list || !type.size) return true;
  const size_t n = value.items.size();
  const bool exact = type.base == BaseType::boolean;
  return n == static_cast<size_t>(*type.size) || (!exact && n < 2);
}

void check_default(const Schema& schema, const Argument& argument, DiagnosticSink& sink) {
  const Constant& value = *argument.default_value;
  if (fits(value, argument.type)) {
    if (fits_length(value, argument.type)) return;
    sink.error(
        Code::bad_default, argument.default_span,
        fmt::format("{} is no default for '{}' of '{}': it has the length {}, not {}", value.text,
                    argument.name, schema.full_name(), value.items.size(), *argument.type.size));
    return;
  }
  Diagnostic& error =
      sink.error(Code::bad_default, argument.default_span,
                 fmt::format("{} is no default for '{}' of '{}', which is of type {}", value.text,
                             argument.name, schema.full_name(), print(argument.type)));
  const std::vector<std::string_view> names = value_names(argument.type.base);
  if (value.kind != Constant::Kind::symbol || names.empty()) return;
  error.suggest(closest(value.string, names))
      .note({}, fmt::format("the names of type {} are: {}", base_type_name(argument.type.base),
                            fmt::join(names, ", ")));
}

// A kernel could have no such parameter, or nobody could hand it over.
void check_argument_type(const Schema& schema, const Argument& argument, DiagnosticSink& sink) {
  const Type& type = argument.type;
  if (may_be_argument(type)) return;
  const std::vector<std::string> forms = argument_forms(type);
  sink.error(Code::unknown_type, argument.type_span,
             fmt::format("'{}' of '{}' is of type {}: an argument {}", argument.name,
                         schema.full_name(), print(unaliased(type)),
                         forms.empty() ? fmt::format("cannot be a {}", type_name(type))
                                       : fmt::format("may be {}", fmt::join(forms, ", "))));
}

void check_result_type(const Schema& schema, const Return& result, DiagnosticSink& sink) {
  const bool alone = schema.returns.size() == 1;
  if (may_be_result(result.type, alone)) return;
  sink.error(
      Code::unknown_type, result.span,
      fmt::format("'{}' returns a {}: {} may be {}", schema.full_name(),
                  print(unaliased(result.type)), alone ? "a result" : "one of several results",
                  fmt::join(result_types(alone), ", ")));
}

void check_argument(const Schema& schema, const Argument& argument, DiagnosticSink& sink) {
  const Type& type = argument.type;
  if (argument.default_value) check_default(schema, argument, sink);
  check_argument_type(schema, argument, sink);
  if (type.alias && !type.is_tensor_like()) {
    sink.error(Code::bad_alias, argument.type_span,
               fmt::format("'{}' of '{}' is of type {} and has an alias annotation: only tensors "
                           "share memory",
                           argument.name, schema.full_name(), base_type_name(type.base)));
  }
}

void check_order(const Schema& schema, DiagnosticSink& sink) {
  const Argument* optional = nullptr;
  for (const Argument& argument : schema.arguments) {
    if (argument.keyword_only) return;
    if (argument.default_value) {
      optional = &argument;
    } else if (optional) {
      sink.error(Code::schema_order, argument.span,
                 fmt::format("'{}' of '{}' has no default but comes after '{}', which has one",
                             argument.name, schema.full_name(), optional->name))
          .note(optional->default_span, "the default is here");
      return;
    }
  }
}

void check_return(const Schema& schema, const Return& result, DiagnosticSink& sink) {
  check_result_type(schema, result, sink);
  if (!result.type.alias) return;
  const Alias& alias = *result.type.alias;
  for (const Argument& argument : schema.arguments) {
    if (!argument.type.alias || !shares_set(alias, *argument.type.alias)) continue;
    if (argument.type.alias->write == alias.write) return;
    sink.error(
            Code::bad_alias, result.span,
            fmt::format("the result {} of '{}' and the argument '{}' must both be written ('!') or "
                        "neither",
                        print(result.type), schema.full_name(), argument.name))
        .note(argument.span, "the argument is here");
    return;
  }
  sink.error(Code::bad_alias, result.span,
             fmt::format("no argument of '{}' has the alias {} of this result", schema.full_name(),
                         print(alias)));
}

// What is written and what a result views has to be one argument.
void check_aliases_differ(const Schema& schema, DiagnosticSink& sink) {
  const auto& arguments = schema.arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].type.alias) continue;
    const auto earlier =
        std::find_if(arguments.begin(), arguments.begin() + i, [&](const Argument& a) {
          return a.type.alias && shares_set(*a.type.alias, *arguments[i].type.alias);
        });
    if (earlier == arguments.begin() + i) continue;
    sink.error(
            Code::bad_alias, arguments[i].type_span,
            fmt::format("'{}' and '{}' of '{}' have the same alias {}: nobody could say which of "
                        "them a result is",
                        earlier->name, arguments[i].name, schema.full_name(),
                        print(*arguments[i].type.alias)))
        .note(earlier->type_span, "the first is here");
  }
}

// A result that is written or viewed is one result.
void check_results_differ(const Schema& schema, DiagnosticSink& sink) {
  const auto& returns = schema.returns;
  for (size_t i = 0; i < returns.size(); ++i) {
    if (!returns[i].type.is_mutated()) continue;
    const auto earlier = std::find_if(returns.begin(), returns.begin() + i, [&](const Return& r) {
      return r.type.alias && shares_set(*r.type.alias, *returns[i].type.alias);
    });
    if (earlier == returns.begin() + i) continue;
    sink.error(Code::bad_alias, returns[i].span,
               fmt::format("two results of '{}' are the same argument, by the alias {}",
                           schema.full_name(), print(*returns[i].type.alias)))
        .note(earlier->span, "the first is here");
  }
}

void check_name(const Schema& schema, DiagnosticSink& sink) {
  const std::string& name = schema.base_name;
  bool says_inplace = name.ends_with('_') && !name.ends_with("__");
  bool writes =
      std::ranges::any_of(schema.arguments, [](const Argument& a) { return a.type.is_mutated(); });
  if (!says_inplace || writes) return;
  sink.error(
      Code::bad_schema_name, schema.name_span,
      fmt::format("the name '{}' ends in '_', but no argument is written ('Tensor(a!)')", name));
}

void check_writable(const Schema& schema, const Argument& argument, DiagnosticSink& sink) {
  const Type& type = argument.type;
  if (!type.is_mutated() || !type.is_tensor() || !type.optional) return;
  sink.error(Code::unwritable_argument, argument.type_span,
             fmt::format("'{}' of '{}' is declared to be written, but may be None: its kernel "
                         "takes a Tensor&, which is always there",
                         argument.name, schema.full_name()));
}

bool returns_argument(const Return& result, const Argument& argument) {
  return result.type.alias && argument.type.alias &&
         shares_set(*result.type.alias, *argument.type.alias);
}

// An in-place form returns what it writes, an out form all that it writes, or nothing: their
// kernels and their callers know no other result.
void check_written_results(const Schema& schema, DiagnosticSink& sink) {
  const std::vector<uint16_t> written = effects_of(schema).mutated;
  const bool inplace = schema.base_name.ends_with('_') && !schema.base_name.ends_with("__");
  const bool out = schema.overload_name == "out" || schema.overload_name.ends_with("_out");
  if (schema.returns.empty() || written.empty() || (!inplace && !out)) return;
  const size_t wanted = inplace ? 1 : written.size();
  bool fits = schema.returns.size() == wanted;
  for (size_t i = 0; fits && i < wanted; ++i) {
    fits = returns_argument(schema.returns[i], schema.arguments[written[i]]);
  }
  if (fits) return;
  const Argument& first = schema.arguments[written.front()];
  sink.error(Code::unwritable_argument,
             join(schema.returns.front().span, schema.returns.back().span),
             fmt::format("'{}' is declared to write '{}', but its result is not what it writes: "
                         "it must be {}, or ()",
                         schema.full_name(), first.name, print(first.type)))
      .note(first.span, "it is declared to be written here");
}

}  // namespace

void check_parameters(const Schema& schema, DiagnosticSink& sink) {
  for (const Argument& argument : schema.arguments) check_argument(schema, argument, sink);
  check_order(schema, sink);
}

void check_schema(const Schema& schema, DiagnosticSink& sink) {
  for (const Argument& argument : schema.arguments) check_argument(schema, argument, sink);
  for (const Return& result : schema.returns) check_return(schema, result, sink);
  for (const Argument& argument : schema.arguments) check_writable(schema, argument, sink);
  check_written_results(schema, sink);
  check_aliases_differ(schema, sink);
  check_results_differ(schema, sink);
  check_order(schema, sink);
  check_name(schema, sink);
}

}  // namespace opweave::codegen
