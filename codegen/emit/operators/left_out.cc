// Operators and dtypes that a selection leaves out.
#include "codegen/emit/operators/left_out.h"

#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/emit/text/signature.h"

namespace opweave::codegen {
namespace {

// Forms that come with another operator's entry are selected with that.
bool is_named(const Operator& op) {
  return !op.face->internal && !op.is_generated() && op.forms->form != Form::out;
}

void print_names(Printer& p, const Model& model) {
  p.print("static constexpr std::string_view kLeftOut[] = {");
  for (const Operator* op : model.operators().all()) {
    if (op->selected->left_out && is_named(*op))
      p.print({{"name", quoted(op->name.full)}}, "    $name$,");
  }
  p.print("    {}};");
}

void print_types(Printer& p, const Model& model) {
  p.print("static constexpr LeftOutTypes kLeftOutTypes[] = {");
  for (const Operator* op : model.operators().all()) {
    if (!has_pointwise_kernel(*op) || op->selected->left_out_dtypes.bits == 0) continue;
    p.print({{"name", quoted(op->face->python_name)},
             {"types", dtype_mask(op->selected->left_out_dtypes.bits)},
             {"own", op->selected->has_own_dtypes ? "true" : "false"}},
            "    {$name$, $types$, $own$},");
  }
  p.print("    {}};");
}

}  // namespace

std::string left_out_message(const Model& model, std::string_view name) {
  const std::string text(name);
  return "operator '" + text + "' was left out of this build (selection " +
         model.selection()->file + "): add `- " + text + "` under operators";
}

void print_left_out_includes(Printer& p, const Model& model) {
  if (model.selection() == nullptr) return;
  print_declaration_includes(p);
  p.raw(include_lines({"runtime/dispatch/registry.h", "runtime/pointwise/types.h"}));
}

void print_left_out_operators(Printer& p, const Model& model, const EmitOptions& options) {
  if (model.selection() == nullptr) return;
  UsedOperators used;
  for (const Operator* op : model.operators().all()) {
    if (op->selected->left_out) used.add(*op);
  }
  print_object_types(p, used.sorted());
  // Hidden: who links against the library learns from the linker what is not there.
  p.print("\n#pragma GCC visibility push(hidden)");
  print_declarations(p, used);
  p.print("#pragma GCC visibility pop\n\nnamespace opweave {\n");
  for (const Operator* op : used.sorted()) {
    const Signature s = signature_of(*op);
    p.print({{"id", op->name.identifier},
             {"result", s.result},
             {"params", s.optional_parameter_list()},
             {"name", quoted(options.prefix() + op->name.full)}},
            "$result$ ops::$id$::call($params$) { fail_left_out($name$); }");
  }
  p.print("");
  print_names(p, model);
  print_types(p, model);
  p.print("\n}  // namespace opweave\n");
}

void print_left_out_registration(Printer& p, const Model& model, const EmitOptions& options) {
  if (model.selection() == nullptr) return;
  p.print({{"prefix", quoted(options.prefix())},
           {"file", quoted(model.selection()->file)},
           {"gradients", model.has_gradients() ? "true" : "false"}},
          "  const size_t names = std::size(kLeftOut) - 1, types = std::size(kLeftOutTypes) - 1;\n"
          "  register_left_out($prefix$, $file$, std::span(kLeftOut).first(names), $gradients$);\n"
          "  register_left_out_types($file$, std::span(kLeftOutTypes).first(types));");
}

}  // namespace opweave::codegen
