// t[...] and t[...] = value.
#include "bindings/python/core/objects/convert.h"
#include "bindings/python/core/objects/gil.h"
#include "bindings/python/core/objects/sequence_items.h"
#include "bindings/python/core/overrides/overrides.h"
#include "bindings/python/core/tensor/index_parser.h"
#include "bindings/python/core/tensor/tensor_type.h"
#include "bindings/python/core/tensor/to.h"

namespace opweave::python {
namespace {

// Items are listed by a tuple, and by a list that could not be an index tensor of its own.
constexpr Py_ssize_t kMaxListItems = 32;

bool lists_items(PyObject* list) {
  const Py_ssize_t n = PyList_GET_SIZE(list);
  if (n >= kMaxListItems) return false;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = PyList_GET_ITEM(list, i);
    if (item == Py_None || item == Py_Ellipsis || PySlice_Check(item) || is_tensor(item))
      return true;
    if (PySequence_Check(item) && !PyUnicode_Check(item)) return true;
  }
  return false;
}

// Between the brackets, whatever an item's `__index__` does to a list that was written there.
class Items {
 public:
  explicit Items(PyObject* const& index) : items_(&index, 1) {
    const bool list = PyList_Check(index) && lists_items(index);
    if (!PyTuple_Check(index) && !list) return;
    if (list) owner_ = as_tuple(index);
    PyObject* items = list ? owner_.get() : index;
    items_ = {PySequence_Fast_ITEMS(items), static_cast<size_t>(PyTuple_GET_SIZE(items))};
  }
  operator std::span<PyObject* const>() const { return items_; }  // NOLINT

 private:
  PyPtr owner_;
  std::span<PyObject* const> items_;
};

template <class View>
Tensor get(const Tensor& t, PyObject* const& index) {
  IndexParser<View> parser(t);
  parser.parse(Items(index));
  const Tensor view = parser.view().finish();
  if (!parser.has_tensors()) return view;
  if (view.numel() < kReleaseGilFrom) return operators::index(view, parser.indices());
  const ReleaseGil unlocked;
  return operators::index(view, parser.indices());
}

// t[i], the most frequent of all.
Tensor get_row(const Tensor& t, PyObject* index) {
  const int64_t size = t.sizes()[0];
  int64_t i = to_int64(index);
  OW_CHECK_INDEX(i >= -size && i < size, "index ", i,
                 " is out of bounds for dimension 0 with size ", size);
  if (i < 0) i += size;
  const IntList strides = t.strides();
  return tracked_view(t, t.sizes().subspan(1), strides.subspan(1),
                      t.storage_offset() + i * strides[0]);
}

Tensor get_item(const Tensor& t, PyObject* index) {
  if (!views_are_plain(t)) return get<OperatorView>(t, index);
  if (PyLong_CheckExact(index) && t.dim() > 0) return get_row(t, index);
  return get<GeometryView>(t, index);
}

// Without its leading dimensions of size one, which assignment ignores.
Tensor drop_leading_ones(const Tensor& value, int64_t keep) {
  const IntList sizes = value.sizes();
  Tensor result = value;
  for (size_t i = 0; i + static_cast<size_t>(keep) < sizes.size() && sizes[i] == 1; ++i) {
    result = operators::select(result, 0, 0);
  }
  return result;
}

void check_expands(IntList from, IntList to) {
  for (size_t i = 0; i < from.size(); ++i) {
    const int64_t have = from[from.size() - 1 - i];
    const bool fits = i < to.size() && (have == 1 || have == to[to.size() - 1 - i]);
    if (fits) continue;
    OW_CHECK(i < to.size(), "expand(", from, ", size=", to, "): the number of sizes provided (",
             to.size(), ") must be greater or equal to the number of dimensions in the tensor (",
             from.size(), ")");
    OW_THROW(ErrorKind::kRuntime, "The expanded size of the tensor (", to[to.size() - 1 - i],
             ") must match the existing size (", have, ") at non-singleton dimension ",
             to.size() - 1 - i, ".  Target sizes: ", to, ".  Tensor sizes: ", from);
  }
}

void copy_into(Tensor view, const Tensor& value) {
  Tensor source = value;
  if (!same_sizes(view.sizes(), value.sizes())) {
    source = drop_leading_ones(value, view.dim());
    check_expands(source.sizes(), view.sizes());
  }
  if (view.numel() < kReleaseGilFrom) {
    operators::copy_(view, source, /*non_blocking=*/false);
    return;
  }
  const ReleaseGil unlocked;
  operators::copy_(view, source, /*non_blocking=*/false);
}

// A number as a tensor of the dtype of what it is assigned to.
Tensor number_tensor(const Tensor& like, const Scalar& value) {
  Tensor number = make_tensor({}, like.dtype(), like.device());
  operators::fill_(number, value);
  return number;
}

// Whether nothing but a mask chooses; other dimensions stay whole.
template <class Indices>
bool is_one_mask(const Indices& indices) {
  const Tensor* chosen = nullptr;
  for (const Tensor& index : indices) {
    if (!index.defined()) continue;
    if (chosen != nullptr || index.dtype() != kBool) return false;
    chosen = &index;
  }
  return chosen != nullptr;
}

template <class View>
void set(const Tensor& t, PyObject* const& index, PyObject* value) {
  IndexParser<View> parser(t);
  parser.parse(Items(index));
  Tensor view = parser.view().finish();
  const bool is_number = !is_tensor(value);
  if (parser.has_tensors()) {
    Tensor values =
        is_number ? number_tensor(view, to_scalar(value)) : drop_leading_ones(tensor_of(value), 0);
    // One value for all that a mask chooses is converted, as masked_fill_ does, and so are those of
    // tensor[True], which chooses all.
    if ((values.numel() == 1 && is_one_mask(parser.indices())) || index == Py_True) {
      values = convert(values, {.dtype = view.dtype()});
    }
    const ReleaseGil unlocked;
    operators::index_put_(view, parser.indices(), values, /*accumulate=*/false);
  } else if (is_number) {
    const Scalar number = to_scalar(value);
    operators::fill_(view, number);
  } else {
    copy_into(view, tensor_of(value));
  }
}

}  // namespace

PyObject* tensor_getitem(PyObject* self, PyObject* index) try {
  if (override_count > 0 && is_overridden(self)) [[unlikely]]
    return ask_method("__getitem__", {self, index});
  return wrap(get_item(tensor_of(self), index));
} catch (...) {
  return set_python_error("__getitem__");
}

int tensor_setitem(PyObject* self, PyObject* index, PyObject* value) try {
  OW_CHECK_TYPE(value != nullptr, "Tensor does not support deleting items");
  if (override_count > 0 && (is_overridden(self) || is_overridden(value))) [[unlikely]] {
    PyPtr::steal(ask_method("__setitem__", {self, index, value}));
    return 0;
  }
  const Tensor& t = tensor_of(self);
  OW_CHECK_TYPE(is_tensor(value) || is_plain_number(value), "can't assign a ", type_name(value),
                " to an opweave.", scalar_type_name(t.dtype()), "Tensor");
  if (views_are_plain(t)) {
    set<GeometryView>(t, index, value);
  } else {
    set<OperatorView>(t, index, value);
  }
  return 0;
} catch (...) {
  return set_python_error_int("__setitem__");
}

}  // namespace opweave::python
