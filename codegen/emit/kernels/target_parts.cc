// The part of an operator library for a hardware target besides the CPU: a shared library of its
// own, which is loaded when the target is, and registers the library's kernels with it.
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"

namespace opweave::codegen {
namespace {

// What the target's library has as well (runtime/target/library.h).
constexpr std::string_view kRegistration =
    "\nextern \"C\" [[gnu::visibility(\"default\")]] opweave::Target* opweave_register_target() {\n"
    "  opweave::Target* target = opweave::find_target(\"$target$\");\n"
    "  if (target == nullptr) return nullptr;\n"
    "  opweave::$target$::register_$library$_kernels(opweave::backend_key(target->type()));\n"
    "  return target;\n"
    "}";

std::string print_part(const EmitOptions& options, const std::string& target) {
  Printer p;
  print_banner(p, "Registers the kernels of the library '" + options.library +
                      "' for the target '" + target + "', which is loaded already.");
  p.print(
      {{"target", target}, {"library", options.library}},
      "#include \"runtime/core/threads/dispatch_key_set.h\"\n"
      "#include \"runtime/target/target.h\"\n\n"
      "namespace opweave::$target$ {\n"
      "void register_$library$_kernels(DispatchKey key);\n"
      "// Where expressions are not compiled for the target: otherwise their files define these.");
  for (const std::string& function : registered_functions(Registrar::target, options, target))
    p.print({{"f", function}}, "[[gnu::weak]] void $f$(DispatchKey) {}");
  p.print({{"target", target}}, "}  // namespace opweave::$target$");
  p.print({{"target", target}, {"library", options.library}}, kRegistration);
  return p.take();
}

}  // namespace

void emit_target_parts(Output& output) {
  for (const std::string& target : output.options.targets) {
    if (target != "cpu") output.add(target, "", print_part(output.options, target));
  }
}

}  // namespace opweave::codegen
