// What stands between the brackets of t[...].
#include "bindings/python/core/tensor/index_parser.h"

#include <algorithm>

#include "bindings/python/core/autograd/host_values.h"
#include "bindings/python/core/interop/exchange.h"
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/py_ptr.h"
#include "bindings/python/core/tensor/construct.h"
#include "bindings/python/core/tensor/to.h"
#include "runtime/autograd/view.h"
#include "runtime/batching/batched_tensor.h"
#include "runtime/dispatch/observer.h"

namespace opweave::python {
namespace {

bool is_mask(const Tensor& t) { return t.dtype() == kBool || t.dtype() == kByte; }
bool is_sequence(PyObject* o) {
  return PySequence_Check(o) && !PyUnicode_Check(o) && !PyBytes_Check(o);
}

// Lists, ranges and arrays as index tensors: masks stay bool, everything else counts.
Tensor index_tensor(PyObject* object) {
  if (dtype_of_array(object)) return tensor_from_array(object).value();
  const Tensor data = tensor_from_data(object, {});
  if (data.dtype() == kBool || data.dtype() == kByte || data.dtype() == kLong) return data;
  return tensor_from_data(object, kLong);
}

// How many dimensions of the tensor an item stands for.
int64_t dims_of(PyObject* item) {
  if (PyLong_CheckExact(item) || PySlice_Check(item)) return 1;
  if (item == Py_None || item == Py_Ellipsis || is_bool(item)) return 0;
  if (is_tensor(item)) return is_mask(tensor_of(item)) ? tensor_of(item).dim() : 1;
  return 1;
}

// The items with tensors in the place of sequences and arrays.
class ConvertedItems {
 public:
  explicit ConvertedItems(std::span<PyObject* const> items) : items_(items) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (!is_tensor(items[i]) && is_sequence(items[i])) convert(i);
    }
  }
  std::span<PyObject* const> items() const { return items_; }

 private:
  void convert(size_t i) {
    if (copy_.empty()) {
      copy_.assign(items_.begin(), items_.end());
      items_ = copy_;
    }
    owned_.push_back(PyPtr::steal(wrap(index_tensor(copy_[i]))));
    copy_[i] = owned_.back().get();
  }
  std::span<PyObject* const> items_;
  std::vector<PyObject*> copy_;
  std::vector<PyPtr> owned_;
};

[[noreturn]] void fail_kind(PyObject* item) {
  OW_CHECK_TYPE(!PyUnicode_Check(item) && !PyBytes_Check(item), "new(): invalid data type '",
                type_name(item), "'");
  OW_THROW(ErrorKind::kIndex,
           "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
           "valid indices (got ",
           type_name(item), ")");
}

}  // namespace

bool views_are_plain(const Tensor& t) {
  const ThreadState& state = thread_state();
  const DispatchKeySet keys = (t.key_set() | state.included) - state.excluded;
  const DispatchKeySet plain = DispatchKeySet::backends() | DispatchKey::kADInplaceOrView;
  return (keys - plain - DispatchKey::kGlobalObserver).empty() && !observed_by_all();
}

Tensor tracked_view(const Tensor& base, IntList sizes, IntList strides, int64_t offset) {
  Tensor view = make_alias(base, sizes, strides, offset);
  const DispatchKeySet tracking = base.key_set() - thread_state().excluded;
  if (tracking.has(DispatchKey::kADInplaceOrView)) as_view(base, view);
  return view;
}

// Under vmap a number that differs between the examples is an index tensor without dimensions: all
// examples have the same view's geometry, but not its offset. Beside tensors with dimensions, the
// place of theirs in the result could differ from that of one example, where the number is none of
// them, so that is refused.
bool is_number_per_example(const Tensor& t) {
  return t.dim() == 0 && is_batched(t) && is_integral(t.dtype(), /*include_bool=*/false);
}
void check_numbers_per_example(std::span<const Tensor> indices) {
  const auto has_dims = [](const Tensor& t) { return t.defined() && t.dim() > 0; };
  if (std::none_of(indices.begin(), indices.end(), has_dims)) return;
  for (const Tensor& index : indices) {
    if (index.defined() && is_number_per_example(index)) check_has_values(index);
  }
}

