// Python bindings: one METH_FASTCALL function per Python name, serving function and method.
#include <algorithm>
#include <map>
#include <set>

#include "codegen/emit/declarations.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/python_face.h"

namespace opweave::codegen {
namespace {

// A function of the module and the method of the same name, which share one C function.
struct Binding {
  std::string name;
  std::string module;
  bool function = false, method = false;
  std::vector<PythonOverload> overloads;  // `input` included
  std::vector<bool> as_function, as_method;
  std::string cpp_name() const {
    return module.empty() ? "py_" + name : "py_" + module + "_" + name;
  }
};

std::vector<Binding> bindings(const Model& model) {
  std::map<std::string, Binding> by_name;
  for (const PythonCallable& callable : python_callables(model)) {
    Binding& b = by_name[callable.module + "." + callable.name];
    b.name = callable.name;
    b.module = callable.module;
    for (const PythonOverload& overload : callable.overloads) {
      const bool method = overload.op->variant_method;
      b.overloads.push_back(overload);
      b.as_function.push_back(overload.op->variant_function);
      b.as_method.push_back(method);
      b.function |= b.as_function.back();
      b.method |= method;
    }
  }
  std::vector<Binding> all;
  for (auto& [key, binding] : by_name) all.push_back(std::move(binding));
  return all;
}

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
      return "kGenerator";
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
           {"default", quoted(argument.default_value ? python_default(argument) : "")}},
          "    {$name$, Kind::$kind$, $flags$, $length$, $default$},");
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

// The variable for a parameter; not one of the names that the function around it uses itself.
std::string local_name(const std::string& name) {
  constexpr std::string_view kTaken[] = {"a",   "args", "kwnames",     "nargs",    "none",
                                         "ops", "out",  "run",         "run_view", "self",
                                         "t",   "wrap", "wrap_created"};
  const bool taken = std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
  return taken ? name + "_" : cpp_identifier(name);
}

// "const int64_t dim = a.integer(1, 0);"
void print_reader(Printer& p, const PythonParameter& parameter, size_t index) {
  const Argument& argument = *parameter.argument;
  const Type& type = argument.type;
  std::string otherwise, local = "const auto ", reader;
  const bool has_default =
      argument.default_value && argument.default_value->kind != Constant::Kind::none;
  if (has_default) otherwise = ", " + constant_expression(*argument.default_value, type);
  const std::string optional = type.optional ? "optional_" : "";
  if (type.is_tensor()) {
    local = type.optional              ? "const Tensor& "
            : parameter.accepts_number ? "const TensorArg "
                                       : "Tensor& ";
    reader = type.optional              ? "optional_tensor"
             : parameter.accepts_number ? "tensor_or_number"
                                        : "tensor";
    otherwise.clear();
  } else if (type.is_tensor_list()) {
    reader = "tensor_list";
    otherwise.clear();
  } else if (type.list) {
    if (type.base == BaseType::boolean) {
      reader = "bool_array<" + std::to_string(type.size.value_or(1)) + ">";
    } else {
      reader = optional + (type.base == BaseType::floating ? "real_list" : "int_list");
    }
    if (type.optional) otherwise.clear();
  } else {
    switch (type.base) {
      case BaseType::scalar:
        reader = optional + "scalar";
        break;
      case BaseType::integer:
        reader = optional + "integer";
        break;
      case BaseType::floating:
        reader = optional + "real";
        break;
      case BaseType::boolean:
        reader = optional + "boolean";
        break;
      case BaseType::string:
        reader = optional + "string";
        break;
      case BaseType::scalar_type:
        reader = "dtype";
        break;
      case BaseType::layout:
        reader = "layout";
        break;
      case BaseType::device:
        reader = "device";
        break;
      case BaseType::memory_format:
        reader = "memory_format";
        break;
      default:
        reader = "generator";
        break;
    }
  }
  const bool unwrap = !type.optional && !type.list &&
                      (type.base == BaseType::scalar_type || type.base == BaseType::layout ||
                       type.base == BaseType::device || type.base == BaseType::memory_format ||
                       type.base == BaseType::generator);
  p.print({{"local", local},
           {"name", local_name(parameter.name)},
           {"read", "a." + reader + "(" + std::to_string(index) + otherwise + ")" +
                        (unwrap ? ".value()" : "")}},
          "[[maybe_unused]] $local$$name$ = $read$;");
}

