// Semantic checks of schemas.
#include "codegen/model/schema_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace opweave::codegen {
namespace {

constexpr std::string_view kPythonKeywords[] = {
    "and",    "as",   "assert", "async",  "await",    "break", "class", "continue", "def",
    "del",    "elif", "else",   "except", "finally",  "for",   "from",  "global",   "if",
    "import", "in",   "is",     "lambda", "nonlocal", "not",   "or",    "pass",     "raise",
    "return", "try",  "while",  "with",   "yield",    "True",  "False", "None"};

bool shares_set(const Alias& a, const Alias& b) {
  return std::ranges::any_of(a.before, [&](const std::string& set) {
    return std::ranges::find(b.before, set) != b.before.end();
  });
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
    // `Mean` and its like are ints.
    case Constant::Kind::symbol:
      return base == BaseType::integer || base == BaseType::scalar_type ||
             base == BaseType::layout || base == BaseType::memory_format;
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

void check_argument(const Schema& schema, const Argument& argument, DiagnosticSink& sink) {
  const Type& type = argument.type;
  if (std::ranges::find(kPythonKeywords, argument.name) != std::end(kPythonKeywords)) {
    sink.error(
        Code::reserved_name, argument.name_span,
        fmt::format("'{}' is a keyword of Python: no argument can have this name", argument.name));
  }
  if (argument.default_value && !fits(*argument.default_value, type)) {
    sink.error(
        Code::bad_default, argument.default_span,
        fmt::format("{} is no default for '{}' of '{}', which is of type {}",
                    argument.default_value->text, argument.name, schema.full_name(), print(type)));
  }
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

}  // namespace

void check_schema(const Schema& schema, DiagnosticSink& sink) {
  for (const Argument& argument : schema.arguments) check_argument(schema, argument, sink);
  for (const Return& result : schema.returns) check_return(schema, result, sink);
  check_order(schema, sink);
  check_name(schema, sink);
}

std::vector<uint16_t> mutated_arguments(const Schema& schema) {
  std::vector<uint16_t> indices;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (schema.arguments[i].type.is_mutated()) indices.push_back(static_cast<uint16_t>(i));
  }
  return indices;
}

std::vector<ViewOf> views_of(const Schema& schema) {
  std::vector<ViewOf> views;
  for (size_t r = 0; r < schema.returns.size(); ++r) {
    const std::optional<Alias>& alias = schema.returns[r].type.alias;
    if (!alias || alias->write) continue;
    for (size_t a = 0; a < schema.arguments.size(); ++a) {
      const std::optional<Alias>& shared = schema.arguments[a].type.alias;
      if (!shared || !shares_set(*alias, *shared)) continue;
      views.push_back({static_cast<uint16_t>(r), static_cast<uint16_t>(a)});
      break;
    }
  }
  return views;
}

}  // namespace opweave::codegen
