// All that generated autograd code calls.
#pragma once

#include "runtime/autograd/node.h"          // IWYU pragma: export
#include "runtime/autograd/record.h"        // IWYU pragma: export
#include "runtime/autograd/saved_tensor.h"  // IWYU pragma: export
#include "runtime/autograd/view.h"          // IWYU pragma: export
#include "runtime/core/tensor/companion.h"  // IWYU pragma: export
