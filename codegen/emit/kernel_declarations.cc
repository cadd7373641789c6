// The exact declarations of handwritten kernels, one header per target: a kernel that includes it
// and has another signature does not compile.
#include <map>

#include "codegen/emit/outputs.h"
#include "codegen/emit/signature.h"

namespace opweave::codegen {

void emit_kernel_declarations(const Model& model, const EmitOptions& options, Files& files) {
  std::map<std::string, Printer> by_target{{"composite", {}}, {"meta", {}}};
  for (const std::string& target : options.targets) by_target[target];
  for (auto& [target, p] : by_target) {
    print_banner(p, "Handwritten kernels of the target '" + target + "': what to define.");
    p.print({{"target", target}},
            "#pragma once\n\n#include <array>\n#include <optional>\n#include "
            "<string_view>\n#include <tuple>\n"
            "#include <vector>\n\n#include \"runtime/core/generator.h\"\n#include "
            "\"runtime/core/tensor.h\"\n"
            "\nnamespace opweave::$target$ {\n");
  }
  for (const Operator* op : model.operators().all()) {
    if (op->imported || op->implementation != Implementation::kernels) continue;
    for (const std::string& target : op->targets) {
      const auto it = by_target.find(target);
      if (it == by_target.end()) continue;  // a target that this build leaves out
      const Signature s = signature_of(*op);
      it->second.print({{"schema", print(op->schema)},
                        {"result", s.result},
                        {"name", op->identifier},
                        {"params", s.parameter_list()}},
                       "// $schema$\n$result$ $name$($params$);");
    }
  }
  for (auto& [target, p] : by_target) {
    p.print({{"target", target}}, "\n}  // namespace opweave::$target$");
    files.push_back({"opweave/kernels/" + target + ".h", p.take()});
  }
}

}  // namespace opweave::codegen
