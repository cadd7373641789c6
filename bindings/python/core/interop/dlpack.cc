// DLPack: tensors handed to and taken from other libraries without a copy.
#include <dlpack/dlpack.h>

#include <memory>

#include "bindings/python/core/autograd/captures.h"
#include "bindings/python/core/autograd/host_values.h"
#include "bindings/python/core/functions/handwritten.h"
#include "bindings/python/core/interop/exchange.h"
#include "bindings/python/core/objects/interpreted.h"

namespace opweave::python {
namespace {

// DLPack 1.0's struct, which the header of 0.6 that Debian has lacks:
// https://dmlc.github.io/dlpack/latest/c_api.html
struct ManagedTensorVersioned {
  uint32_t major, minor;
  void* manager_ctx;
  void (*deleter)(ManagedTensorVersioned*);
  uint64_t flags;
  DLTensor dl_tensor;
};
constexpr uint64_t kReadOnly = 1, kCopied = 2;

// What tells the two structs apart: the names of their capsules, before and after they are
// consumed.
template <class Managed>
constexpr const char* kName = "dltensor";
template <class Managed>
constexpr const char* kUsedName = "used_dltensor";
template <>
constexpr const char* kName<ManagedTensorVersioned> = "dltensor_versioned";
template <>
constexpr const char* kUsedName<ManagedTensorVersioned> = "used_dltensor_versioned";

// What an exported capsule owns: the description, and the storage whose memory it describes,
// whatever becomes of the tensor.
template <class Managed>
struct Export {
  Managed managed{};
  Storage storage;
  DimVector sizes, strides;
};

// A capsule that nobody consumed frees what it holds.
template <class Managed>
void destroy_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, kName<Managed>) == 0) return;
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kName<Managed>));
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
template <class Managed>
PyObject* owner_of(Managed* managed) {
  return check(PyCapsule_New(managed, nullptr, [](PyObject* capsule) {
    auto* owned = static_cast<Managed*>(PyCapsule_GetPointer(capsule, nullptr));
    if (owned->deleter != nullptr) owned->deleter(owned);
  }));
}

DimVector strides_of(const DLTensor& t, IntList sizes) {
  if (t.strides == nullptr || checked_numel(sizes) == 0) return contiguous_strides(sizes);
  for (int i = 0; i < t.ndim; ++i) {
    OW_CHECK(t.strides[i] >= 0, "from_dlpack(): strides must not be negative, got ", t.strides[i],
             " in dimension ", i, "; copy the array first");
  }
  return DimVector(t.strides, t.strides + t.ndim);
}

template <class Managed>
Tensor import_tensor(Managed* managed) {
  const DLTensor& t = managed->dl_tensor;
  OW_CHECK(t.device.device_type == kDLCPU || t.device.device_type == kDLCUDAHost,
           "from_dlpack(): unsupported device type ", int64_t{t.device.device_type});
  const ScalarType dtype = scalar_type(t.dtype);
  DimVector sizes(t.shape, t.shape + t.ndim);
  const DimVector strides = strides_of(t, sizes);
  int64_t last = 0;
  for (int i = 0; i < t.ndim; ++i) last += (sizes[i] - 1) * strides[i];
  const size_t count = checked_numel(sizes) == 0 ? 0 : static_cast<size_t>(last + 1);
  Storage storage = StorageImpl::wrap(
      static_cast<char*>(t.data) + t.byte_offset, count * element_size(dtype), host_device(),
      [owner = owner_of(managed)](void*) { drop_reference(owner); });
  return Tensor(
      make_intrusive<TensorImpl>(std::move(storage), dtype, host_device(), sizes, strides));
}

// Tensors cannot be read-only, so that one is taken as it is, as NumPy's arrays are: with a
// warning.
void check_header(const DLManagedTensor*) {}
void check_header(const ManagedTensorVersioned* managed) {
  OW_CHECK(managed->major == 1, "from_dlpack(): DLPack ", int64_t{managed->major}, ".",
           int64_t{managed->minor}, " is not supported; 0.8 and 1 are");
  if ((managed->flags & kReadOnly) == 0) return;
  check(PyErr_WarnEx(PyExc_UserWarning,
                     "from_dlpack(): the memory is read-only, and tensors cannot be: writing to "
                     "the tensor is undefined behaviour. Use copy=True if it is to be written to.",
                     1));
}

template <class Managed>
Tensor consume(PyObject* capsule) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, kName<Managed>));
  check_header(managed);
  Tensor tensor = import_tensor(managed);
  check(PyCapsule_SetName(capsule, kUsedName<Managed>));
  return tensor;
}

void describe(const Tensor& tensor, DLTensor& t, DimVector& sizes, DimVector& strides) {
  sizes = DimVector(tensor.sizes());
  strides = DimVector(tensor.strides());
  t.data = tensor.raw_data();
  t.device = {kDLCPU, 0};
  t.ndim = static_cast<int>(tensor.dim());
  t.dtype = dlpack_type(tensor.dtype());
  t.shape = sizes.data();
  t.strides = strides.data();
}

template <class Managed>
PyObject* make_capsule(const Tensor& tensor, ExportFlags flags) {
  auto data = std::make_unique<Export<Managed>>();
  data->storage = tensor.storage();
  describe(tensor, data->managed.dl_tensor, data->sizes, data->strides);
  if constexpr (std::same_as<Managed, ManagedTensorVersioned>) {
    data->managed.major = 1;
    data->managed.flags = (flags.read_only ? kReadOnly : 0) | (flags.copied ? kCopied : 0);
  }
  data->managed.manager_ctx = data.get();
  data->managed.deleter = [](Managed* managed) {
    delete static_cast<Export<Managed>*>(managed->manager_ctx);
  };
  PyObject* capsule =
      check(PyCapsule_New(&data->managed, kName<Managed>, destroy_capsule<Managed>));
  data.release();  // the capsule's
  return capsule;
}

}  // namespace

PyObject* to_dlpack(const Tensor& tensor, ExportFlags flags) {
  check_has_values(tensor);
  check_not_followed(tensor, "__dlpack__()");
  OW_CHECK(tensor.in_host_memory(), "__dlpack__(): tensors on ", to_string(tensor.device()),
           " cannot be exported");
  return flags.versioned ? make_capsule<ManagedTensorVersioned>(tensor, flags)
                         : make_capsule<DLManagedTensor>(tensor, flags);
}

Tensor from_dlpack(PyObject* object) {
  PyPtr capsule = PyPtr::borrow(object);
  if (!PyCapsule_CheckExact(object) && PyObject_HasAttrString(object, "__dlpack__") != 0)
    capsule = PyPtr::steal(check(interpreted(PyObject_CallMethod, object, "__dlpack__", nullptr)));
  if (PyCapsule_IsValid(capsule.get(), kName<ManagedTensorVersioned>) != 0)
    return consume<ManagedTensorVersioned>(capsule.get());
  OW_CHECK(PyCapsule_IsValid(capsule.get(), kName<DLManagedTensor>) != 0,
           "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed "
           "only once, so you might have already constructed a tensor from it once.");
  return consume<DLManagedTensor>(capsule.get());
}

}  // namespace opweave::python
