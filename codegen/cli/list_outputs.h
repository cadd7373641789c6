// `opweave gen --list-outputs`: the table of what gen writes, for build files and documentation.
#pragma once

#include <string>

namespace opweave::codegen {

// A JSON array with an object per line of codegen/emit/output/output_table.def.
std::string outputs_list();

}  // namespace opweave::codegen
