// The functions that XLA calls: each takes a call apart for the handwritten kernel.
#include "codegen/emit/extension/kernels.h"

#include <algorithm>

#include "codegen/emit/extension/operators.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

// How a constant of a call is asked for: `call.integers("dims")`.
std::string constant_of(const Argument& argument) {
  const Type& type = argument.type;
  std::string method;
  switch (type.base) {
    case BaseType::integer:
      method = "integer";
      break;
    case BaseType::floating:
      method = "real";
      break;
    case BaseType::boolean:
      method = "boolean";
      break;
    case BaseType::scalar:
      method = "scalar";
      break;
    case BaseType::string:
      method = "string";
      break;
    default:
      method = "dtype";
      break;
  }
  if (type.list) method += "s";
  if (type.list && type.base == BaseType::boolean)
    method += "<" + std::to_string(type.size.value_or(0)) + ">";
  const std::string name = quoted(schema::python_identifier(argument.name));
  const std::string value = "call." + method + "(" + name + ")";
  if (!type.optional) return value;
  return "call.has(" + name + ") ? std::optional(" + value + ") : std::nullopt";
}

// Arguments stand in braces, which are evaluated in order.
void print_call(Printer& p, const Operator& op) {
  CommaList passed;
  const auto print_arguments = [&] {
    for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
      const Argument& argument = op.schema.arguments[i];
      const std::string name = "a" + std::to_string(i);
      const std::string value = argument.type.is_tensor()        ? "call.tensor()"
                                : argument.type.is_tensor_list() ? "call.tensors()"
                                                                 : constant_of(argument);
      p.print({{"name", name}, {"value", value}}, "const auto $name$ = $value$;");
      passed.add(name);
    }
  };
  p.print({{"id", op.name.identifier}, {"arguments", print_arguments}},
          "void $id$_call([[maybe_unused]] Call& call) {\n"
          "  $arguments$");
  for (size_t i = 0; i < op.schema.returns.size(); ++i)
    passed.add("call.result(" + std::to_string(i) + ")");
  p.print({{"id", op.name.identifier}, {"passed", passed.text()}},
          "  cpu::$id$($passed$);\n"
          "}");
}

}  // namespace

std::string print_jax_kernels(const JaxLibrary& library) {
  const std::vector<const Operator*> ops = handwritten_operators(library.operators);
  Printer p;
  print_banner(p, "Handwritten kernels, as XLA calls them.");
  p.print("#include \"opweave/ffi.h\"");
  std::vector<std::string> headers;
  for (const Operator* op : ops) headers.push_back(kernel_path(*op, "cpu"));
  p.raw(include_lines(headers));
  p.print("\nnamespace opweave::calls {");
  for (const Operator* op : ops) print_call(p, *op);
  p.print("}  // namespace opweave::calls\n");
  for (const Operator* op : ops)
    p.print({{"id", op->name.identifier}}, "OPWEAVE_KERNEL(ow_$id$, opweave::calls::$id$_call);");
  return p.take();
}

}  // namespace opweave::codegen
