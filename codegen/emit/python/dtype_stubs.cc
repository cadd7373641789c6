// Type stubs of the dtypes and of the methods that convert to them.
#include <string_view>
#include <utility>

#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "dtypes/dtype.h"

namespace opweave::codegen {
namespace {

// Name and alias of those that have no tensors.
constexpr std::pair<std::string_view, std::string_view> kNamedDtypes[] = {
#define OW_NAMED_DTYPE(id, name, alias, ...) {#name, alias},
#include "dtypes/named.def"
};

}  // namespace

void emit_dtype_stubs(Output& output) {
  Printer p;
  p.print(
      "# Types of the dtypes, and of the methods that convert to them.\n"
      "# Generated from dtypes.def. Do not edit.\n"
      "from typing import Optional\n"
      "\n"
      "from opweave._C import Tensor, dtype, memory_format\n"
      "\n");
  for (const DtypeInfo& info : kDtypes) {
    p.print({{"name", info.name}}, "$name$: dtype");
    if (!info.alias.empty()) p.print({{"name", info.alias}}, "$name$: dtype");
  }
  for (const auto& [name, alias] : kNamedDtypes) {
    p.print({{"name", name}}, "$name$: dtype");
    if (!alias.empty()) p.print({{"name", alias}}, "$name$: dtype");
  }
  p.print("\nclass DtypeMethods:");
  Indented in(p);
  Indented more(p);
  for (const DtypeInfo& info : kDtypes) {
    if (info.method.empty()) continue;
    p.print({{"name", info.method}},
            "def $name$(self, memory_format: Optional[memory_format] = None) -> Tensor: ...");
  }
  output.add(p.take());
}

}  // namespace opweave::codegen
