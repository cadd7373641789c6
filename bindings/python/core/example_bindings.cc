// Example of what the generator prints, by hand: add (tensors or numbers, in-place, out=), sum
// (three overloads) and split (a list result). Not part of the build.
#include "bindings/python/core/binding.h"
#include "opweave/ops/add.h"
#include "opweave/ops/max.h"
#include "opweave/ops/split.h"
#include "opweave/ops/sum.h"
#include "opweave/ops/zeros.h"

namespace opweave::generated {
namespace {

using namespace opweave::python;  // NOLINT: the whole vocabulary of a shard

// --- add ----------------------------------------------------------------------------------------
constexpr Param add_Tensor_params[] = {
    {"input", Kind::kTensorOrNumber},
    {"other", Kind::kTensorOrNumber},
    {"alpha", Kind::kScalar, kOptional | kKeyword, 0, "1"},
    {"out", Kind::kTensor, kOptional | kNone | kKeyword | kOut, 0, "None"},
};
constexpr Overload add_overloads[] = {{add_Tensor_params}};
constexpr Function add_function{"add", add_overloads};

PyObject* add(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  // Printed where the required parameters of the first overload are all tensors.
  if (const Tensor * t[2]; only_tensors(self, args, nargs, kwnames, t)) [[likely]] {
    return wrap(run<ops::add_Tensor>(*t[0], *t[1], 1));
  }
  const Arguments a(add_function, self, args, nargs, kwnames);
  const TensorArg input = a.tensor_or_number(0);
  const TensorArg other = a.tensor_or_number(1);
  const Scalar alpha = a.scalar(2, 1);
  if (a.given(3)) {
    run<ops::add_out>(input, other, alpha, a.tensor(3));
    return a.same(3);
  }
  return wrap(run<ops::add_Tensor>(input, other, alpha));
} catch (...) {
  return set_python_error();
}

constexpr Param add__Tensor_params[] = {
    {"input", Kind::kTensor},
    {"other", Kind::kTensorOrNumber},
    {"alpha", Kind::kScalar, kOptional | kKeyword, 0, "1"},
};
constexpr Overload add__overloads[] = {{.params = add__Tensor_params, .function = false}};
constexpr Function add__function{"add_", add__overloads};

PyObject* add_(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  const Arguments a(add__function, self, args, nargs, kwnames);
  Tensor& input = a.tensor(0);
  const TensorArg other = a.tensor_or_number(1);
  const Scalar alpha = a.scalar(2, 1);
  run<ops::add__Tensor>(input, other, alpha);
  return a.same(0);
} catch (...) {
  return set_python_error();
}

// --- sum: sum(Tensor), sum.dim_IntList, with out=; dtype=None everywhere ------------------------
constexpr Param sum_params[] = {
    {"input", Kind::kTensor},
    {"dtype", Kind::kDtype, kOptional | kNone | kKeyword, 0, "None"},
};
constexpr Param sum_dim_IntList_params[] = {
    {"input", Kind::kTensor},
    {"dim", Kind::kIntList, kNone, 1},
    {"keepdim", Kind::kBool, kOptional, 0, "False"},
    {"dtype", Kind::kDtype, kOptional | kNone | kKeyword, 0, "None"},
    {"out", Kind::kTensor, kOptional | kNone | kKeyword | kOut, 0, "None"},
};
constexpr Overload sum_overloads[] = {{sum_params}, {sum_dim_IntList_params}};
constexpr Function sum_function{"sum", sum_overloads};

PyObject* sum(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  if (const Tensor * t[1]; only_tensors(self, args, nargs, kwnames, t)) [[likely]] {
    return wrap(run<ops::sum>(*t[0], std::nullopt));
  }
  const Arguments a(sum_function, self, args, nargs, kwnames);
  switch (a.overload()) {
    case 0: {
      const Tensor& input = a.tensor(0);
      const std::optional<ScalarType> dtype = a.dtype(1);
      return wrap(run<ops::sum>(input, dtype));
    }
    default: {
      const Tensor& input = a.tensor(0);
      const IntListArg dim = a.optional_int_list(1);
      const bool keepdim = a.boolean(2, false);
      const std::optional<ScalarType> dtype = a.dtype(3);
      if (a.given(4)) {
        run<ops::sum_IntList_out>(input, dim, keepdim, dtype, a.tensor(4));
        return a.same(4);
      }
      return wrap(run<ops::sum_dim_IntList>(input, dim, keepdim, dtype));
    }
  }
} catch (...) {
  return set_python_error();
}

// --- split: views, so the lock is kept; Tensor[] becomes a tuple --------------------------------
constexpr Param split_Tensor_params[] = {
    {"input", Kind::kTensor},
    {"split_size", Kind::kInt},
    {"dim", Kind::kInt, kOptional, 0, "0"},
};
constexpr Param split_sizes_params[] = {
    {"input", Kind::kTensor},
    {"split_size", Kind::kIntList},
    {"dim", Kind::kInt, kOptional, 0, "0"},
};
constexpr Overload split_overloads[] = {{split_Tensor_params}, {split_sizes_params}};
constexpr Function split_function{"split", split_overloads};

PyObject* split(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  const Arguments a(split_function, self, args, nargs, kwnames);
  switch (a.overload()) {
    case 0: {
      const Tensor& input = a.tensor(0);
      const int64_t split_size = a.integer(1);
      const int64_t dim = a.integer(2, 0);
      return wrap(run_view<ops::split_Tensor>(input, split_size, dim));
    }
    default: {
      const Tensor& input = a.tensor(0);
      const IntListArg split_size = a.int_list(1);
      const int64_t dim = a.integer(2, 0);
      return wrap(run_view<ops::split_sizes>(input, split_size, dim));
    }
  }
} catch (...) {
  return set_python_error();
}

// --- max.dim: named results, out= with several tensors ------------------------------------------
constexpr Param max_dim_params[] = {
    {"input", Kind::kTensor},
    {"dim", Kind::kInt},
    {"keepdim", Kind::kBool, kOptional, 0, "False"},
    {"out", Kind::kTensorList, kOptional | kNone | kKeyword | kOut, 2, "None"},
};
constexpr Overload max_overloads[] = {{max_dim_params}};
constexpr Function max_function{"max", max_overloads};
constinit ResultType max_result{"max", {"values", "indices"}};

PyObject* max(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  const Arguments a(max_function, self, args, nargs, kwnames);
  const Tensor& input = a.tensor(0);
  const int64_t dim = a.integer(1);
  const bool keepdim = a.boolean(2, false);
  if (a.given(3)) {
    TensorListArg out = a.tensor_list(3);
    run<ops::max_dim_out>(input, dim, keepdim, out.values[0], out.values[1]);
    return wrap(std::tuple(out.values[0], out.values[1]), max_result);
  }
  return wrap(run<ops::max_dim>(input, dim, keepdim), max_result);
} catch (...) {
  return set_python_error();
}

// --- zeros: a creation operator, function only, with requires_grad ------------------------------
constexpr Param zeros_params[] = {
    {"size", Kind::kIntList},  // zeros(2, 3) too, as it is the only positional parameter
    {"out", Kind::kTensor, kOptional | kNone | kKeyword | kOut, 0, "None"},
    {"dtype", Kind::kDtype, kOptional | kNone | kKeyword, 0, "None"},
    {"layout", Kind::kLayout, kOptional | kNone | kKeyword, 0, "None"},
    {"device", Kind::kDevice, kOptional | kNone | kKeyword, 0, "None"},
    {"pin_memory", Kind::kBool, kOptional | kNone | kKeyword, 0, "None"},
    {"requires_grad", Kind::kBool, kOptional | kKeyword, 0, "False"},
};
constexpr Overload zeros_overloads[] = {{.params = zeros_params, .method = false}};
constexpr Function zeros_function{"zeros", zeros_overloads};

PyObject* zeros(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) try {
  const Arguments a(zeros_function, self, args, nargs, kwnames);
  const IntListArg size = a.int_list(0);
  if (a.given(1)) {
    run<ops::zeros_out>(size, a.tensor(1));
    return a.same(1);
  }
  const std::optional<ScalarType> dtype = a.dtype(2);
  const std::optional<Layout> layout = a.layout(3);
  const std::optional<Device> device = a.device(4);
  const std::optional<bool> pin_memory = a.optional_boolean(5);
  return wrap_created(run<ops::zeros>(size, dtype, layout, device, pin_memory),
                      a.boolean(6, false));
} catch (...) {
  return set_python_error();
}

PyMethodDef functions[] = {
    entry("add", add, "add(input, other, *, alpha=1, out=None)\n--\n\nAdds other to input."),
    entry("sum", sum, nullptr),  // several overloads: no one signature; the doc lists them
    entry("split", split, nullptr),
    entry("max", max, nullptr),
    entry("zeros", zeros, nullptr),
    {},
};
PyMethodDef methods[] = {
    entry("add", add, "add($self, other, *, alpha=1)\n--\n\nAdds other to the tensor."),
    entry("add_", add_, "add_($self, other, *, alpha=1)\n--\n\nAdds other in place."),
    entry("sum", sum, nullptr),
    entry("split", split, nullptr),
    entry("max", max, nullptr),
    {},
};

}  // namespace

void register_python_shard_0(python::BindingSink& sink) {
  sink.functions("", functions);
  sink.methods(methods);
}

}  // namespace opweave::generated
