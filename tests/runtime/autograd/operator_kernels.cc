// Reference kernels of the handwritten operators: element by element, in double.
#include <cmath>
#include <functional>

#include "tests/runtime/autograd/operator_entries.h"
#include "tests/runtime/autograd/operators.h"

namespace opweave::test {
namespace {

// A bool by its byte: what is about to be filled may hold anything.
double load(const Tensor& t, int64_t offset) {
  return t.dtype() == kDouble  ? t.data<double>()[offset]
         : t.dtype() == kFloat ? t.data<float>()[offset]
                               : static_cast<const uint8_t*>(t.raw_data())[offset] != 0;
}
void store(const Tensor& t, int64_t offset, double value) {
  if (t.dtype() == kDouble) {
    t.data<double>()[offset] = value;
  } else if (t.dtype() == kFloat) {
    t.data<float>()[offset] = static_cast<float>(value);
  } else {
    t.data<bool>()[offset] = value != 0;
  }
}

// Offset of the element of `t`, broadcast to `sizes`, at row-major position n.
int64_t offset_of(const Tensor& t, IntList sizes, int64_t n) {
  int64_t offset = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t d = sizes.size() - 1 - i;
    const int64_t index = n % sizes[d];
    n /= sizes[d];
    if (i >= static_cast<size_t>(t.dim())) continue;
    const size_t own = static_cast<size_t>(t.dim()) - 1 - i;
    if (t.sizes()[own] != 1) offset += index * t.strides()[own];
  }
  return offset;
}

DimVector broadcast(IntList a, IntList b) {
  if (a.size() < b.size()) std::swap(a, b);
  DimVector sizes(a);
  for (size_t i = 1; i <= b.size(); ++i) {
    int64_t& size = sizes[sizes.size() - i];
    if (size == 1) size = b[b.size() - i];
  }
  return sizes;
}

template <class F>
void write(const Tensor& out, const Tensor& a, const Tensor& b, F f) {
  for (int64_t n = 0; n < out.numel(); ++n) {
    store(out, offset_of(out, out.sizes(), n),
          f(load(a, offset_of(a, out.sizes(), n)), load(b, offset_of(b, out.sizes(), n))));
  }
}
template <class F>
Tensor binary(const Tensor& a, const Tensor& b, F f) {
  Tensor out =
      make_tensor(broadcast(a.sizes(), b.sizes()), std::max(a.dtype(), b.dtype()), a.device());
  write(out, a, b, f);
  return out;
}

std::vector<Tensor> unbind_cpu(const Tensor& a) {
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < a.size(0); ++i) {
    parts.push_back(make_alias(a, a.sizes().subspan(1), a.strides().subspan(1),
                               a.storage_offset() + i * a.stride(0)));
  }
  return parts;
}

template <double (*F)(double)>
Tensor map_cpu(const Tensor& a) {
  Tensor out = make_tensor(a.sizes(), a.dtype(), a.device());
  write(out, a, a, [](double x, double) { return F(x); });
  return out;
}
double reciprocal_of(double x) { return 1 / x; }
double nan_flag(double x) { return std::isnan(x); }

Tensor isnan_cpu(const Tensor& a) {
  Tensor out = make_tensor(a.sizes(), kBool, a.device());
  write(out, a, a, [](double x, double) { return nan_flag(x); });
  return out;
}
Tensor sum_cpu(const Tensor& a) {
  Tensor out = make_tensor({}, a.dtype(), a.device());
  double total = 0;
  for (double x : values(a)) total += x;
  store(out, 0, total);
  return out;
}
Tensor expand_cpu(const Tensor& a, IntList sizes) {
  DimVector strides(sizes.size());
  for (size_t i = 1; i <= static_cast<size_t>(a.dim()); ++i) {
    const size_t own = static_cast<size_t>(a.dim()) - i;
    strides[sizes.size() - i] = a.sizes()[own] == 1 ? 0 : a.strides()[own];
  }
  return make_alias(a, sizes, strides, a.storage_offset());
}
Tensor sum_to_size_cpu(const Tensor& a, IntList sizes) {
  Tensor out = make_tensor(sizes, a.dtype(), a.device());
  for (int64_t n = 0; n < out.numel(); ++n) store(out, n, 0);
  for (int64_t n = 0; n < a.numel(); ++n) {
    const int64_t at = offset_of(out, a.sizes(), n);
    store(out, at, load(out, at) + load(a, offset_of(a, a.sizes(), n)));
  }
  return out;
}

