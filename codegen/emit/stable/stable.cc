// The files of an operator library for every release.
#include "codegen/emit/stable/stable.h"

#include <map>
#include <set>

#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/output/operator_list.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/python/python_face.h"
#include "codegen/emit/stable/check_formula.h"
#include "codegen/emit/stable/kernel_includes.h"
#include "codegen/emit/stable/printers.h"

namespace opweave::codegen {

std::vector<const Operator*> stable_operators(const Model& model) {
  std::vector<const Operator*> operators;
  for (const Operator* op : model.operators().all()) {
    if (!op->is_emitted() || op->forms->form != Form::functional) continue;
    for (const Operator* form : {op, op->forms->inplace, op->forms->out}) {
      if (form != nullptr) operators.push_back(form);
    }
  }
  return operators;
}

std::vector<const Operator*> with_loops(const Model& model) {
  std::vector<const Operator*> operators = stable_operators(model);
  std::erase_if(operators, [](const Operator* op) { return !has_pointwise_kernel(*op); });
  return operators;
}

std::vector<const Operator*> with_kernels(const Model& model) {
  std::vector<const Operator*> operators = stable_operators(model);
  std::erase_if(operators, [](const Operator* op) {
    return op->computation->implementation != Implementation::kernels;
  });
  return operators;
}

// Operators by the names that the core knows them by: in the library's namespace.
std::string print_stable_faces(const Model& model, const EmitOptions& options) {
  const auto named = [&](const Operator& op) {
    return quoted(options.library + "::" + op.name.full);
  };
  std::string text = "[";
  for (const PythonCallable& callable : python_callables(model)) {
    std::string overloads;
    bool function = false, method = false;
    for (const PythonOverload& overload : callable.overloads) {
      function |= overload.op->face->function;
      method |= overload.op->face->method;
      overloads += (overloads.empty() ? "[" : ", [") + named(*overload.op);
      overloads += ", " + (overload.out == nullptr ? "null" : named(*overload.out)) + "]";
    }
    text += text.size() == 1 ? "\n" : ",\n";
    text += " {\"name\": " + quoted(callable.name) +
            ", \"function\": " + (function ? "true" : "false") +
            ", \"method\": " + (method ? "true" : "false") + ", \"overloads\": [" + overloads +
            "]}";
  }
  return text + "\n]\n";
}

namespace {

using Family = std::vector<const Operator*>;
std::map<std::string, Family> by_base_name(const Family& operators) {
  std::map<std::string, Family> families;
  for (const Operator* op : operators) families[op->name.base].push_back(op);
  return families;
}
// As the core's headers are.
std::map<std::string, Family> by_home(const Family& operators) {
  std::map<std::string, Family> families;
  for (const Operator* op : operators) families[home_name(*op)].push_back(op);
  return families;
}

// The headers of operators that kernels include; one that goes by the name of a form leads to the
// header that it shares with others.
void add_operator_headers(const Model& model, const std::set<std::string>& included,
                          std::vector<EmittedFile>& files) {
  for (const auto& [home, ops] : by_home(callable_operators(model))) {
    std::set<std::string> names;
    for (const Operator* op : ops) names.insert(op->name.base);
    const std::string header = operator_header(*ops.front());
    bool wanted = included.contains(home);
    for (const std::string& name : names) {
      if (name == home || !included.contains(name)) continue;
      wanted = true;
      files.push_back(
          {"opweave/ops/" + name + ".h", "#pragma once\n#include \"" + header + "\"\n"});
    }
    if (wanted) files.push_back({header, print_stable_operator_header(ops)});
  }
}

// What handwritten kernels include: in the place of headers of the core that they name.
void add_headers(const Model& model, const std::set<std::string>& included,
                 std::vector<EmittedFile>& files) {
  for (const auto& [name, ops] : by_base_name(with_kernels(model)))
    files.push_back({"opweave/kernels/cpu/" + name + ".h", print_stable_kernel_header(ops)});
  add_operator_headers(model, included, files);
  files.push_back({"instead/runtime/core/tensor/tensor.h",
                   "#pragma once\n#include \"opweave/stable/form/tensor.h\"\n"});
}

}  // namespace

// What others read of a library is the same for both kinds: stubs, lists, tests.
std::vector<EmittedFile> emit_stable(const Model& model, const EmitOptions& options,
                                     const std::set<std::string>& included) {
  std::vector<EmittedFile> files = emit_all(model, options);
  std::erase_if(files, [](const EmittedFile& file) {
    return !file.path.ends_with(".json") && !file.path.ends_with(".py") &&
           !file.path.ends_with(".pyi") && !file.path.ends_with(".txt");
  });
  files.push_back({"opweave/stable/library.cc", print_stable_library(model, options)});
  if (!with_loops(model).empty())
    files.push_back({"opweave/stable/elements.cc", print_stable_elements(model)});
  if (!with_kernels(model).empty()) add_headers(model, included, files);
  files.push_back({"opweave/faces.json", print_stable_faces(model, options)});
  // Other libraries have functions of the same names.
  files.push_back({"opweave/stable/exports.map", "{ global: opweave_library; local: *; };\n"});
  return files;
}

namespace {

class StableEmission : public Emission {
 public:
  StableEmission() : Emission("stable", Kernels::read) {}
  void check(const Model& model, Sources kernels, DiagnosticSink& sink) const override {
    check_stable(model, sink);
    included(model, kernels, sink);
  }
  std::vector<EmittedFile> files(const Model& model, const EmitOptions& options,
                                 Sources kernels) const override {
    DiagnosticSink reported;
    return emit_stable(model, options, included(model, kernels, reported));
  }

 private:
  static std::set<std::string> included(const Model& model, Sources kernels, DiagnosticSink& sink) {
    std::set<std::string> names;
    for (const Source* kernel : kernels) names.merge(check_kernel_includes(*kernel, model, sink));
    return names;
  }
};

}  // namespace

const Emission& stable_emission() {
  static const StableEmission emission;
  return emission;
}

}  // namespace opweave::codegen
