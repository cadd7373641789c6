// Python bindings: one METH_FASTCALL function per Python name, serving function and method.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/operator_list.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/python/python_function.h"

namespace opweave::codegen {
namespace {

std::string key_of(const std::string& module, const std::string& name) {
  return module + "." + name;
}

Binding binding_of(const PythonCallable& callable, const EmitOptions& options) {
  const bool nn = callable.module == kNnFunctional;
  Binding b{.name = callable.name, .module = callable.module, .prefix = options.prefix()};
  b.left_out = callable.left_out();
  for (const PythonOverload& overload : callable.overloads) {
    const bool method = overload.op->face->method && !nn;
    b.overloads.push_back(overload);
    b.as_function.push_back(overload.op->face->function);
    b.as_method.push_back(method);
    b.function |= b.as_function.back();
    b.method |= method;
  }
  if (nn) b.nn_names.push_back(b.name);
  return b;
}

// A function of nn.functional may be another module's, with the same overloads.
bool is_shared(const PythonCallable& callable, const Binding& other) {
  return callable.is_schema() &&
         std::ranges::equal(callable.overloads, other.overloads, {}, &PythonOverload::op,
                            &PythonOverload::op) &&
         std::ranges::all_of(other.as_function, std::identity());
}

std::vector<Binding> bindings(const Model& model, const EmitOptions& options) {
  std::map<std::string, Binding> by_name;
  for (const PythonCallable& callable : python_callables(model)) {
    by_name.emplace(key_of(callable.module, callable.name), binding_of(callable, options));
  }
  for (const PythonCallable& callable : nn_functions(model)) {
    const Operator& op = *callable.overloads.front().op;
    Binding& other = by_name.at(key_of(op.face->python_module, op.face->python_name));
    if (is_shared(callable, other)) {
      other.nn_names.push_back(callable.name);
    } else {
      by_name.emplace(key_of(callable.module, callable.name), binding_of(callable, options));
    }
  }
  std::vector<Binding> all;
  for (auto& [key, binding] : by_name) all.push_back(std::move(binding));
  return all;
}

std::string doc_of(const Binding& b, bool method) {
  if (b.left_out) return quoted("Left out of this build.");
  std::string signatures, doc;
  for (size_t i = 0; i < b.overloads.size(); ++i) {
    if (!(method ? b.as_method[i] : b.as_function[i])) continue;
    const Operator& op = *b.overloads[i].op;
    std::string signature = python_signature(b.overloads[i], b.name);
    signatures += (signatures.empty() ? "" : "\n") + signature;
    if (doc.empty())
      doc = !op.face->doc.empty() || op.forms->functional == nullptr
                ? op.face->doc
                : op.forms->functional->face->doc;
  }
  return quoted(signatures + (doc.empty() ? "" : "\n\n" + doc));
}

// Its doc opens with what inspect.signature() shows, where one signature says it all.
std::string nn_doc_of(const Binding& b, const std::string& name) {
  const std::string doc = doc_of(b, /*method=*/false);
  if (b.left_out || b.overloads.size() > 1) return doc;
  const std::string signature = python_signature(b.overloads[0], name);
  const std::string shown = quoted(signature.substr(0, signature.rfind(" -> ")) + "\n--\n\n");
  return shown.substr(0, shown.size() - 1) + doc.substr(1);
}

void print_nn_defs(Printer& p, const std::vector<Binding>& all) {
  p.print({{"array", std::string(kNnFunctional)}}, "PyMethodDef $array$_functions[] = {");
  for (const Binding& b : all) {
    for (const std::string& name : b.nn_names) {
      p.print({{"text", quoted(name)}, {"name", b.cpp_name()}, {"doc", nn_doc_of(b, name)}},
              "    entry<$name$, Site::kNnFunctional>($text$,\n          $doc$),");
    }
  }
  p.print("    {},\n};");
}

void print_method_defs(Printer& p, const std::vector<Binding>& all, const std::string& array,
                       bool method, const std::string& module) {
  p.print({{"array", array}}, "PyMethodDef $array$[] = {");
  for (const Binding& b : all) {
    if (method ? !b.method : (!b.function || b.module != module)) continue;
    p.print({{"text", quoted(b.name)}, {"name", b.cpp_name()}, {"doc", doc_of(b, method)}},
            "    entry<$name$>($text$,\n          $doc$),");
  }
  p.print("    {},\n};");
}

constexpr std::string_view kLeftOut =
    "[[maybe_unused]] PyObject* left_out(const char* name) try {\n"
    "  fail_left_out(name);\n"
    "} catch (...) {\n"
    "  return set_python_error();\n"
    "}\n";

std::string print_shard(const std::vector<Binding>& all, const std::string& function,
                        bool selective) {
  Printer p;
  print_banner(p, "Python bindings of one shard of the operators.");
  UsedOperators used;
  std::set<std::string> modules;
  for (const Binding& b : all) {
    if (b.function) modules.insert(b.module);
    if (!b.nn_names.empty()) modules.insert(std::string(kNnFunctional));
    for (const PythonOverload& o : b.overloads) {
      if (o.op->selected->left_out) continue;
      used.add(*o.op);
      if (o.out != nullptr) used.add(*o.out);
      if (runs_inplace(o) && !o.op->forms->inplace->selected->left_out)
        used.add(*o.op->forms->inplace);
    }
  }
  p.print("#include \"bindings/python/core/functions/binding.h\"");
  if (modules.contains(std::string(kNnFunctional))) {
    p.print("#include \"bindings/python/core/functions/nn_arguments.h\"");
  }
  if (selective) p.print("#include \"runtime/dispatch/registry.h\"");
  print_declarations(p, used);
  p.print(
      "\nnamespace opweave::generated {\nnamespace {\n\n"
      "using namespace opweave::python;  // NOLINT: the vocabulary of a shard\n");
  if (selective) p.print(kLeftOut);
  for (const Binding& b : all)
    b.left_out ? print_left_out_function(p, b) : print_python_function(p, b);
  for (const std::string& module : modules) {
    if (module == kNnFunctional) {
      print_nn_defs(p, all);
      continue;
    }
    print_method_defs(p, all, module.empty() ? "functions" : module + "_functions", false, module);
  }
  print_method_defs(p, all, "methods", true, "");
  p.print({{"function", function}},
          "\n}  // namespace\n\nvoid $function$(python::BindingSink& sink) {");
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
    "  using opweave::python::OperatorLibrary;\n"
    "  static constexpr opweave::python::OperatorPlace places[] = {\n"
    "  $places$\n"
    "  };\n"
    "  static const OperatorLibrary library{\n"
    "      OperatorLibrary::kVersion, \"$library$\", &opweave::register_$library$,\n"
    "      &opweave::cpu::register_$library$_kernels, &opweave::meta::register_$library$_kernels,\n"
    "      &opweave::generated::register_$library$_python_bindings, places, std::size(places)};\n"
    "  return opweave::python::import_operator_library(library);\n"
    "}";

void print_module(Printer& p, const Model& model, const EmitOptions& options) {
  const auto places = [&] {
    for (const ListedOperator& op : listed_operators(model))
      p.print({{"name", quoted(options.prefix() + op.name)},
               {"function", quoted(op.function)},
               {"place", quoted(op.place)}},
              "    {$name$, $function$, $place$},");
  };
  p.print({{"library", options.library}, {"places", places}}, kModule);
}

// The Python classes of the types of objects that the library declares.
void print_object_classes(Printer& p, const Model& model) {
  for (const ObjectDeclaration& object : model.objects()) {
    if (object.imported) continue;
    if (!object.python.empty()) {
      p.print({{"name", quoted(object.name)}, {"python", quoted(object.python)}},
              "  python::expect_opaque_type($name$, $python$);");
      continue;
    }
    p.print(
        {{"cpp", "::" + object.cpp}, {"name", quoted(object.name)}, {"doc", quoted(object.doc)}},
        "  sink.object({$name$, $doc$, &python::make_object_class<$cpp$>});");
  }
}

std::string print_registration(const Model& model, const EmitOptions& options) {
  const std::string& library = options.library;
  Printer p;
  print_banner(p, "Hands all generated bindings to the extension.");
  p.print("#include \"bindings/python/core/functions/binding.h\"");
  if (library != "opweave")
    p.print("#include \"bindings/python/core/libraries/operator_library.h\"");
  if (!model.objects().empty()) p.print("#include \"bindings/python/core/objects/object_class.h\"");
  for (const ObjectDeclaration& object : model.objects())
    print_object_type(p, *schema::find_object_type(object.name));
  p.print("\nnamespace opweave::generated {\n");
  const auto functions = registered_functions(Registrar::python, options);
  for (const std::string& function : functions)
    p.print({{"f", function}}, "void $f$(python::BindingSink& sink);");
  p.print({{"library", library}},
          "\nvoid register_$library$_python_bindings(python::BindingSink& sink) {");
  print_object_classes(p, model);
  for (const std::string& function : functions) p.print({{"f", function}}, "  $f$(sink);");
  p.print("}\n\n}  // namespace opweave::generated");
  if (library != "opweave") print_module(p, model, options);
  return p.take();
}

}  // namespace

// `add_` lives with `add`.
static std::string_view shard_name(std::string_view name) {
  const bool inplace = name.size() > 1 && name.ends_with('_') && !name.ends_with("__");
  return inplace ? name.substr(0, name.size() - 1) : name;
}

void emit_python_bindings(Output& output) {
  const Model& model = output.model;
  std::vector<std::vector<Binding>> shards(output.options.shards);
  for (Binding& b : bindings(model, output.options))
    shards[shard_of_name(shard_name(b.name), output.options.shards)].push_back(std::move(b));
  output.each_shard([&](const Shard& shard) {
    return print_shard(shards[shard.index], shard.registers, model.selection() != nullptr);
  });
}

void emit_python_registration(Output& output) {
  output.add(print_registration(output.model, output.options));
}

}  // namespace opweave::codegen
