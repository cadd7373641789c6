// Kernels that note what an operator did: versions of what it wrote, views of what it was given.
#include "codegen/emit/functionalities/autograd_kernels.h"
#include "codegen/emit/operators/operator_records.h"
#include "codegen/emit/text/signature.h"
#include "codegen/emit/text/variables.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

// The call below this kernel, its result in `produced` unless it is an argument.
void print_tracked_call(Printer& p, const Operator& op, const Signature& s) {
  const std::string call = "ops::" + op.name.identifier + "::call(" + s.argument_list() + ")";
  const bool produces = s.result != "void" && !returns_argument(op);
  p.print({{"open", produces ? "auto produced = [&] {" : "{"},
           {"return", produces ? "return " : ""},
           {"call", call},
           {"close", produces ? "}();" : "}"}},
          "$open$\n"
          "  BelowADInplaceOrView guard;\n"
          "  $return$$call$;\n"
          "$close$");
}

void print_versions(Printer& p, const Operator& op, const Signature& s) {
  for (const Parameter* written : written_parameters(s, op)) {
    p.print({{"written", written->name}, {"operator", quoted(op.name.base)}},
            written->argument->type.is_tensor() ? "increment_version($written$, $operator$);"
                                                : "increment_versions($written$, $operator$);");
  }
}

void print_views(Printer& p, const Operator& op, const Signature& s) {
  if (!op.lowered->recording.makes_views) return;
  for (const ViewOf& view : op.effects.views) {
    const bool many = op.schema.returns[view.result].type.is_tensor_list();
    const std::string value = op.schema.returns.size() == 1
                                  ? "produced"
                                  : "std::get<" + std::to_string(view.result) + ">(produced)";
    p.print({{"function", many ? "as_views" : "as_view"},
             {"base", s.parameters[view.argument].name},
             {"value", value}},
            "$function$($base$, $value$);");
  }
}

}  // namespace

void print_tracking_kernel(Printer& p, const Operator& op) {
  const Signature s = definition_of(op);
  const std::string result =
      returns_argument(op) ? written_parameters(s, op).front()->name : "produced";
  p.print({{"type", s.result},
           {"id", op.name.identifier},
           {"params", s.parameter_list()},
           {"run", [&] { print_tracked_call(p, op, s); }},
           {"versions", [&] { print_versions(p, op, s); }},
           {"views", [&] { print_views(p, op, s); }},
           {"return", s.result == "void" ? "" : "return " + result + ";"}},
          "static $type$ $id$_tracking($params$) {\n"
          "  $run$\n"
          "  $versions$\n"
          "  $views$\n"
          "  $return$\n"
          "}\n");
}

}  // namespace opweave::codegen
