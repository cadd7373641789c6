// Errors of rules and kernels, as the classes of Python that PyTorch makes of them.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/core/ScalarTypeToTypeMeta.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <string>

namespace opweave {

enum class ErrorKind : uint8_t { kRuntime, kType, kValue, kIndex, kNotImplemented };

template <class... Parts>
[[noreturn]] void throw_error(ErrorKind kind, const Parts&... parts) {
  const std::string message = c10::str(parts...);
  switch (kind) {
    case ErrorKind::kType:
      TORCH_CHECK_TYPE(false, message);
    case ErrorKind::kValue:
      TORCH_CHECK_VALUE(false, message);
    case ErrorKind::kIndex:
      TORCH_CHECK_INDEX(false, message);
    case ErrorKind::kNotImplemented:
      TORCH_CHECK_NOT_IMPLEMENTED(false, message);
    case ErrorKind::kRuntime:
      break;
  }
  TORCH_CHECK(false, message);
}
#define OW_THROW(...) ::opweave::throw_error(__VA_ARGS__)

inline std::string scalar_type_name(ScalarType type) { return c10::toString(type); }
inline std::string scalar_type_name(caffe2::TypeMeta type) {
  return c10::toString(c10::typeMetaToScalarType(type));
}

}  // namespace opweave
