// What the generated file of a library for every release includes, once in each library: it defines
// those functions of the core that its headers declare and a library has to have itself.
#ifndef OPWEAVE_STABLE_FORM_LIBRARY_H_
#define OPWEAVE_STABLE_FORM_LIBRARY_H_

#include <charconv>
#include <string>

#include "opweave/stable/form/rules.h"
#include "opweave/stable/library.h"
#include "runtime/core/threads/parallel.h"

namespace opweave {

// Of the results of an operator; those that nobody asked for are undefined.
inline std::vector<Tensor> gradients_of(const stable::Backward& call) {
  std::vector<Tensor> gradients;
  for (uint32_t i = 0; i < call.count(); ++i) gradients.emplace_back(call.gradient(i));
  return gradients;
}

inline OwErrorKind stable_kind(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kType:
      return OW_TYPE_ERROR;
    case ErrorKind::kValue:
      return OW_VALUE_ERROR;
    case ErrorKind::kIndex:
      return OW_INDEX_ERROR;
    case ErrorKind::kNotImplemented:
      return OW_NOT_IMPLEMENTED_ERROR;
    default:
      return OW_RUNTIME_ERROR;
  }
}

// OW_CHECK and the like in kernels end here.
void throw_error(ErrorKind kind, std::string message) {
  throw stable::Error(message, stable_kind(kind));
}
void throw_internal(const char* file, int line, const char* condition, std::string message) {
  throw stable::Error(str("internal error: ", condition, " at ", file, ":", line, ": ", message));
}

void append_to(std::string& out, double value) {
  char buffer[32];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
}
void append_to(std::string& out, std::span<const int64_t> values) {
  out.push_back('[');
  for (size_t i = 0; i < values.size(); ++i) {
    out.append(i > 0 ? ", " : "");
    out.append(std::to_string(values[i]));
  }
  out.push_back(']');
}
std::string to_string(Device device) {
  const char* name = stable::api().device_name(device.type);
  const std::string text = name == nullptr ? "unknown" : name;
  return device.index < 0 ? text : str(text, ":", static_cast<int>(device.index));
}

void parallel_for(int64_t begin, int64_t end, int64_t grain,
                  function_ref<void(int64_t, int64_t)> body) {
  stable::parallel_for(begin, end, grain, body);
}

}  // namespace opweave

#endif  // OPWEAVE_STABLE_FORM_LIBRARY_H_
