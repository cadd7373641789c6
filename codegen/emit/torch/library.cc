// The file that tells PyTorch of the operators: schemas, and how they are differentiated.
#include "codegen/emit/autograd_node.h"
#include "codegen/emit/comma_list.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/torch/face.h"

namespace opweave::codegen {
namespace {

void print_definitions(Printer& p, const TorchLibrary& library) {
  p.print({{"library", library.options.library},
           {"module", quoted(library.options.library + "._rules")}},
          "TORCH_LIBRARY($library$, library) {\n"
          "  library.set_python_module($module$);");
  for (const Operator* op : library.operators) {
    const std::string tags = op->is_expr() ? "at::Tag::pt2_compliant_tag, at::Tag::pointwise"
                                           : "at::Tag::pt2_compliant_tag";
    p.print({{"schema", quoted(torch_schema(*op))}, {"tags", tags}},
            "  library.def($schema$, {$tags$});");
  }
  p.print("}\n");
}

}  // namespace

std::string print_torch_library(const TorchLibrary& library) {
  const NodeNames names(library.model);
  Printer p;
  print_banner(p, "The operators, their backward nodes and forward rules.");
  p.print("#include \"opweave/autograd.h\"\n");
  print_torch_declarations(p, library);
  p.print("namespace opweave {\nnamespace {\n");
  for (const Operator* op : library.operators) {
    if (op->derivative != nullptr) print_torch_autograd(p, *op, names.of(*op));
  }
  p.print("}  // namespace\n");
  print_definitions(p, library);
  p.print({{"library", library.options.library}},
          "TORCH_LIBRARY_IMPL($library$, Autograd, library) {");
  for (const Operator* op : library.operators) {
    if (op->derivative == nullptr) continue;
    p.print({{"id", op->identifier}, {"name", quoted(op->full_name)}},
            "  library.impl($name$, TORCH_FN($id$_autograd));");
  }
  p.print("}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace opweave::codegen
