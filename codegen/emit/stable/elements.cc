// The loops of a library for every release, and its tables of them.
#include "codegen/emit/kernels/pointwise_printers.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/stable/printers.h"

namespace opweave::codegen {
namespace {

void print_tables(Printer& p, const std::vector<const Operator*>& ops) {
  for (const Operator* op : ops)
    p.print({{"id", op->name.identifier}},
            "stable::Elements $id$_elements{$id$_spec};\n"
            "const OwPointwise& $id$_table() { return $id$_elements.table(); }");
  p.print({{"fills",
            [&] {
              for (const Operator* op : ops)
                p.print({{"id", op->name.identifier}}, "OW_STABLE_LOOPS($id$);");
            }}},
          "void add_all_loops() {\n"
          "  $fills$\n"
          "}");
}

}  // namespace

std::string print_stable_elements(const Model& model) {
  const std::vector<const Operator*> ops = with_loops(model);
  Printer p;
  print_banner(p, "Loops of operators, for each instruction set.");
  p.print(
      "#define OW_POINTWISE_FILE \"opweave/stable/elements.cc\"\n"
      "#include \"kernels/cpu/pointwise/begin.h\"\n"
      "OW_POINTWISE_BEGIN\n");
  for (const Operator* op : ops) print_pointwise_loops(p, *op);
  p.print(
      "OW_POINTWISE_END\n"
      "\n"
      "#if OW_POINTWISE_ONCE\n"
      "#include \"opweave/stable/elements.h\"\n"
      "#include \"opweave/stable/loops.h\"\n"
      "\n"
      "namespace opweave {\n"
      "namespace cpu {");
  for (const Operator* op : ops) print_pointwise_spec(p, *op);
  print_tables(p, ops);
  p.print(
      "}  // namespace cpu\n"
      "}  // namespace opweave\n"
      "#endif");
  return p.take();
}

}  // namespace opweave::codegen
