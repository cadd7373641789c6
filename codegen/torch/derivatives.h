// PyTorch's derivatives.yaml: entries and formulas, parsed, with the names in them resolved.
#pragma once

#include <optional>
#include <vector>

#include "codegen/torch/cpp_names.h"
#include "codegen/torch/cpp_syntax.h"
#include "codegen/torch/groups.h"
#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

// One `arguments: formula` or `result: formula` of an entry.
struct NativeFormula {
  LocatedText key;
  LocatedText text;
  std::string_view dispatch_key;  // `Default`, or the key of the sub-mapping it stands in
  bool is_forward = false;        // of a result: a forward derivative
  // Null for what is a word rather than a formula (`auto_linear`), and where the text did not
  // parse.
  const CppNode* tree = nullptr;
};

struct NativeDerivative {
  const NativeFunction* function = nullptr;
  std::vector<NativeFormula> formulas;
  LocatedText outputs_key;                   // `output_differentiability`, if it is there
  std::optional<std::vector<bool>> outputs;  // what it lists; nothing: all, or by a condition
};

struct NativeDerivatives {
  std::vector<NativeDerivative> entries;
  std::deque<NativeFunction> generated;  // operators that only torchgen makes
  size_t formulas = 0;
  size_t words = 0;     // `auto_linear`, `auto_element_wise`, `non_differentiable`
  size_t unparsed = 0;  // formulas with a construct that the dialect does not know
  size_t helpers = 0;   // functions that are no operators and were not looked up in a header
};

// Everything wrong is reported: text that does not parse, with the construct that stopped it, keys
// that are no argument or result, names that exist nowhere.
struct DerivativeContext {
  const NativeFunctions& functions;
  const std::vector<FormGroup>& groups;
  const CppNames& headers;
};
NativeDerivatives read_native_derivatives(const YamlNode& root, const Source& source,
                                          const DerivativeContext& context, CppArena& arena,
                                          DiagnosticSink& sink);

}  // namespace opweave::codegen::torch
