// What a selective build keeps: the operators that a selection names, and what they need.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/model/declarations/table.h"
#include "codegen/model/entries/selection_entry.h"

namespace opweave::codegen {

// Which operators handwritten code calls, by identifier: of a kernel (`composite/softmax_int`), or
// of the runtime. Handwritten code is not read here: tools/codegen/kernel_calls.py asks the
// compiler's object files.
struct KernelCalls {
  std::map<std::string, std::vector<std::string>, std::less<>> by_kernel;
  std::vector<std::string> runtime;
};
KernelCalls read_kernel_calls(std::string_view text);

// What a build has of each operator of the table: what is left out, and the dtypes of generated
// kernels. Reports names that there are not.
using SelectedOperators = std::unordered_map<const Operator*, Selected>;
SelectedOperators apply_selection(const SelectionEntry& selection, const KernelCalls& calls,
                                  const OperatorTable& table, DiagnosticSink& sink);

}  // namespace opweave::codegen
