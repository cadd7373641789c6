// DLPack: tensors handed to and taken from other libraries without a copy.
#include <dlpack/dlpack.h>

#include <memory>

#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/interop/exchange.h"
#include "bindings/python/core/tensor/read_element.h"

namespace opweave::python {
namespace {

constexpr const char* kName = "dltensor";
constexpr const char* kUsedName = "used_dltensor";

// What an exported capsule owns: the description, and the storage whose memory it describes,
// whatever becomes of the tensor.
struct Export {
  DLManagedTensor managed{};
  Storage storage;
  DimVector sizes, strides;
};

void delete_export(DLManagedTensor* managed) { delete static_cast<Export*>(managed->manager_ctx); }

// A capsule that nobody consumed frees what it holds.
void destroy_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kName) == 0) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, kName));
  if (managed->deleter != nullptr) managed->deleter(managed);
}

DLDataType dlpack_type(ScalarType dtype) {
  const DtypeInfo& info = dtype_info(dtype);
  return {info.dlpack, static_cast<uint8_t>(8 * info.bytes), 1};
}

ScalarType scalar_type(DLDataType type) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const DLDataType ours = dlpack_type(static_cast<ScalarType>(i));
    if (ours.code == type.code && ours.bits == type.bits && type.lanes == 1) {
      return static_cast<ScalarType>(i);
    }
  }
  OW_THROW(ErrorKind::kRuntime, "from_dlpack(): unsupported dtype: code ", int64_t{type.code}, ", ",
           int64_t{type.bits}, " bits, ", int64_t{type.lanes}, " lanes");
}

// A foreign tensor's deleter may need the interpreter, so a Python object owns it.
PyObject* owner_of(DLManagedTensor* managed) {
  return check(PyCapsule_New(managed, nullptr, [](PyObject* capsule) {
    auto* owned = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, nullptr));
    if (owned->deleter != nullptr) owned->deleter(owned);
  }));
}

Tensor import_tensor(DLManagedTensor* managed) {
  const DLTensor& t = managed->dl_tensor;
  OW_CHECK(t.device.device_type == kDLCPU || t.device.device_type == kDLCUDAHost,
           "from_dlpack(): unsupported device type ", int64_t{t.device.device_type});
  const ScalarType dtype = scalar_type(t.dtype);
  DimVector sizes(t.shape, t.shape + t.ndim);
  const bool strided = t.strides != nullptr && checked_numel(sizes) > 0;
  const DimVector strides =
      strided ? DimVector(t.strides, t.strides + t.ndim) : contiguous_strides(sizes);
  int64_t last = 0;
  for (int i = 0; i < t.ndim; ++i) last += (sizes[i] - 1) * strides[i];
  const size_t count = checked_numel(sizes) == 0 ? 0 : static_cast<size_t>(last + 1);
  Storage storage = StorageImpl::wrap(
      static_cast<char*>(t.data) + t.byte_offset, count * element_size(dtype), host_device(),
      [owner = owner_of(managed)](void*) { drop_reference(owner); });
  return Tensor(
      make_intrusive<TensorImpl>(std::move(storage), dtype, host_device(), sizes, strides));
}

}  // namespace

PyObject* to_dlpack(const Tensor& tensor) {
  check_has_values(tensor);
  OW_CHECK(tensor.in_host_memory(), "__dlpack__(): tensors on ", to_string(tensor.device()),
           " cannot be exported");
  auto data = std::make_unique<Export>();
  data->storage = tensor.storage();
  data->sizes = DimVector(tensor.sizes());
  data->strides = DimVector(tensor.strides());
  DLTensor& t = data->managed.dl_tensor;
  t.data = tensor.raw_data();
  t.device = {kDLCPU, 0};
  t.ndim = static_cast<int>(tensor.dim());
  t.dtype = dlpack_type(tensor.dtype());
  t.shape = data->sizes.data();
  t.strides = data->strides.data();
  data->managed.manager_ctx = data.get();
  data->managed.deleter = delete_export;
  PyObject* capsule = check(PyCapsule_New(&data->managed, kName, destroy_capsule));
  data.release();  // the capsule's
  return capsule;
}

Tensor from_dlpack(PyObject* object) {
  PyPtr capsule = PyPtr::borrow(object);
  if (!PyCapsule_CheckExact(object)) {
    capsule = PyPtr::steal(check(PyObject_CallMethod(object, "__dlpack__", nullptr)));
  }
  OW_CHECK(PyCapsule_IsValid(capsule.get(), kName) != 0,
           "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed "
           "only once, so you might have already constructed a tensor from it once.");
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule.get(), kName));
  Tensor tensor = import_tensor(managed);
  check(PyCapsule_SetName(capsule.get(), kUsedName));
  return tensor;
}

}  // namespace opweave::python
