// The target of tensors without data: shapes and dtypes alone.
#pragma once

#include "runtime/target/target.h"

namespace opweave::meta {

Target& target();

}  // namespace opweave::meta
