// METH_FASTCALL functions: reading arguments, choosing an overload, calling it.
#include "codegen/emit/python_function.h"

#include <algorithm>
#include <set>

#include "codegen/emit/variables.h"
#include "schema/object_types.h"

namespace opweave::codegen {
namespace {

std::string kind_of(const PythonParameter& p) {
  const Type& type = p.argument->type;
  if (type.is_tensor()) return p.accepts_number ? "kTensorOrNumber" : "kTensor";
  if (type.list) {
    switch (type.base) {
      case BaseType::tensor:
        return "kTensorList";
      case BaseType::floating:
        return "kDoubleList";
      case BaseType::boolean:
        return "kBoolArray";
      default:
        return "kIntList";
    }
  }
  switch (type.base) {
    case BaseType::scalar:
      return "kScalar";
    case BaseType::integer:
      return "kInt";
    case BaseType::floating:
      return "kDouble";
    case BaseType::boolean:
      return "kBool";
    case BaseType::string:
      return "kString";
    case BaseType::scalar_type:
      return "kDtype";
    case BaseType::layout:
      return "kLayout";
    case BaseType::device:
      return "kDevice";
    case BaseType::memory_format:
      return "kMemoryFormat";
    default:
      return "kOpaque";
  }
}

void print_param(Printer& p, const PythonParameter& parameter) {
  const Argument& argument = *parameter.argument;
  std::string flags;
  const auto flag = [&](bool set, const char* name) {
    if (set) flags += (flags.empty() ? "" : " | ") + std::string(name);
  };
  flag(argument.default_value.has_value(), "kOptional");
  flag(argument.type.optional, "kNone");
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

void print_tables(Printer& p, const Binding& b) {
  std::string overloads;
  for (size_t i = 0; i < b.overloads.size(); ++i) {
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
    overloads += std::string(i ? ", " : "") + "{.params = " + table_name(b, i) +
                 ", .method = " + (b.as_method[i] ? "true" : "false") +
                 ", .function = " + (b.as_function[i] ? "true" : "false") +
                 (self_position(o) > 0 ? ", .self = " + std::to_string(self_position(o)) : "") +
                 "}";
  }
  p.print({{"name", b.cpp_name()}, {"text", quoted(b.name)}, {"overloads", overloads}},
          "constexpr Overload $name$_overloads[] = {$overloads$};\n"
          "constexpr Function $name$_function{$text$, $name$_overloads};");
}

std::string run_function(const Operator& op) {
  return (op.is_view() ? "run_view<ops::" : "run<ops::") + op.identifier + ">";
}

bool is_plain_tensor(const PythonParameter& p) {
  return p.argument->type.is_tensor() && !p.argument->type.optional && !p.argument->default_value;
}

// The number of tensors that the fast path takes, or 0 where the overload has none: every parameter
// without a default is a tensor, and they come first.
size_t fast_tensors(const PythonOverload& o) {
  if (!o.op->mutated.empty() || is_factory(*o.op) || self_position(o) > 0) return 0;
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

bool has_named_results(const Operator& op) {
  return op.schema.returns.size() > 1 && !op.schema.returns[0].name.empty();
}

std::string wrapped(const Binding& b, size_t i, const std::string& call) {
  const Operator& op = *b.overloads[i].op;
  return "wrap(" + call + (has_named_results(op) ? ", " + result_name(b, i) : "") + ")";
}

void print_fast_paths(Printer& p, const Binding& b) {
  std::set<size_t> done;
  for (size_t i = 0; i < b.overloads.size(); ++i) {
    const PythonOverload& o = b.overloads[i];
    const size_t n = fast_tensors(o);
    if (n == 0 || o.op->schema.returns.empty() || !done.insert(n).second) continue;
    if (o.op->left_out) continue;
    std::string arguments;
    for (size_t k = 0; k < o.parameters.size(); ++k) {
      const Argument& argument = *o.parameters[k].argument;
      arguments +=
          (k ? ", " : "") + (k < n ? "*t[" + std::to_string(k) + "]"
                                   : constant_expression(*argument.default_value, argument.type));
    }
    p.print({{"n", std::to_string(n)},
             {"result", wrapped(b, i, run_function(*o.op) + "(" + arguments + ")")}},
            "if (const Tensor* t[$n$]; only_tensors(self, args, nargs, kwnames, t)) {\n"
            "  return $result$;\n"
            "}");
  }
}

// The reader of a single value that is no tensor: `a.integer(…)`.
std::string value_reader(const Type& type) {
  switch (type.base) {
    case BaseType::scalar:
      return "scalar";
    case BaseType::integer:
      return "integer";
    case BaseType::floating:
      return "real";
    case BaseType::boolean:
      return "boolean";
    case BaseType::string:
      return "string";
    case BaseType::scalar_type:
      return "dtype";
    case BaseType::layout:
      return "layout";
    case BaseType::device:
      return "device";
    case BaseType::memory_format:
      return "memory_format";
    default:
      return "opaque<" + schema::find_object_type(type.object)->cpp + ">";
  }
}

// dtypes, devices and the like, whose readers always give an optional.
bool always_reads_optional(BaseType base) {
  return base == BaseType::scalar_type || base == BaseType::layout || base == BaseType::device ||
         base == BaseType::memory_format || base == BaseType::object;
}

std::string reader_of(const PythonParameter& parameter) {
  const Type& type = parameter.argument->type;
  const std::string optional = type.optional ? "optional_" : "";
  if (type.is_tensor()) {
    return type.optional              ? "optional_tensor"
           : parameter.accepts_number ? "tensor_or_number"
                                      : "tensor";
  }
  if (type.is_tensor_list()) return "tensor_list";
  if (type.list && type.base == BaseType::boolean) {
    return "bool_array<" + std::to_string(type.size.value_or(1)) + ">";
  }
  if (type.list) return optional + (type.base == BaseType::floating ? "real_list" : "int_list");
  const std::string reader = value_reader(type);
  return always_reads_optional(type.base) ? reader : optional + reader;
}

// What the reader gives when the call leaves the argument out: ", 0".
std::string default_of(const PythonParameter& parameter) {
  const Argument& argument = *parameter.argument;
  const Type& type = argument.type;
  if (type.is_tensor_like() || (type.list && type.optional)) return "";
  const bool given = argument.default_value && argument.default_value->kind != Constant::Kind::none;
  return given ? ", " + constant_expression(*argument.default_value, type) : "";
}

std::string_view local_type(const PythonParameter& parameter) {
  const Type& type = parameter.argument->type;
  if (!type.is_tensor()) return "const auto ";
  return type.optional              ? "const Tensor& "
         : parameter.accepts_number ? "const TensorArg "
                                    : "Tensor& ";
}

// "const int64_t dim = a.integer(1, 0);"
void print_reader(Printer& p, const PythonParameter& parameter, size_t index) {
  const Type& type = parameter.argument->type;
  const bool unwrap = !type.optional && !type.list && always_reads_optional(type.base);
  p.print({{"local", local_type(parameter)},
           {"name", python_variable(parameter.name)},
           {"read", "a." + reader_of(parameter) + "(" + std::to_string(index) +
                        default_of(parameter) + ")" + (unwrap ? ".value()" : "")}},
          "[[maybe_unused]] $local$$name$ = $read$;");
}

std::string call_arguments(const PythonOverload& o, const Operator& op) {
  std::string text;
  size_t written = 0;
  for (const Argument& argument : op.schema.arguments) {
    std::string value;
    for (const PythonParameter& p : o.parameters) {
      if (p.argument->name == argument.name) value = python_variable(p.name);
    }
    if (value.empty()) {  // an out tensor
      value = op.mutated.size() == 1 ? "out" : "out.values[" + std::to_string(written++) + "]";
    }
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

void print_out_call(Printer& p, const Binding& b, size_t i) {
  const PythonOverload& o = b.overloads[i];
  const std::string at = std::to_string(o.parameters.size());
  const std::string call = run_function(*o.out) + "(" + call_arguments(o, *o.out) + ")";
  if (o.out->mutated.size() == 1) {
    p.print({{"at", at}, {"call", call}},
            "if (a.given($at$)) {\n"
            "  Tensor& out = a.tensor($at$);\n"
            "  $call$;\n"
            "  return a.same($at$);\n"
            "}");
    return;
  }
  std::string values;
  for (size_t k = 0; k < o.out->mutated.size(); ++k) {
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
  if (o.op->left_out) {
    p.print({{"name", quoted(o.op->full_name)}}, "fail_left_out($name$);");
    return;
  }
  for (size_t k = 0; k < o.parameters.size(); ++k) print_reader(p, o.parameters[k], k);
  if (o.out != nullptr) print_out_call(p, b, i);
  const std::string call = run_function(*o.op) + "(" + call_arguments(o, *o.op) + ")";
  if (returns_argument(*o.op)) {
    size_t written = 0;
    while (o.parameters[written].index != o.op->mutated.front()) ++written;
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
    std::string fields;
    for (const Return& r : op.schema.returns)
      fields += (fields.empty() ? "" : ", ") + quoted(r.name);
    p.print({{"name", result_name(b, i)}, {"text", quoted(b.name)}, {"fields", fields}},
            "constinit ResultType $name$($text$, {$fields$});");
  }
}

}  // namespace

void print_left_out_function(Printer& p, const Binding& b) {
  p.print({{"name", b.cpp_name()}, {"operator", quoted(b.overloads.front().op->base_name)}},
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
  p.print("} catch (...) {\n  return set_python_error();\n}\n");
}

}  // namespace opweave::codegen
