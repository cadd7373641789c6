// TensorImpl: what a Tensor points to. Geometry over a shared storage, element type, dispatch keys,
// and slots for autograd and for the Python object.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/core/base/ref_counted.h"
#include "runtime/core/devices/free_list.h"
#include "runtime/core/numbers/scalar_type.h"
#include "runtime/core/tensor/layout.h"
#include "runtime/core/tensor/sizes_and_strides.h"
#include "runtime/core/tensor/storage.h"
#include "runtime/core/threads/dispatch_key_set.h"
#include "runtime/core/threads/thread_state.h"

namespace opweave {

class TensorImpl;

// What autograd keeps beside a tensor when the fields in TensorImpl do not suffice: the gradient,
// hooks, the accumulator. Defined in runtime/autograd; made when first needed.
struct AutogradMetaBase {
  virtual ~AutogradMetaBase() = default;
};

// What a functionality keeps beside a tensor of its own kind, which has no memory (see
// runtime/batching). The dispatch key of the functionality says which one it is.
struct TensorExtension {
  virtual ~TensorExtension() = default;
  // "vmap: a batched tensor": of an error that somebody wants its memory.
  virtual std::string_view what() const = 0;
};

class Companion;

// How the Python layer keeps the object of a tensor alive; installed by the extension.
struct PyObjectHooks {
  // The last reference to a tensor that owns its Python object has gone. Drops the object and
  // returns true; or returns false after keep_last_reference(): the tensor lives on, because Python
  // has taken the object up again, or for the time being.
  bool (*release)(TensorImpl& impl) = nullptr;
};
extern PyObjectHooks pyobject_hooks;

// How a view came about, which decides whether it may be changed in place (see autograd/view.h).
enum class CreationMeta : uint8_t {
  kDefault,
  kNoGradMode,
  kMultiOutputView,
  kInferenceMode,
  kCustomFunction
};

class TensorImpl final : public RefCounted, public Recycled<TensorImpl> {
 public:
  TensorImpl(Storage storage, ScalarType dtype, Device device, IntList sizes, IntList strides,
             int64_t storage_offset = 0);
  // Contiguous.
  TensorImpl(Storage storage, ScalarType dtype, Device device, IntList sizes);
  using RefCounted::keep_last_reference;

  IntList sizes() const { return geometry_.sizes(); }
  IntList strides() const { return geometry_.strides(); }
  int64_t dim() const { return static_cast<int64_t>(geometry_.ndim()); }
  int64_t numel() const { return numel_; }
  int64_t storage_offset() const { return storage_offset_; }
  ScalarType dtype() const { return dtype_; }
  Device device() const { return device_; }
  Layout layout() const { return layout_; }
  DispatchKeySet key_set() const { return key_set_; }
  const Storage& storage() const { return storage_; }
  // The first element; null for a tensor without data.
  void* data() const {
    return static_cast<char*>(storage_->data()) + storage_offset_ * element_size(dtype_);
  }

  bool is_contiguous() const { return contiguous_; }
  bool is_contiguous(MemoryFormat format) const;
  bool is_non_overlapping_and_dense() const { return contiguous_ || non_overlapping_and_dense(); }
  // A Python number in disguise: takes part in type promotion like one.
  bool is_wrapped_number() const { return wrapped_number_; }
  void set_wrapped_number(bool value) { wrapped_number_ = value; }
  bool is_inference() const { return inference_; }
  // A view is an inference tensor exactly when what it is a view of is one.
  void set_inference(bool value) {
    inference_ = value;
    key_set_ =
        value ? key_set_ - DispatchKey::kADInplaceOrView : key_set_ | DispatchKey::kADInplaceOrView;
  }

  // Changes geometry in place (resize_, squeeze_, set_data). Does not look at the storage's size.
  void set_geometry(IntList sizes, IntList strides, int64_t storage_offset);
  // Takes over another tensor's storage, geometry, dtype and device, but not its autograd state.
  void set_data_from(const TensorImpl& other);

  VersionCounter& version() const { return own_version_ ? *own_version_ : storage_->version(); }
  // Gives this tensor a version of its own, apart from its storage's (`.data`); its views share it.
  void detach_version() { own_version_ = std::make_shared<VersionCounter>(); }
  void share_version(const TensorImpl& base) {
    if (base.own_version_) own_version_ = base.own_version_;
  }

