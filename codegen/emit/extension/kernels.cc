// Headers that declare handwritten kernels.
#include "codegen/emit/extension/kernels.h"

#include <map>

#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/outputs.h"

namespace opweave::codegen {
namespace {

std::string print_header(const std::vector<const Operator*>& overloads, std::string_view target) {
  Printer p;
  print_banner(
      p, "The kernel of " + overloads.front()->name.base + ", which a handwritten file defines.");
  p.print({{"target", target}},
          "#pragma once\n\n#include \"opweave/kernel.h\"\n\nnamespace opweave::$target$ {");
  for (const Operator* op : overloads) print_kernel_declaration(p, *op, std::string(target));
  p.print({{"target", target}}, "}  // namespace opweave::$target$");
  return p.take();
}

}  // namespace

std::string kernel_path(const Operator& op, std::string_view target) {
  return "opweave/kernels/" + std::string(target) + "/" + op.name.base + ".h";
}

std::vector<EmittedFile> kernel_headers(const std::vector<const Operator*>& operators,
                                        std::string_view target) {
  std::map<std::string, std::vector<const Operator*>> by_path;
  for (const Operator* op : operators) by_path[kernel_path(*op, target)].push_back(op);
  std::vector<EmittedFile> files;
  for (const auto& [path, overloads] : by_path)
    files.push_back({"csrc/" + path, print_header(overloads, target)});
  return files;
}

void add_header_names(std::initializer_list<const char*> names, const std::string& header,
                      std::vector<EmittedFile>& files) {
  for (const std::string name : names)
    files.push_back({"csrc/" + name, "#pragma once\n#include \"" + header + "\"\n"});
}

}  // namespace opweave::codegen
