#include "runtime/core/scalar.h"

namespace opweave::detail {

void fail_complex(const Scalar& number, const char* type) {
  OW_THROW(ErrorKind::kRuntime, "value cannot be converted to type ", type,
           " without overflow: ", number, " is not real");
}

}  // namespace opweave::detail
