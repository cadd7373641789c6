// `opweave diff`, `opweave lock`, and the lock of `opweave check`.
#pragma once

#include "codegen/cli/options.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// The exit status: 0 if nothing breaks anybody, 3 if something does, 1 if a
// file is wrong.
int diff_files(const CommandLine& line);
int write_lock(const CommandLine& line, const Model& model);
// 1, with what differs and what to do about it, if the lock knows an operator
// otherwise.
int check_lock_file(const CommandLine& line, const Model& model);

}  // namespace opweave::codegen
