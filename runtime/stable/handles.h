// The operators that libraries call.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/dispatch/runtime_record.h"
#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

// Why a caller that knows an operator by `schema` cannot call the one that there is now; empty if
// it can: that has the same results, and the same arguments and, perhaps, more with defaults.
std::string why_changed(const RuntimeRecord& schema);

// The same handle for the same schema; it stays for ever. RuntimeError where there is no such
// operator.
OwHandle find_handle(std::string_view schema);

// Calls it with what is given and the defaults, those that the caller knows, of what is not.
void call(OwHandle op, const OwValue* arguments, uint32_t num_arguments, OwValue* results,
          uint32_t num_results);

}  // namespace opweave::stable
