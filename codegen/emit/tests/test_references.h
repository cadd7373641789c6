// What generated tests compare values with, as Python.
#pragma once

#include <string>

#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// `lambda r, a: r.core("mean.dim", r.core("unfold", a["self"], ...), [-1])`: the entry's formula,
// for arguments `a`, with what tests/python/generated/references.py has for `r`; None where there
// is none, or where it calls what a selection leaves out.
std::string formula_reference(const Operator& op);

}  // namespace opweave::codegen
