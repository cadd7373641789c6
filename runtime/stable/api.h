// The functions that the core gives to libraries.
#pragma once

#include "runtime/stable/include/opweave/stable/abi.h"

namespace opweave::stable {

const OwApi& api();

}  // namespace opweave::stable
