// register_<library>(): every kernel of a library in its operator's table, by explicit calls.
#include "codegen/emit/formulas/out_dtypes.h"
#include "codegen/emit/formulas/rules.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/operators/left_out.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/lowered/lowered.h"

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

void print_rule_declarations(Printer& p, const std::vector<const Operator*>& ops) {
  p.print("\nnamespace opweave::rules {");
  for (const Operator* op : ops) {
    if (op->lowered->hardware.has_rule) {
      p.print({{"id", op->name.identifier}, {"params", rule_parameters(*op)}},
              "void $id$($params$);");
    }
  }
  p.print("}  // namespace opweave::rules");
}

// What the adapter of a form has to know besides the rule: CallTraits of
// kernels/results/adapters.h, as an argument of its template; empty where there is nothing to say.
std::string traits_argument(const HardwareKernel& kernel, bool of_out) {
  CommaList traits;
  if (kernel.knows_devices) traits.add(".knows_devices = true");
  if (kernel.moves_elements) traits.add(".moves_elements = true");
  if (of_out && kernel.computes_as_out) traits.add(".computes_as_out = true");
  if (of_out && kernel.out_dtype != OutDtype::same)
    traits.add(".out_dtype = " + out_dtype_name(kernel.out_dtype));
  return traits.text().empty() ? "" : ", CallTraits{" + traits.text() + "}";
}

// Registers a function behind the rule of its operator; and the out form, whose results are written
// where they are wanted.
void print_behind_rule(Printer& p, const Operator& op, const std::string& function) {
  const HardwareKernel& kernel = op.lowered->hardware;
  p.print({{"id", op.name.identifier},
           {"adapter", kernel.adapter == KernelAdapter::fills ? "FillNew" : "Checked"},
           {"function", function},
           {"traits", traits_argument(kernel, /*of_out=*/false)}},
          "  set_kernel<ops::$id$, $adapter$<ops::$id$, &rules::$id$, $function$$traits$>>(key);");
  if (!kernel.fills_out) return;
  p.print({{"id", op.name.identifier},
           {"out", op.forms->out->name.identifier},
           {"function", function},
           {"traits", traits_argument(kernel, /*of_out=*/true)}},
          "  set_kernel<ops::$out$, FillOut<ops::$out$, &rules::$id$, $function$$traits$>>(key);");
}

void print_kernel(Printer& p, const Operator& op) {
  std::string_view text;
  switch (op.lowered->hardware.adapter) {
    case KernelAdapter::fills:
    case KernelAdapter::checked:
      return print_behind_rule(p, op, "&" + op.name.identifier);
    case KernelAdapter::one_device:
      text = "  set_kernel<ops::$id$, OneDevice<ops::$id$, &$id$>>(key);";
      break;
    case KernelAdapter::returns:
      text = "  set_kernel<ops::$id$, Returns<ops::$id$, &$id$>>(key);";
      break;
    case KernelAdapter::none:
      text = "  ops::$id$::entry.set_kernel(key, reinterpret_cast<AnyKernel>(&$id$));";
      break;
  }
  p.print({{"id", op.name.identifier}}, text);
}

// The same without elements: the rule is all there is to do.
void print_meta_kernel(Printer& p, const Operator& op) {
  if (op.lowered->hardware.meta == MetaWay::rule) return print_behind_rule(p, op, "nullptr");
  p.print({{"id", op.name.identifier}}, "  set_kernel<ops::$id$, NeedsData<ops::$id$>>(key);");
}

// Whether the target has a kernel of the operator: handwritten, or, without elements, its rule.
bool has_kernel(const Operator& op, const std::string& target) {
  if (!op.is_emitted() || op.computation->implementation != Implementation::kernels) return false;
  return op.has_target(target) || (target == "meta" && op.lowered->hardware.meta != MetaWay::none);
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
    if (!has_kernel(*op, target)) continue;
    ops.push_back(op);
    used.add(*op);
    if (op->lowered->hardware.fills_out) used.add(*op->forms->out);
  }
  print_declaration_includes(p);
  p.print("#include \"kernels/results/adapters.h\"\n#include \"runtime/dispatch/operator.h\"");
  print_declarations(p, used);
  print_rule_declarations(p, ops);
  p.print({{"target", target}}, "\nnamespace opweave::$target$ {\n");
  for (const Operator* op : ops) {
    if (op->has_target(target)) print_kernel_declaration(p, *op, target);
  }
  print_declared(p, functions, "DispatchKey key");
  p.print({{"library", library}}, "\nvoid register_$library$_kernels(DispatchKey key) {");
  for (const Operator* op : ops) {
    op->has_target(target) ? print_kernel(p, *op) : print_meta_kernel(p, *op);
  }
  print_calls(p, functions, "key");
  p.print({{"target", target}}, "}\n\n}  // namespace opweave::$target$");
  return p.take();
}

// Which mutant is active, and which have been reached: set and read by a mutation run.
void print_mutant_definitions(Printer& p, const Model& model) {
  const size_t count = model.mutants().count();
  if (count == 0) return;
  p.print({{"size", std::to_string(count + 1)}},
          "extern \"C\" {\n"
          "[[gnu::visibility(\"default\")]] int opweave_active_mutant = 0;\n"
          "[[gnu::visibility(\"default\")]] unsigned char opweave_reached_mutants[$size$] = {};\n"
          "}\n");
}

// Schemas that are read at run time may name the types that the library declares.
void print_object_registration(Printer& p, const Model& model) {
  for (const ObjectDeclaration& object : model.objects()) {
    if (object.imported) continue;
    p.print({{"name", quoted(object.name)}, {"cpp", quoted(object.cpp)}},
            "  schema::register_object_type({.name = $name$, .cpp = $cpp$, .python = $name$});");
  }
}

std::string print_library(const Model& model, const EmitOptions& options) {
  const std::string& library = options.library;
  Printer p;
  print_banner(p, "Registers the library's operators and their target-neutral kernels.");
  print_left_out_includes(p, model);
  print_mutant_definitions(p, model);
  print_left_out_operators(p, model, options);
  if (!model.objects().empty()) p.print("#include \"schema/object_types.h\"");
  p.print("namespace opweave {\n");
  const Functions functions = registered_functions(Registrar::library, options);
  print_declared(p, functions, "");
  p.print({{"library", library}}, "\nvoid register_$library$() {");
  print_object_registration(p, model);
  print_calls(p, functions, "");
  print_left_out_registration(p, model, options);
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