  // --- autograd ---------------------------------------------------------------------------------
  // A view does as soon as its base does, even one that was made while nothing was recorded.
  bool requires_grad() const {
    return requires_grad_ || grad_fn_ || (view_base_ && view_base_->requires_grad());
  }
  bool is_leaf() const { return !grad_fn_ && !is_stale_view(); }
  // The base has been written to since grad_fn was set: grad_fn has to be made anew.
  bool is_stale_view() const {
    return view_base_ && view_base_->requires_grad() && view_version_ != version().current();
  }
  // Sets the flag of a leaf, and the dispatch key with it.
  void set_requires_grad_flag(bool value) {
    requires_grad_ = value;
    update_autograd_key();
  }
  const intrusive_ptr<RefCounted>& grad_fn_slot() const { return grad_fn_; }  // a Node
  uint32_t output_nr() const { return output_nr_; }
  void set_grad_fn(intrusive_ptr<RefCounted> fn, uint32_t output_nr) {
    grad_fn_ = std::move(fn);
    output_nr_ = output_nr;
    update_autograd_key();
  }
  std::unique_ptr<AutogradMetaBase>& autograd_meta() { return autograd_meta_; }

  // The tensor this one is a view of, never itself a view; null when it is none.
  TensorImpl* view_base() const { return view_base_.get(); }
  CreationMeta creation_meta() const { return creation_meta_; }
  void set_creation_meta(CreationMeta meta) { creation_meta_ = meta; }
  // The storage version at which grad_fn was last brought up to date with the base.
  void set_view_version(uint32_t version) { view_version_ = version; }
  void set_view_base(intrusive_ptr<TensorImpl> base, CreationMeta meta) {
    view_base_ = std::move(base);
    creation_meta_ = meta;
    view_version_ = version().current();
    update_autograd_key();
  }

  // --- functionalities --------------------------------------------------------------------------
  const TensorExtension* extension() const { return extension_.get(); }
  void set_extension(DispatchKey key, std::unique_ptr<TensorExtension> extension) {
    extension_ = std::move(extension);
    key_set_ = key_set_ | key;
  }

  // Null for most. Shared with what backward nodes save of this tensor: companion.h.
  const std::shared_ptr<Companion>& companion() const { return companion_; }
  void set_companion(std::shared_ptr<Companion> companion) { companion_ = std::move(companion); }
  void set_keys(DispatchKeySet keys, bool present) {
    key_set_ = present ? key_set_ | keys : key_set_ - keys;
  }

  // --- Python -----------------------------------------------------------------------------------
  // The Python object of this tensor, if it has one. `owns_pyobject` says that the tensor keeps it
  // alive, not the other way round.
  void* pyobject() const { return pyobject_; }
  bool owns_pyobject() const { return owns_pyobject_; }
  void set_pyobject(void* object, bool owns) {
    pyobject_ = object;
    owns_pyobject_ = owns;
  }

 protected:
  void destroy() override {
    if (owns_pyobject_ && !pyobject_hooks.release(*this)) return;
    RefCounted::destroy();
  }

 private:
  void init();
  // What its device and its dtype say.
  DispatchKeySet own_keys() const {
    const DispatchKeySet backend = backend_key(device_.type);
    return is_complex(dtype_) ? backend | DispatchKey::kComplex : backend;
  }
  void refresh_contiguous();
  bool non_overlapping_and_dense() const;
  // Views are always looked at by autograd: a write to the base may give them a history.
  void update_autograd_key() {
    const bool visible = requires_grad_ || grad_fn_ || view_base_;
    key_set_ = visible ? key_set_ | DispatchKey::kAutograd : key_set_ - DispatchKey::kAutograd;
  }

  Storage storage_;
  DispatchKeySet key_set_;
  int64_t numel_ = 0;
  int64_t storage_offset_ = 0;
  ScalarType dtype_;
  Device device_;
  Layout layout_ = Layout::kStrided;
  bool contiguous_ = true;
  bool wrapped_number_ = false;
  bool inference_ = false;
  bool requires_grad_ = false;
  bool owns_pyobject_ = false;
  CreationMeta creation_meta_ = CreationMeta::kDefault;
  uint32_t output_nr_ = 0;
  uint32_t view_version_ = 0;
  intrusive_ptr<RefCounted> grad_fn_;
  intrusive_ptr<TensorImpl> view_base_;
  std::unique_ptr<AutogradMetaBase> autograd_meta_;
  std::shared_ptr<VersionCounter> own_version_;
  std::unique_ptr<TensorExtension> extension_;
  std::shared_ptr<Companion> companion_;
  void* pyobject_ = nullptr;
  SizesAndStrides geometry_;
};

// The number of elements; throws when the product overflows or a size is negative.
int64_t checked_numel(IntList sizes);

}  // namespace opweave
