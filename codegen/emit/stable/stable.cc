// The files of an operator library for every release.
#include "codegen/emit/stable/stable.h"

#include "codegen/emit/operator_list.h"
#include "codegen/emit/pointwise_layout.h"
#include "codegen/emit/python_face.h"
#include "codegen/emit/stable/printers.h"

namespace opweave::codegen {

std::vector<const Operator*> stable_operators(const Model& model) {
  std::vector<const Operator*> operators;
  for (const Operator* op : model.operators().all()) {
    if (!has_pointwise_kernel(*op)) continue;
    for (const Operator* form : {op, op->inplace, op->out}) {
      if (form != nullptr) operators.push_back(form);
    }
  }
  return operators;
}

std::string print_stable_faces(const Model& model) {
  std::string text = "[";
  for (const PythonCallable& callable : python_callables(model)) {
    std::string overloads;
    bool function = false, method = false;
    for (const PythonOverload& overload : callable.overloads) {
      function |= overload.op->variant_function;
      method |= overload.op->variant_method;
      overloads += (overloads.empty() ? "[" : ", [") + quoted(overload.op->full_name);
      overloads +=
          ", " + (overload.out == nullptr ? "null" : quoted(overload.out->full_name)) + "]";
    }
    text += text.size() == 1 ? "\n" : ",\n";
    text += " {\"name\": " + quoted(callable.name) +
            ", \"function\": " + (function ? "true" : "false") +
            ", \"method\": " + (method ? "true" : "false") + ", \"overloads\": [" + overloads +
            "]}";
  }
  return text + "\n]\n";
}

// What others read of a library is the same for both kinds: stubs, lists, tests.
std::vector<EmittedFile> emit_stable(const Model& model, const EmitOptions& options) {
  std::vector<EmittedFile> files = emit_all(model, options);
  std::erase_if(files, [](const EmittedFile& file) {
    return !file.path.ends_with(".json") && !file.path.ends_with(".py") &&
           !file.path.ends_with(".pyi") && !file.path.ends_with(".txt");
  });
  files.push_back({"opweave/stable/library.cc", print_stable_library(model, options)});
  files.push_back({"opweave/stable/elements.cc", print_stable_elements(model)});
  files.push_back({"opweave/faces.json", print_stable_faces(model)});
  // Other libraries have functions of the same names.
  files.push_back({"opweave/stable/exports.map", "{ global: opweave_library; local: *; };\n"});
  return files;
}

}  // namespace opweave::codegen