Tensor convert_cpu(const Tensor& a, ScalarType dtype, Device device) {
  Tensor copy = make_tensor(a.sizes(), dtype, device);
  copy__op::call(copy, a, /*non_blocking=*/false);
  return copy;
}

}  // namespace

void define_kernels() {
  set_engine_operators({.add = &add_op::call,
                        .add_ = &add__op::call,
                        .copy_ = &copy__op::call,
                        .as_strided = &as_strided_op::call,
                        .sum_to_size = &sum_to_size_op::call,
                        .fill_ = &fill__op::call,
                        .isnan = &isnan_op::call,
                        .any = &any_op::call,
                        .item = &item_op::call,
                        .convert = &convert_cpu});
  add_op::define(
      [](const Tensor& a, const Tensor& b, const Scalar&) { return binary(a, b, std::plus<>()); });
  add__op::define([](Tensor& a, const Tensor& b, const Scalar&) -> Tensor& {
    write(a, a, b, std::plus<>());
    return a;
  });
  mul_op::define(
      [](const Tensor& a, const Tensor& b) { return binary(a, b, std::multiplies<>()); });
  mul__op::define([](Tensor& a, const Tensor& b) -> Tensor& {
    write(a, a, b, std::multiplies<>());
    return a;
  });
  copy__op::define([](Tensor& a, const Tensor& b, bool) -> Tensor& {
    write(a, a, b, [](double, double y) { return y; });
    return a;
  });
  fill__op::define([](Tensor& a, const Scalar& v) -> Tensor& {
    write(a, a, a, [&](double, double) { return v.to_double(); });
    return a;
  });
  exp_op::define(map_cpu<std::exp>);
  exp__op::define([](Tensor& a) -> Tensor& {
    write(a, a, a, [](double x, double) { return std::exp(x); });
    return a;
  });
  log_op::define(map_cpu<std::log>);
  reciprocal_op::define(map_cpu<reciprocal_of>);
  isnan_op::define(isnan_cpu);
  any_op::define([](const Tensor& a) {
    Tensor out = make_tensor({}, kBool, a.device());
    bool found = false;
    for (double x : values(a)) found |= x != 0;
    store(out, 0, found);
    return out;
  });
  item_op::define([](const Tensor& a) {
    return a.dtype() == kBool ? Scalar(load(a, 0) != 0) : Scalar(load(a, 0));
  });
  sum_op::define(sum_cpu);
  expand_op::define(expand_cpu);
  sum_to_size_op::define(sum_to_size_cpu);
  as_strided_op::define(
      [](const Tensor& a, IntList sizes, IntList strides, std::optional<int64_t> offset) {
        return make_alias(a, sizes, strides, offset.value_or(a.storage_offset()));
      });
  unbind_op::define(unbind_cpu);
}

Tensor tensor(const std::vector<double>& values, bool requires_grad, ScalarType dtype) {
  register_operators();
  Tensor t = make_tensor({static_cast<int64_t>(values.size())}, dtype, kCPU);
  for (size_t i = 0; i < values.size(); ++i) store(t, static_cast<int64_t>(i), values[i]);
  if (requires_grad) set_requires_grad(t, true);
  return t;
}
Tensor scalar(double value, bool requires_grad) {
  register_operators();
  Tensor t = make_tensor({}, kDouble, kCPU);
  store(t, 0, value);
  if (requires_grad) set_requires_grad(t, true);
  return t;
}
std::vector<double> values(const Tensor& t) {
  std::vector<double> list;
  for (int64_t n = 0; n < t.numel(); ++n) list.push_back(load(t, offset_of(t, t.sizes(), n)));
  return list;
}
double value(const Tensor& t) { return load(t, 0); }

}  // namespace opweave::test
