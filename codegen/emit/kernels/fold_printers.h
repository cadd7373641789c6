// The parts of which files of kernels that fold are printed.
#pragma once

#include <string>

#include "codegen/emit/text/printer.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// The struct `<identifier>_fold`, whose run(R& r) does with a row, or with many at once, what the
// lowered program says. Its text is the same for every target: what `R`, `m` and `fold` are, each
// gives its own meaning.
std::string print_fold_struct(const Operator& op);
// The constant `<identifier>_fold_spec`: which operands there are.
void print_fold_spec(Printer& printer, const Operator& op);

}  // namespace opweave::codegen
