// What a build with some types says about the others.
#include "runtime/core/error.h"
#include "runtime/pointwise/types.h"

namespace opweave {
namespace {

struct LeftOut {
  std::string_view selection;
  std::span<const LeftOutTypes> operators;
};
LeftOut& left_out() {
  static auto* left_out = new LeftOut;
  return *left_out;
}

}  // namespace

void register_left_out_types(std::string_view selection, std::span<const LeftOutTypes> operators) {
  left_out() = {selection, operators};
}

void fail_type(const PointwiseSpec& spec, ScalarType type) {
  for (const LeftOutTypes& op : left_out().operators) {
    if (op.name != spec.name || (op.types & dtype_bit(type)) == 0) continue;
    const std::string_view dtype = dtype_name(type);
    OW_THROW(ErrorKind::kNotImplemented, spec.name, " was built without ", dtype, " (selection ",
             left_out().selection, "): add ", dtype, " to ",
             op.own ? "its dtypes" : "the dtypes of the selection");
  }
  OW_THROW(ErrorKind::kNotImplemented, '"', spec.name, "\" not implemented for '",
           scalar_type_name(type), "'");
}

}  // namespace opweave
