// The parity report: what to add next, for people, and every overload, for programs.
#pragma once

#include <string>
#include <vector>

#include "codegen/torch/parity.h"

namespace opweave::codegen::torch {

// Counts per group, what is lacking by what it would take, and what is defined differently.
std::string parity_summary(const std::vector<ParityRow>& rows);
// Every overload on its own, with both schemas where they differ.
std::string parity_details(const std::vector<ParityRow>& rows);
std::string parity_json(const std::vector<ParityRow>& rows);

}  // namespace opweave::codegen::torch