std::string call_arguments(const PythonOverload& o, const Operator& op) {
  std::string text;
  size_t written = 0;
  for (const Argument& argument : op.schema.arguments) {
    std::string value;
    for (const PythonParameter& p : o.parameters) {
      if (p.argument->name == argument.name) value = local_name(p.name);
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

void print_function(Printer& p, const Binding& b) {
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

std::string doc_of(const Binding& b, bool method) {
  std::string signatures, doc;
  for (size_t i = 0; i < b.overloads.size(); ++i) {
    if (!(method ? b.as_method[i] : b.as_function[i])) continue;
    const Operator& op = *b.overloads[i].op;
    std::string signature = python_signature(b.overloads[i], b.name);
    signatures += (signatures.empty() ? "" : "\n") + signature;
    if (doc.empty())
      doc = !op.doc.empty() || op.functional == nullptr ? op.doc : op.functional->doc;
  }
  return quoted(signatures + (doc.empty() ? "" : "\n\n" + doc));
}

void print_method_defs(Printer& p, const std::vector<Binding>& all, const std::string& array,
                       bool method, const std::string& module) {
  p.print({{"array", array}}, "PyMethodDef $array$[] = {");
  for (const Binding& b : all) {
    if (method ? !b.method : (!b.function || b.module != module)) continue;
    p.print({{"text", quoted(b.name)}, {"name", b.cpp_name()}, {"doc", doc_of(b, method)}},
            "    entry($text$, $name$,\n          $doc$),");
  }
  p.print("    {},\n};");
}

std::string print_shard(const std::vector<Binding>& all, const std::string& library,
                        const std::string& suffix) {
  Printer p;
  print_banner(p, "Python bindings of one shard of the operators.");
  UsedOperators used;
  std::set<std::string> modules;
  for (const Binding& b : all) {
    if (b.function) modules.insert(b.module);
    for (const PythonOverload& o : b.overloads) {
      used.add(*o.op);
      if (o.out != nullptr) used.add(*o.out);
    }
  }
  p.print("#include \"bindings/python/core/binding.h\"");
  print_declarations(p, used);
  p.print(
      "\nnamespace opweave::generated {\nnamespace {\n\n"
      "using namespace opweave::python;  // NOLINT: the vocabulary of a shard\n");
  for (const Binding& b : all) print_function(p, b);
  for (const std::string& module : modules) {
    print_method_defs(p, all, module.empty() ? "functions" : module + "_functions", false, module);
  }
  print_method_defs(p, all, "methods", true, "");
  p.print(
      {{"library", library}, {"suffix", suffix}},
      "\n}  // namespace\n\nvoid register_$library$_python$suffix$(python::BindingSink& sink) {");
  for (const std::string& module : modules) {
    p.print({{"module", quoted(module)},
             {"array", module.empty() ? "functions" : module + "_functions"}},
            "  sink.functions($module$, $array$);");
  }
  p.print("  sink.methods(methods);\n}\n\n}  // namespace opweave::generated");
  return p.take();
}

// An operator library of its own is a Python extension module, which registers everything on
// import.
constexpr std::string_view kModule =
    "\nnamespace opweave {\n"
    "void register_$library$();\n"
    "namespace cpu {\nvoid register_$library$_kernels(DispatchKey key);\n}\n"
    "namespace meta {\nvoid register_$library$_kernels(DispatchKey key);\n}\n"
    "}  // namespace opweave\n"
    "\n"
    "extern \"C\" PyObject* PyInit_$library$() {\n"
    "  static const opweave::python::OperatorLibrary library{\n"
    "      \"$library$\", &opweave::register_$library$, "
    "&opweave::cpu::register_$library$_kernels,\n"
    "      &opweave::meta::register_$library$_kernels,\n"
    "      &opweave::generated::register_$library$_python_bindings};\n"
    "  return opweave::python::import_operator_library(library);\n"
    "}";

std::string print_registration(const EmitOptions& options) {
  const std::string& library = options.library;
  Printer p;
  print_banner(p, "Hands all generated bindings to the extension.");
  p.print("#include \"bindings/python/core/binding.h\"");
  if (library != "opweave") p.print("#include \"bindings/python/core/operator_library.h\"");
  p.print("\nnamespace opweave::generated {\n");
  for (int i = 0; i < options.shards; ++i) {
    p.print({{"library", library}, {"suffix", shard_suffix(i)}},
            "void register_$library$_python$suffix$(python::BindingSink& sink);");
  }
  p.print({{"library", library}},
          "\nvoid register_$library$_python_bindings(python::BindingSink& sink) {");
  for (int i = 0; i < options.shards; ++i) {
    p.print({{"library", library}, {"suffix", shard_suffix(i)}},
            "  register_$library$_python$suffix$(sink);");
  }
  p.print("}\n\n}  // namespace opweave::generated");
  if (library != "opweave") p.print({{"library", library}}, kModule);
  return p.take();
}

}  // namespace

// `add_` lives with `add`.
static std::string_view shard_name(std::string_view name) {
  const bool inplace = name.size() > 1 && name.ends_with('_') && !name.ends_with("__");
  return inplace ? name.substr(0, name.size() - 1) : name;
}

void emit_python_bindings(const Model& model, const EmitOptions& options, Files& files) {
  std::vector<std::vector<Binding>> shards(options.shards);
  for (Binding& b : bindings(model))
    shards[shard_of_name(shard_name(b.name), options.shards)].push_back(std::move(b));
  for (int i = 0; i < options.shards; ++i) {
    files.push_back({"opweave/python/bindings" + shard_suffix(i) + ".cc",
                     print_shard(shards[i], options.library, shard_suffix(i))});
  }
  files.push_back({"opweave/python/register.cc", print_registration(options)});
}

}  // namespace opweave::codegen
