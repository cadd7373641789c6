// METH_FASTCALL functions: reading arguments, choosing an overload, calling it.
#include "codegen/emit/python/python_function.h"

#include <algorithm>
#include <set>

#include "codegen/emit/python/python_reading.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/variables.h"

namespace opweave::codegen {
namespace {

void print_param(Printer& p, const PythonParameter& parameter) {
  const Argument& argument = *parameter.argument;
  std::string flags;
  const auto flag = [&](bool set, const char* name) {
    if (set) flags += (flags.empty() ? "" : " | ") + std::string(name);
  };
  flag(argument.default_value.has_value(), "kOptional");
  flag(argument.type.optional, "kNone");
  flag(argument.type.element_optional, "kNoneInList");
  flag(parameter.keyword_only, "kKeyword");
  p.print({{"name", quoted(parameter.name)},
           {"kind", kind_of(parameter)},
           {"flags", flags.empty() ? "0" : flags},
           {"length", std::to_string(argument.type.size.value_or(0))},
           {"default", quoted(argument.default_value ? python_default(argument) : "")},
           {"object",
            argument.type.object.empty() ? "" : ", " + quoted(std::string(argument.type.object))}},
          "    {$name$, Kind::$kind$, $flags$, $length$, $default$$object$},");
}

// Where the tensor left of the dot stands: not first in where(condition, self, other).
size_t self_position(const PythonOverload& o) {
  for (size_t i = 0; i < o.parameters.size(); ++i) {
    if (o.parameters[i].argument->name == "self") return i;
  }
  return 0;
}

std::string table_name(const Binding& b, size_t i) {
  return b.cpp_name() + "_params_" + std::to_string(i);
}

// The schema says the parameters, and the operator's record is there to be read.
bool has_record(const Binding& b, const PythonOverload& o) {
  return b.module != kNnFunctional && o.op->is_emitted() &&
         (o.out == nullptr || o.out->is_emitted());
}

void print_own_table(Printer& p, const Binding& b, size_t i) {
  const PythonOverload& o = b.overloads[i];
  p.print({{"table", table_name(b, i)}}, "constexpr Param $table$[] = {");
  for (const PythonParameter& parameter : o.parameters) print_param(p, parameter);
  if (o.out != nullptr) {
    const size_t n = o.op->schema.returns.size();
    p.print({{"kind", n == 1 ? "kTensor" : "kTensorList"}, {"n", std::to_string(n == 1 ? 0 : n)}},
            "    {\"out\", Kind::$kind$, kOptional | kNone | kKeyword | kOut, $n$, \"None\"},");
  }
  if (is_factory(*o.op)) {
    p.print("    {\"requires_grad\", Kind::kBool, kOptional | kKeyword, 0, \"False\"},");
  }
  p.print("};");
}

// `{&ops::add_Tensor::entry, .method = false}`
std::string overload_entry(const Binding& b, size_t i) {
  const PythonOverload& o = b.overloads[i];
  std::string text = has_record(b, o) ? ".op = &ops::" + o.op->name.identifier + "::entry"
                                      : ".params = " + table_name(b, i);
  if (!b.as_method[i]) text += ", .method = false";
  if (!b.as_function[i]) text += ", .function = false";
  const size_t self = self_position(o);
  if (self > 0 && !has_record(b, o)) text += ", .self = " + std::to_string(self);
  return "{" + text + "}";
}

void print_tables(Printer& p, const Binding& b) {
  CommaList overloads;
  for (size_t i = 0; i < b.overloads.size(); ++i) {
    if (!has_record(b, b.overloads[i])) print_own_table(p, b, i);
    overloads.add(overload_entry(b, i));
  }
  p.print({{"name", b.cpp_name()}, {"text", quoted(b.name)}, {"overloads", overloads.text()}},
          "constexpr OperatorOverload $name$_overloads[] = {$overloads$};\n"
          "constinit OperatorFunction $name$_function{$text$, $name$_overloads};");
}

std::string run_function(const Operator& op) {
  return (op.is_view() ? "run_view<ops::" : "run<ops::") + op.name.identifier + ">";
}

bool is_plain_tensor(const PythonParameter& p) {
  return p.argument->type.is_tensor() && !p.argument->type.optional && !p.argument->default_value;
}

// The number of tensors that the fast path takes, or 0 where the overload has none: every parameter
// without a default is a tensor, and they come first.
size_t fast_tensors(const PythonOverload& o) {
  if (!o.op->effects.mutated.empty() || is_factory(*o.op) || self_position(o) > 0) return 0;
  size_t n = 0;
  while (n < o.parameters.size() && is_plain_tensor(o.parameters[n])) ++n;
  for (size_t i = n; i < o.parameters.size(); ++i) {
    if (!o.parameters[i].argument->default_value) return 0;
  }
  return n;
}

std::string result_name(const Binding& b, size_t i) {
  return b.cpp_name() + "_result_" + std::to_string(i);
}

std::string wrapped(const Binding& b, size_t i, const std::string& call) {
  const Operator& op = *b.overloads[i].op;
  return "wrap(" + call + (has_named_results(op) ? ", " + result_name(b, i) : "") + ")";
}

// An argument that is no parameter, with the value that it has.
const Argument& hidden_argument(const PythonOverload& o, const Operator& form, size_t index) {
  if (o.op->face->nn_function) {
    const auto& fixed = o.op->face->nn_function->fixed;
    const auto found = std::ranges::find(fixed, index, &NnFixed::index);
    if (found != fixed.end()) return found->argument;
  }
  return form.schema.arguments[index];
}

// The arguments of a call of the operator or of another of its forms; `value` of a parameter.
template <typename Value>
std::string call_arguments(const PythonOverload& o, const Operator& form, Value value) {
  CommaList text;
  size_t written = 0;
  for (size_t i = 0; i < form.schema.arguments.size(); ++i) {
    const auto found = std::ranges::find_if(
        o.parameters, [&](const PythonParameter& p) { return p.index == i && is_argument(p); });
    std::string passed;
    if (found != o.parameters.end()) {
      passed = value(static_cast<size_t>(found - o.parameters.begin()));
    } else if (const Argument& argument = hidden_argument(o, form, i); argument.default_value) {
      passed = constant_expression(*argument.default_value, argument.type);
    } else {  // an out tensor
      passed = form.effects.mutated.size() == 1 ? "out"
                                                : "out.values[" + std::to_string(written++) + "]";
    }
    text.add(passed);
  }
  return text.text();
}

void print_fast_paths(Printer& p, const Binding& b) {
  std::set<size_t> done;
  for (size_t i = 0; i < b.overloads.size(); ++i) {
    const PythonOverload& o = b.overloads[i];
    const size_t n = fast_tensors(o);
    if (n == 0 || o.op->schema.returns.empty() || !done.insert(n).second) continue;
    if (o.op->selected->left_out) continue;
    const std::string arguments = call_arguments(o, *o.op, [&](size_t k) {
      return k < n ? "*t[" + std::to_string(k) + "]" : default_expression(o, o.parameters[k]);
    });
    const std::string call = run_function(*o.op) + "(" + arguments + ")";
    const bool first_only = place_of(o, NnRole::all_results) >= 0;
    p.print({{"n", std::to_string(n)},
             {"result", first_only ? "wrap(std::get<0>(" + call + "))" : wrapped(b, i, call)}},
            "if (const Tensor* t[$n$]; only_tensors(self, args, nargs, kwnames, t)) {\n"
            "  return $result$;\n"
            "}");
  }
}

// "const int64_t dim = a.integer(1, 0);"
void print_reader(Printer& p, const PythonOverload& o, const PythonParameter& parameter,
                  size_t index) {
  if (!is_argument(parameter)) return;
  p.print({{"local", std::string(local_type(o, parameter))},
           {"name", python_variable(parameter.name)},
           {"read", read_expression(o, parameter, index)}},
          "[[maybe_unused]] $local$$name$ = $read$;");
}

std::string call_arguments(const PythonOverload& o, const Operator& form) {
  return call_arguments(o, form, [&](size_t k) { return python_variable(o.parameters[k].name); });
}

// The flag `inplace`: the in-place form runs and its argument is returned.
void print_inplace_call(Printer& p, const Binding& b, const PythonOverload& o) {
  const int flag = place_of(o, NnRole::inplace);
  if (flag < 0) return;
  const Operator& form = *o.op->forms->inplace;
  if (form.selected->left_out) {
    p.print({{"flag", std::to_string(flag)}, {"name", quoted(b.prefix + form.name.full)}},
            "if (a.boolean($flag$, false)) fail_left_out($name$);");
    return;
  }
  const auto written = std::ranges::find_if(o.parameters, [&](const PythonParameter& parameter) {
    return parameter.index == form.effects.mutated.front() && is_argument(parameter);
  });
  p.print({{"flag", std::to_string(flag)},
           {"call", run_function(form) + "(" + call_arguments(o, form) + ")"},
           {"at", std::to_string(written - o.parameters.begin())}},
          "if (a.boolean($flag$, false)) {\n"
          "  $call$;\n"
          "  return a.same($at$);\n"
          "}");
}

void print_out_call(Printer& p, const Binding& b, size_t i) {
  const PythonOverload& o = b.overloads[i];
  const std::string at = std::to_string(o.parameters.size());
  const std::string call = run_function(*o.out) + "(" + call_arguments(o, *o.out) + ")";
  if (o.out->effects.mutated.size() == 1) {
    p.print({{"at", at}, {"call", call}},
            "if (a.given($at$)) {\n"
            "  Tensor& out = a.tensor($at$);\n"
            "  $call$;\n"
            "  return a.same($at$);\n"
            "}");
    return;
  }
  std::string values;
  for (size_t k = 0; k < o.out->effects.mutated.size(); ++k) {
    values += (k ? ", " : "") + ("out.values[" + std::to_string(k) + "]");
  }
  p.print({{"at", at}, {"call", call}, {"result", wrapped(b, i, "std::tuple(" + values + ")")}},
          "if (a.given($at$)) {\n"
          "  TensorListArg out = a.tensor_list($at$);\n"
          "  $call$;\n"
          "  return $result$;\n"
          "}");
}

void print_overload(Printer& p, const Binding& b, size_t i) {
  const PythonOverload& o = b.overloads[i];
  if (o.op->selected->left_out) {
    p.print({{"name", quoted(b.prefix + o.op->name.full)}}, "fail_left_out($name$);");
    return;
  }
  for (size_t k = 0; k < o.parameters.size(); ++k) print_reader(p, o, o.parameters[k], k);
  print_inplace_call(p, b, o);
  if (o.out != nullptr) print_out_call(p, b, i);
  const std::string call = run_function(*o.op) + "(" + call_arguments(o, *o.op) + ")";
  if (const int flag = place_of(o, NnRole::all_results); flag >= 0) {
    p.print({{"call", call},
             {"flag", std::to_string(flag)},
             {"all", wrapped(b, i, "std::move(results)")},
             {"first", "wrap(std::get<0>(results))"}},
            "auto results = $call$;\n"
            "if (a.boolean($flag$, false)) return $all$;\n"
            "return $first$;");
  } else if (returns_argument(*o.op)) {
    size_t written = 0;
    while (o.parameters[written].index != o.op->effects.mutated.front()) ++written;
    p.print({{"call", call}, {"at", std::to_string(written)}}, "$call$;\nreturn a.same($at$);");
  } else if (o.op->schema.returns.empty()) {
    p.print({{"call", call}}, "$call$;\nreturn none();");
  } else if (is_factory(*o.op)) {
    const size_t at = o.parameters.size() + (o.out != nullptr ? 1 : 0);
    p.print({{"call", call}, {"at", std::to_string(at)}},
            "return wrap_created($call$, a.boolean($at$, false));");
  } else {
    p.print({{"result", wrapped(b, i, call)}}, "return $result$;");
  }
}

void print_result_types(Printer& p, const Binding& b) {
  for (size_t i = 0; i < b.overloads.size(); ++i) {
    const Operator& op = *b.overloads[i].op;
    if (!has_named_results(op)) continue;
    const std::string fields =
        comma_list(op.schema.returns, [](const Return& r) { return quoted(r.name); });
    p.print({{"name", result_name(b, i)}, {"text", quoted(b.name)}, {"fields", fields}},
            "constinit python::ResultType $name$($text$, {$fields$});");
  }
}

}  // namespace

bool runs_inplace(const PythonOverload& o) { return place_of(o, NnRole::inplace) >= 0; }

void print_left_out_function(Printer& p, const Binding& b) {
  p.print(
      {{"name", b.cpp_name()}, {"operator", quoted(b.prefix + b.overloads.front().op->name.base)}},
      "PyObject* $name$(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) {\n"
      "  return left_out($operator$);\n"
      "}");
}

void print_python_function(Printer& p, const Binding& b) {
  print_tables(p, b);
  print_result_types(p, b);
  p.print({{"name", b.cpp_name()}},
          "\nPyObject* $name$(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* "
          "kwnames) try {");
  {
    Indented in(p);
    print_fast_paths(p, b);
    p.print({{"name", b.cpp_name()}},
            "const Arguments a($name$_function, self, args, nargs, kwnames);");
    if (b.overloads.size() == 1) {
      print_overload(p, b, 0);
    } else {
      p.print("switch (a.overload()) {");
      for (size_t i = 0; i < b.overloads.size(); ++i) {
        const bool last = i + 1 == b.overloads.size();
        p.print({{"label", last ? "default" : "case " + std::to_string(i)}}, "  $label$: {");
        {
          Indented two(p);
          Indented four(p);
          print_overload(p, b, i);
        }
        p.print("  }");
      }
      p.print("}");
    }
  }
  p.print({{"name", b.cpp_name()}},
          "} catch (...) {\n  return set_python_error($name$_function.name());\n}\n");
}

}  // namespace opweave::codegen
