// The dtype of an `out`, beside the result's.
#include "runtime/rules/out_dtype.h"

#include "runtime/core/base/error.h"
#include "runtime/core/tensor/type_promotion.h"

namespace opweave {

void check_out_dtype(std::string_view op, ScalarType result, ScalarType out, OutDtype allowed) {
  if (result == out || allowed == OutDtype::kAny) return;
  const auto expect = [&](bool right, std::string_view dtypes) {
    OW_CHECK(right, op, "(): Expected out tensor to have dtype ", dtypes, ", but got ",
             dtype_info(out).spelled, " instead");
  };
  if (allowed == OutDtype::kTruth) return expect(out == kBool || out == kByte, "bool or uint8");
  expect(allowed == OutDtype::kCast, dtype_info(result).spelled);
  OW_CHECK(can_cast(result, out), op, "(): result type ", scalar_type_name(result),
           " can't be cast to the desired output type ", scalar_type_name(out));
}

}  // namespace opweave
