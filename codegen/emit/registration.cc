// register_<library>(): every kernel of a library in its operator's table, by explicit calls.
#include "codegen/emit/declarations.h"
#include "codegen/emit/left_out.h"
#include "codegen/emit/output_table.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/signature.h"

namespace opweave::codegen {
namespace {

using Functions = std::vector<std::string>;

void print_declared(Printer& p, const Functions& functions, std::string_view parameters) {
  for (const std::string& function : functions)
    p.print({{"f", function}, {"parameters", parameters}}, "void $f$($parameters$);");
}

void print_calls(Printer& p, const Functions& functions, std::string_view arguments) {
  for (const std::string& function : functions)
    p.print({{"f", function}, {"arguments", arguments}}, "  $f$($arguments$);");
}

// The handwritten kernels of one hardware target, and its pointwise kernels.
std::string print_target(const Model& model, const std::string& target,
                         const EmitOptions& options) {
  const std::string& library = options.library;
  const Functions functions = registered_functions(Registrar::target, options, target);
  Printer p;
  print_banner(p, "All kernels of the target '" + target + "'.");
  std::vector<const Operator*> ops;
  UsedOperators used;
  for (const Operator* op : model.operators().all()) {
    const bool handwritten = op->is_emitted() && op->implementation == Implementation::kernels;
    if (!handwritten || !op->has_target(target)) continue;
    ops.push_back(op);
    used.add(*op);
  }
  print_declaration_includes(p);
  p.print("#include \"runtime/dispatch/operator.h\"");
  print_declarations(p, used);
  p.print({{"target", target}}, "\nnamespace opweave::$target$ {\n");
  for (const Operator* op : ops) print_kernel_declaration(p, *op);
  print_declared(p, functions, "DispatchKey key");
  p.print({{"library", library}}, "\nvoid register_$library$_kernels(DispatchKey key) {");
  for (const Operator* op : ops) {
    p.print({{"id", op->identifier}},
            "  ops::$id$::entry.set_kernel(key, reinterpret_cast<AnyKernel>(&$id$));");
  }
  print_calls(p, functions, "key");
  p.print({{"target", target}}, "}\n\n}  // namespace opweave::$target$");
  return p.take();
}

// Which mutant is active, and which have been reached: set and read by a mutation run.
void print_mutant_definitions(Printer& p, const Model& model) {
  size_t count = 0;
  for (const Operator* op : model.operators().all()) count += op->mutants.size();
  if (count == 0) return;
  p.print({{"size", std::to_string(count + 1)}},
          "extern \"C\" {\n"
          "[[gnu::visibility(\"default\")]] int opweave_active_mutant = 0;\n"
          "[[gnu::visibility(\"default\")]] unsigned char opweave_reached_mutants[$size$] = {};\n"
          "}\n");
}

std::string print_library(const Model& model, const EmitOptions& options) {
  const std::string& library = options.library;
  Printer p;
  print_banner(p, "Registers the library's operators and their target-neutral kernels.");
  print_left_out_includes(p, model);
  print_mutant_definitions(p, model);
  print_left_out_operators(p, model);
  p.print("namespace opweave {\n");
  const Functions functions = registered_functions(Registrar::library, options);
  print_declared(p, functions, "");
  p.print({{"library", library}}, "\nvoid register_$library$() {");
  print_calls(p, functions, "");
  print_left_out_registration(p, model);
  p.print("}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace

void emit_registration(Output& output) { output.add(print_library(output.model, output.options)); }

void emit_target_registration(Output& output) {
  for (const std::string& target : output.targets())
    output.add(target, "", print_target(output.model, target, output.options));
}

}  // namespace opweave::codegen
