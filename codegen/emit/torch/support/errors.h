// Errors of rules and kernels, as the classes of Python that PyTorch makes of them.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/core/ScalarTypeToTypeMeta.h>
#include <c10/util/Exception.h>
#include <c10/util/StringUtil.h>

#include <cstdint>
#include <string>

namespace opweave {

using c10::str;

enum class ErrorKind : uint8_t { kRuntime, kType, kValue, kIndex, kNotImplemented, kSize };

template <class... Parts>
[[noreturn]] void throw_error(ErrorKind kind, const Parts&... parts) {
  const std::string message = str(parts...);
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
    case ErrorKind::kSize:
      break;
  }
  TORCH_CHECK(false, message);
}
#define OW_THROW(...) ::opweave::throw_error(__VA_ARGS__)

#define OW_CHECK_KIND(kind, condition, ...)                            \
  do {                                                                 \
    if (!(condition)) [[unlikely]]                                     \
      OW_THROW(::opweave::ErrorKind::kind __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)

#define OW_CHECK(condition, ...) OW_CHECK_KIND(kRuntime, condition, __VA_ARGS__)
#define OW_CHECK_TYPE(condition, ...) OW_CHECK_KIND(kType, condition, __VA_ARGS__)
#define OW_CHECK_VALUE(condition, ...) OW_CHECK_KIND(kValue, condition, __VA_ARGS__)
#define OW_CHECK_INDEX(condition, ...) OW_CHECK_KIND(kIndex, condition, __VA_ARGS__)
#define OW_CHECK_SIZE(condition, ...) OW_CHECK_KIND(kSize, condition, __VA_ARGS__)
#define OW_CHECK_NOT_IMPLEMENTED(condition, ...) \
  OW_CHECK_KIND(kNotImplemented, condition, __VA_ARGS__)
#define OW_INTERNAL_ASSERT(condition, ...) TORCH_INTERNAL_ASSERT(condition, ##__VA_ARGS__)

inline std::string scalar_type_name(ScalarType type) { return c10::toString(type); }
inline std::string scalar_type_name(caffe2::TypeMeta type) {
  return c10::toString(c10::typeMetaToScalarType(type));
}

}  // namespace opweave
