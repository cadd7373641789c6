// The lock file: one line per operator with a hash of what its callers see. It
// is checked in, so that a change which breaks somebody shows up in a test and
// in a review.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/model/model.h"

namespace opweave::codegen {

std::string print_lock(const Model& model);
// One message per operator that the lock knows otherwise; empty if they agree.
std::vector<std::string> check_lock(std::string_view lock, const Model& model);
// What to do about them.
extern const char* const kLockAdvice;

}  // namespace opweave::codegen