template <class View>
void IndexParser<View>::parse(std::span<PyObject* const> given) {
  const ConvertedItems converted(given);
  const std::span<PyObject* const> items = converted.items();
  for (PyObject* item : items) specified_ += dims_of(item);
  OW_CHECK_INDEX(specified_ <= ndim_ || (ndim_ == 0 && items.size() == 1),
                 "too many indices for tensor of dimension ", ndim_);
  bool ellipsis_done = false;
  for (PyObject* item : items) {
    if (item != Py_Ellipsis) {
      apply(item);
    } else if (!ellipsis_done) {
      dim_ += ndim_ - specified_;
      used_ += ndim_ - specified_;
      ellipsis_done = true;
    }
  }
  check_numbers_per_example(indices_);
}

template <class View>
void IndexParser<View>::apply(PyObject* item) {
  if (PyLong_CheckExact(item)) {
    apply_int(to_int64(item));
  } else if (PySlice_Check(item)) {
    apply_slice(item);
  } else if (item == Py_None) {
    apply_new_axis();
  } else if (is_bool(item)) {
    apply_bool(to_bool(item));
  } else if (is_tensor(item)) {
    apply_tensor(tensor_of(item));
  } else if (is_int(item)) {
    apply_int(to_int64(item));
  } else {
    fail_kind(item);
  }
}

template <class View>
void IndexParser<View>::apply_int(int64_t index) {
  OW_CHECK_INDEX(ndim_ > 0,
                 "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                 "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
  const int64_t size = view_.size(dim_);
  OW_CHECK_INDEX(index >= -size && index < size, "index ", index,
                 " is out of bounds for dimension ", used_, " with size ", size);
  view_.select(dim_, index < 0 ? index + size : index);
  ++used_;
}

template <class View>
void IndexParser<View>::apply_slice(PyObject* slice) {
  Py_ssize_t start, stop, step;
  check(PySlice_Unpack(slice, &start, &stop, &step));
  OW_CHECK_VALUE(step > 0, "step must be greater than zero");
  OW_CHECK_INDEX(ndim_ > 0, "slice() cannot be applied to a 0-dim tensor.");
  const int64_t size = view_.size(dim_);
  PySlice_AdjustIndices(size, &start, &stop, step);
  stop = std::max(start, stop);
  if (start != 0 || stop != size || step != 1) view_.slice(dim_, start, stop, step);
  ++dim_;
  ++used_;
}

template <class View>
void IndexParser<View>::apply_new_axis() {
  view_.unsqueeze(dim_++);
}

// A bool adds a dimension of size one, and keeps it or makes it empty.
template <class View>
void IndexParser<View>::apply_bool(bool value) {
  view_.unsqueeze(dim_);
  Tensor index = make_tensor({value ? 1 : 0}, kLong, host_device());
  if (value) *index.data<int64_t>() = 0;
  record(std::move(index), 1);
}

template <class View>
void IndexParser<View>::apply_tensor(const Tensor& tensor) {
  if (is_number_per_example(tensor)) {
    record(convert(tensor, {.dtype = kLong}), 1);
    ++used_;
  } else if (tensor.dim() > 0) {
    const int64_t dims = is_mask(tensor) ? tensor.dim() : 1;
    record(tensor, dims);
    used_ += dims;
  } else if (is_mask(tensor)) {
    apply_bool(item(tensor).to_bool());
  } else if (is_integral(tensor.dtype(), /*include_bool=*/false)) {
    apply_int(item(tensor).to_long());
  } else {
    record(tensor, 1);  // the operator says what is wrong with it
    ++used_;
  }
}

template <class View>
void IndexParser<View>::record(Tensor index, int64_t dims) {
  indices_.resize(static_cast<size_t>(dim_ - masked_));
  indices_.push_back(std::move(index));
  dim_ += dims;
  masked_ += dims - 1;
}

template class IndexParser<GeometryView>;
template class IndexParser<OperatorView>;

}  // namespace opweave::python
