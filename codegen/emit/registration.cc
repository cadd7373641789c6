// register_<library>(): every kernel of a library in its operator's table, by explicit calls.
#include "codegen/emit/declarations.h"
#include "codegen/emit/left_out.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/signature.h"

namespace opweave::codegen {
namespace {

void print_calls(Printer& p, const std::string& prefix, const std::string& argument_types,
                 const std::string& arguments, int shards, bool declare) {
  for (int i = 0; i < shards; ++i) {
    const std::string function = prefix + shard_suffix(i);
    if (declare) {
      p.print({{"f", function}, {"types", argument_types}}, "void $f$($types$);");
    } else {
      p.print({{"f", function}, {"args", arguments}}, "  $f$($args$);");
    }
  }
}

// The handwritten kernels of one hardware target, and its pointwise kernels.
std::string print_target(const Model& model, const std::string& target,
                         const EmitOptions& options) {
  const std::string& library = options.library;
  const int shards = target == "meta" ? options.shards : options.kernel_shards;
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
  print_calls(p, "register_" + library + "_pointwise", "DispatchKey key", "", shards, true);
  p.print({{"library", library}}, "\nvoid register_$library$_kernels(DispatchKey key) {");
  for (const Operator* op : ops) {
    p.print({{"id", op->identifier}},
            "  ops::$id$::entry.set_kernel(key, reinterpret_cast<AnyKernel>(&$id$));");
  }
  print_calls(p, "register_" + library + "_pointwise", "", "key", shards, false);
  p.print({{"target", target}}, "}\n\n}  // namespace opweave::$target$");
  return p.take();
}

constexpr const char* kLibraryParts[] = {"operators", "composites", "autograd", "forward",
                                         "batching"};

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
  for (const char* part : kLibraryParts) {
    print_calls(p, "register_" + library + "_" + part, "", "", options.shards, true);
  }
  p.print({{"library", library}}, "\nvoid register_$library$() {");
  for (const char* part : kLibraryParts) {
    print_calls(p, "register_" + library + "_" + part, "", "", options.shards, false);
  }
  print_left_out_registration(p, model);
  p.print("}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace

void emit_registration(const Model& model, const EmitOptions& options, Files& files) {
  files.push_back({"opweave/register.cc", print_library(model, options)});
  std::vector<std::string> targets = options.targets;
  targets.push_back("meta");
  for (const std::string& target : targets) {
    files.push_back({"opweave/" + target + "/register.cc", print_target(model, target, options)});
  }
}

}  // namespace opweave::codegen
