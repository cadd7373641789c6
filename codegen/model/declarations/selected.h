// What a build has of an operator.
#pragma once

#include "codegen/model/declarations/dtypes.h"

namespace opweave::codegen {

// Without a selection: everything.
struct Selected {
  bool left_out = false;        // declared for handwritten code, nothing else
  DTypeSet dtypes;              // to compute in
  DTypeSet left_out_dtypes;     // those that it could compute in, and does not
  bool has_own_dtypes = false;  // selected for this operator alone
};

}  // namespace opweave::codegen
