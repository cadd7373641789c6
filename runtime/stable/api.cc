// The functions that the core gives to libraries.
#include "runtime/stable/api.h"

#include "runtime/core/tensor/tensor.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/stable/errors.h"
#include "runtime/stable/gradient.h"
#include "runtime/stable/handles.h"
#include "runtime/stable/pointwise.h"
#include "runtime/stable/values.h"
#include "runtime/target/stream.h"

namespace opweave::stable {
namespace {

// A negative length is said where the tensor is made.
OwStatus tensor_empty(const int64_t* sizes, const int64_t* strides, uint32_t dim, int32_t dtype,
                      OwDevice device, OwTensor* result) {
  return guarded([&] {
    const IntList all(sizes, dim);
    const ScalarType type = to_scalar_type(dtype);
    const Device where = resolve_device(to_device(device));
    *result =
        give(strides == nullptr ? make_tensor(all, type, where)
                                : make_tensor_strided(all, IntList(strides, dim), type, where));
  });
}

OwStatus tensor_of_number(OwNumber number, OwTensor* result) {
  return guarded([&] { *result = give(wrapped_number_tensor(to_scalar(number))); });
}

OwStatus result_set(OwResults* results, uint32_t index, const OwValue* value) {
  return guarded([&] {
    OW_CHECK_INDEX(index < results->values.size(), "result_set(", index, "): there are ",
                   results->values.size(), " results");
    results->values[index] = to_ivalue(*value);
  });
}

OwHandle operator_find(const char* schema) {
  OwHandle found = nullptr;
  guarded([&] { found = find_handle(schema); });
  return found;
}

OwStatus operator_call(OwHandle op, const OwValue* arguments, uint32_t num_arguments,
                       OwValue* results, uint32_t num_results) {
  return guarded([&] { call(op, arguments, num_arguments, results, num_results); });
}

OwStatus get_saved(const OwBackward* backward, uint32_t index, OwValue* value) {
  return guarded([&] { *value = to_owned(backward_saved(*backward, index)); });
}

OwStatus get_zeros(const OwBackward* backward, uint32_t argument, OwTensor* result) {
  return guarded([&] { *result = give(backward_zeros(*backward, argument)); });
}

OwStatus run_parallel(int64_t begin, int64_t end, int64_t grain,
                      void (*body)(void*, int64_t, int64_t), void* context) {
  return guarded([&] {
    parallel_for(begin, end, grain, [&](int64_t from, int64_t to) { body(context, from, to); });
  });
}

const char* name_of_device(int32_t type) {
  if (type < 0 || type >= kMaxDeviceTypes) return nullptr;
  const std::string_view name = device_type_name(static_cast<DeviceType>(type));
  return name.empty() ? nullptr : name.data();
}

OwStatus stream_handle(OwDevice device, void** handle) {
  return guarded([&] { *handle = current_stream(to_device(device)).native_handle(); });
}

}  // namespace

const OwApi& api() {
  static const OwApi functions{
      .size = sizeof(OwApi),
      .major = OW_ABI_MAJOR,
      .minor = OW_ABI_MINOR,
      .isa = best_isa(),
      .version = OPWEAVE_VERSION,
      .set_error = &set_error,
      .error_text = &error_text,
      .error_kind = &error_kind,
      .tensor_retain = [](OwTensor t) { impl_of(t)->retain(); },
      .tensor_release = [](OwTensor t) { impl_of(t)->release(); },
      .tensor_dim = [](OwTensor t) { return static_cast<int64_t>(impl_of(t)->dim()); },
      .tensor_numel = [](OwTensor t) { return impl_of(t)->numel(); },
      .tensor_sizes = [](OwTensor t) { return impl_of(t)->sizes().data(); },
      .tensor_strides = [](OwTensor t) { return impl_of(t)->strides().data(); },
      .tensor_dtype = [](OwTensor t) { return static_cast<int32_t>(impl_of(t)->dtype()); },
      .tensor_device = [](OwTensor t) -> OwDevice {
        const Device device = impl_of(t)->device();
        return {device.type, device.index};
      },
      .tensor_data = [](OwTensor t) -> void* { return impl_of(t)->data(); },
      .tensor_is_contiguous =
          [](OwTensor t) { return static_cast<int32_t>(impl_of(t)->is_contiguous()); },
      .tensor_requires_grad =
          [](OwTensor t) { return static_cast<int32_t>(impl_of(t)->requires_grad()); },
      .tensor_empty = &tensor_empty,
      .tensor_of_number = &tensor_of_number,
      .value_release = [](OwValue* value) { release(*value); },
      .result_set = &result_set,
      .operator_find = &operator_find,
      .operator_call = &operator_call,
      .backward_needs = [](const OwBackward* call,
                           uint32_t i) { return static_cast<int32_t>(backward_needs(*call, i)); },
      .backward_saved = &get_saved,
      .parallel_for = &run_parallel,
      .device_name = &name_of_device,
      .device_type = [](const char* name) -> int32_t { return find_device_type(name); },
      .stream_handle = &stream_handle,
      .backward_zeros = &get_zeros,
  };
  return functions;
}

}  // namespace opweave::stable
