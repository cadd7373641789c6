// Checks of names.
#include "codegen/model/operators/name_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "codegen/syntax/keywords.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Why generated C++ cannot have an operator of this name; empty if it can.
std::string_view obstacle([[maybe_unused]] std::string_view name) {
#define OPWEAVE_CPP_MEMBER(taken)                                                     \
  if (name == #taken)                                                                 \
    return "every operator in C++ calls a member of its own: no struct 'ops::" #taken \
           "' "                                                                       \
           "can have it";
#define OPWEAVE_CPP_TAKEN(first, taken) \
  if (name == #first) return "'" #taken "' would be made of, which means something else in C++";
#include "codegen/model/operators/cpp_names.def"
#undef OPWEAVE_CPP_MEMBER
#undef OPWEAVE_CPP_TAKEN
  return "";
}

class NameChecker {
 public:
  NameChecker(const OperatorEntry& entry, DiagnosticSink& sink)
      : entry_(entry), schema_(entry.schema), sink_(sink) {}

  void check() {
    check_operator();
    check_overload_name();
    check_python_name();
    for (const Argument& argument : schema_.arguments) check_argument(argument);
    for (const Return& result : schema_.returns) check_result(result);
    check_self_and_input();
    check_arguments_in_case();
    check_results_differ();
  }

 private:
  // `what` names it: "the argument 'from' of 'f'".
  void reserved(Span span, std::string_view what, std::string_view language,
                std::string_view consequence) {
    sink_.error(Code::reserved_name, span,
                fmt::format("{} is a keyword of {}: {}", what, language, consequence));
  }

  // Of `what`: that generated C++ means something else by its name.
  void taken(Span span, std::string_view what, std::string_view consequence) {
    sink_.error(Code::reserved_name, span,
                fmt::format("{} has the name of a type or macro that declarations in C++ use: {}",
                            what, consequence));
  }

  void kept(Span span, std::string_view what) {
    sink_
        .error(
            Code::reserved_name, span,
            fmt::format("{} is like the names of macros, or one that C++ keeps for itself", what))
        .note({},
              "kept are names with '__' or a capital after a leading '_'; macros have capitals "
              "alone, three or more");
  }

  void check_operator() {
    const std::string& name = schema_.base_name;
    const std::string what = fmt::format("the operator name '{}'", name);
    if (is_cpp_keyword(name)) {
      reserved(schema_.name_span, what, "C++",
               fmt::format("no function 'ow::{}' can be declared", name));
    } else if (is_cpp_type_or_macro(name)) {
      taken(schema_.name_span, what, fmt::format("no function 'ow::{}' can be declared", name));
    } else if (is_reserved_in_cpp(name)) {
      kept(schema_.name_span, what);
    } else if (const std::string_view why = obstacle(name); !why.empty()) {
      sink_.error(Code::reserved_name, schema_.name_span, fmt::format("{} is what {}", what, why));
    } else if (schema::is_python_keyword(name) && !entry_.python_name) {
      reserved(schema_.name_span, what, "Python",
               "nobody could call it; give it another name by 'python_name'");
    }
  }

  // `opweave.ops.f.NAME`: attributes that all families of overloads have hide it.
  void check_overload_name() {
    const std::string& name = schema_.overload_name;
    if (!name.starts_with("__") && name != "default" && name != "overloads") return;
    sink_.error(Code::reserved_name, schema_.name_span,
                fmt::format("no overload can be called '{}': 'opweave.ops.{}.{}' {}", name,
                            schema_.base_name, name,
                            name == "default"     ? "is the one without a name"
                            : name == "overloads" ? "lists all"
                                                  : "is for names that Python itself looks for"));
  }

  // It stands in C++ as text, in stubs as a name.
  void check_python_name() {
    if (!entry_.python_name) return;
    const LocatedText& name = *entry_.python_name;
    const std::string what =
        fmt::format("'python_name' of '{}', '{}',", schema_.full_name(), name.text);
    if (!is_identifier(name.text)) {
      sink_.error(Code::bad_value, name.whole(),
                  fmt::format("{} is no name: letters, digits and '_', not a digit first", what));
    } else if (schema::is_python_keyword(name.text)) {
      reserved(name.whole(), what, "Python", "nobody could call it");
    } else if (name.text.starts_with("__")) {
      sink_
          .error(Code::reserved_name, name.whole(),
                 fmt::format("{} begins with '__', as names that Python itself looks for do", what))
          .note({}, "'python_operator' puts an operator behind '+' and the like");
    }
  }

  // C++ calls by position only, but the author's kernel spells the name. A positional argument
  // with a name that Python reserves is called by position: PyTorch's `random_(from, to)`.
  void check_argument(const Argument& argument) {
    const std::string what =
        fmt::format("the argument '{}' of '{}'", argument.name, schema_.full_name());
    if (is_cpp_keyword(argument.name)) {
      reserved(argument.name_span, what, "C++", "no kernel can have a parameter of this name");
    } else if (is_cpp_type_or_macro(argument.name)) {
      taken(argument.name_span, what, "no kernel can have a parameter of this name");
    } else if (is_reserved_in_cpp(argument.name)) {
      kept(argument.name_span, what);
    } else if (argument.keyword_only && schema::is_python_keyword(argument.name)) {
      reserved(argument.name_span, what, "Python",
               "it is keyword-only, and nobody could write the keyword");
    }
  }

  void check_result(const Return& result) {
    const std::string what =
        fmt::format("the result '{}' of '{}'", result.name, schema_.full_name());
    const bool python = schema::is_python_keyword(result.name);
    if (python || is_cpp_keyword(result.name)) {
      reserved(result.name_span, what, python ? "Python" : "C++",
               "it is the name of a field of what is returned");
    } else if (is_cpp_type_or_macro(result.name)) {
      taken(result.name_span, what, "no kernel can have a parameter of this name");
    } else if (is_reserved_in_cpp(result.name)) {
      kept(result.name_span, what);
    } else {
      check_result_is_no_argument(result);
    }
  }

  // In formulas and rules one name means one thing; what is written has the name of its argument.
  void check_result_is_no_argument(const Return& result) {
    const int index = result.name.empty() ? -1 : schema_.find_argument(result.name);
    if (index < 0 || result.type.is_mutated()) return;
    sink_
        .error(Code::names_collide, result.name_span,
               fmt::format("the result '{}' of '{}' is called like an argument", result.name,
                           schema_.full_name()))
        .note(schema_.arguments[index].name_span, "the argument is here");
  }

  // Functions call the argument `self` by the name `input`, as PyTorch does.
  void check_self_and_input() {
    const int self = schema_.find_argument("self"), input = schema_.find_argument("input");
    if (self < 0 || input < 0) return;
    sink_
        .error(Code::names_collide, schema_.arguments[input].name_span,
               fmt::format("'input' of '{}' has the name that 'self' has in Python functions",
                           schema_.full_name()))
        .note(schema_.arguments[self].name_span, "'self' is here");
  }

  void check_arguments_in_case() {
    std::map<std::string, const Argument*> seen;
    for (const Argument& argument : schema_.arguments) {
      const auto [other, is_new] = seen.emplace(lower(argument.name), &argument);
      if (is_new) continue;
      sink_
          .error(Code::differ_in_case, argument.name_span,
                 fmt::format("the arguments '{}' and '{}' of '{}' differ only in upper and lower "
                             "case",
                             other->second->name, argument.name, schema_.full_name()))
          .note(other->second->name_span, "the other is here");
    }
  }

  void check_results_differ() {
    std::map<std::string_view, const Return*> seen;
    for (const Return& result : schema_.returns) {
      if (result.name.empty()) continue;
      const auto [other, is_new] = seen.emplace(result.name, &result);
      if (is_new) continue;
      sink_
          .error(Code::names_collide, result.name_span,
                 fmt::format("a second result '{}' of '{}'", result.name, schema_.full_name()))
          .note(other->second->name_span, "the first is here");
    }
  }

  const OperatorEntry& entry_;
  const Schema& schema_;
  DiagnosticSink& sink_;
};

void report_case(const Operator* a, const Operator* b, DiagnosticSink& sink) {
  const bool later =
      a->origin.span.source == b->origin.span.source && a->origin.span.begin > b->origin.span.begin;
  const Operator& second = later ? *a : *b;
  const Operator& first = later ? *b : *a;
  sink.error(Code::differ_in_case, second.schema.name_span,
             fmt::format("'{}' and '{}' differ only in upper and lower case", first.name.full,
                         second.name.full))
      .note(first.schema.name_span, "the other is here");
}

// Forms that are derived would only repeat it.
bool is_from_file(const Operator& op) {
  return op.forms->functional == nullptr || op.forms->functional == &op;
}

void check_overloads_in_case(const OperatorFamily& family, DiagnosticSink& sink) {
  std::map<std::string, const Operator*> seen;
  for (const Operator* op : family.overloads) {
    if (!is_from_file(*op)) continue;
    const auto [other, is_new] = seen.emplace(lower(op->name.overload), op);
    if (!is_new) report_case(other->second, op, sink);
  }
}

}  // namespace

void check_names(const OperatorEntry& entry, DiagnosticSink& sink) {
  NameChecker(entry, sink).check();
}

void check_case(const OperatorTable& table, DiagnosticSink& sink) {
  std::map<std::string, const Operator*> seen;
  for (const auto& [name, family] : table.families()) {
    const Operator* op = family.overloads[0];
    if (!is_from_file(*op)) continue;
    const auto [other, is_new] = seen.emplace(lower(name), op);
    if (!is_new) report_case(other->second, op, sink);
    check_overloads_in_case(family, sink);
  }
}

}  // namespace opweave::codegen
