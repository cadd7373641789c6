// Rule functions of whole tensors and of lists of them.
#include <algorithm>
#include <cmath>

#include "codegen/shapes/arguments.h"
#include "codegen/shapes/arithmetic.h"
#include "codegen/shapes/effort.h"
#include "codegen/shapes/operations.h"
#include "codegen/shapes/promotion.h"
#include "dtypes/dtype.h"

namespace opweave::codegen {
namespace {

namespace generic = rule::generic;

using Tensors = std::vector<ShapedTensor>;

Value list_of(const Tensors& tensors) {
  Values values;
  for (const ShapedTensor& tensor : tensors) values.push_back({tensor});
  return {values};
}

// Of tensors that are no empty vectors, which concatenation skips.
Sizes cat_sizes(const Tensors& tensors, int64_t dim, Conditions& conditions) {
  if (tensors.empty()) throw NoShape{"cat(): expected a non-empty list of Tensors"};
  std::optional<Sizes> all;
  for (const ShapedTensor& tensor : tensors) {
    if (tensor.sizes == Sizes{0}) continue;
    if (tensor.sizes.empty()) throw NoShape{"zero-dimensional tensor cannot be concatenated"};
    if (!all) {
      all = tensor.sizes;
      continue;
    }
    const int64_t d = wrap(dim, std::ssize(*all));
    if (all->size() != tensor.sizes.size())
      throw NoShape{"cat(): Tensors must have same number of dimensions"};
    Sizes wanted = tensor.sizes;
    wanted[d] = (*all)[d];
    conditions.require(same(*all, wanted),
                       fmt::format("cat(): Sizes of tensors must match except in dimension {}: {} "
                                   "and {}",
                                   d, text_of(*all), text_of(tensor.sizes)));
    (*all)[d] = (*all)[d] + tensor.sizes[d];
  }
  return all ? *all : Sizes{0};
}

Sizes stacked(const Tensors& tensors, int64_t dim, Conditions& conditions) {
  if (tensors.empty()) throw NoShape{"stack expects a non-empty TensorList"};
  for (const ShapedTensor& tensor : tensors)
    conditions.require(same(tensors[0].sizes, tensor.sizes),
                       fmt::format("stack expects each tensor to be equal size, but got {} and {}",
                                   text_of(tensors[0].sizes), text_of(tensor.sizes)));
  const int64_t rank = std::ssize(tensors[0].sizes) + 1;
  return generic::inserted<Sizes>(tensors[0].sizes, wrap(dim, rank), Size(std::ssize(tensors)));
}

// As atleast_1d, atleast_2d and atleast_3d do it.
ShapedTensor raised(ShapedTensor tensor, int64_t rank) {
  Sizes& sizes = tensor.sizes;
  if (sizes.empty() && rank > 0) sizes = {1};
  if (sizes.size() == 1 && rank > 1) sizes.insert(sizes.begin(), 1);
  if (sizes.size() == 2 && rank > 2) sizes.push_back(1);
  return dense_tensor(sizes, tensor.dtype);
}

// As column_stack does it.
ShapedTensor column(const ShapedTensor& tensor) {
  if (tensor.sizes.size() > 1) return tensor;
  return dense_tensor({tensor.sizes.empty() ? Size(1) : tensor.sizes[0], 1}, tensor.dtype);
}

ShapedTensor part(const ShapedTensor& tensor, int64_t dim, const Size& begin, const Size& end) {
  ShapedTensor out = tensor;
  out.sizes[dim] = end - begin;
  if (out.offset && out.strides) out.offset = *out.offset + begin * (*out.strides)[dim];
  return out;
}

Tensors pieces(const ShapedTensor& tensor, int64_t dim, const Sizes& bounds) {
  if (tensor.sizes.empty()) throw NoShape{"a tensor without dimensions cannot be split"};
  const int64_t d = wrap(dim, std::ssize(tensor.sizes));
  Tensors out;
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    const Condition backwards = less(bounds[i + 1], bounds[i]);
    out.push_back(part(tensor, d, bounds[i],
                       generic::Arithmetic<Size>::select(backwards, bounds[i], bounds[i + 1])));
  }
  return out;
}

Tensors unbound(const ShapedTensor& tensor, int64_t dim, int64_t count) {
  if (tensor.sizes.empty()) throw NoShape{"a tensor without dimensions has no slices"};
  Effort::spend_elements(count);
  const auto d = static_cast<size_t>(wrap(dim, std::ssize(tensor.sizes)));
  Tensors out;
  for (int64_t i = 0; i < count; ++i) {
    ShapedTensor one = part(tensor, static_cast<int64_t>(d), i, i + 1);
    one.sizes = generic::without<Sizes>(one.sizes, d);
    if (one.strides) one.strides = generic::without<Sizes>(*one.strides, d);
    out.push_back(std::move(one));
  }
  return out;
}

// 0, step, 2 * step, ... up to the size.
Sizes steps(int64_t size, int64_t step) {
  Sizes bounds = {0};
  if (size > 0 && step <= 0) throw NoShape{"a split size has to be positive"};
  const int64_t count = size > 0 ? (size - 1) / step : 0;
  Effort::spend_elements(count);
  for (int64_t i = 1; i <= count; ++i) bounds.push_back(i * step);
  bounds.push_back(size);
  return bounds;
}

// Sections whose sizes differ by one at most, the larger ones first.
Sizes sections(const Size& size, int64_t count) {
  if (count <= 0) throw NoShape{"number of sections must be larger than 0"};
  Effort::spend_elements(count);
  const Size length = Size::floor_div(size, count), rest = size - length * count;
  using A = generic::Arithmetic<Size>;
  Sizes bounds;
  for (int64_t i = 0; i <= count; ++i)
    bounds.push_back(length * i + A::select(less(i, rest), i, rest));
  return bounds;
}

Sizes sums(const Sizes& list, const Size& total, Conditions& conditions) {
  Sizes bounds = {0};
  for (const Size& size : list) bounds.push_back(bounds.back() + size);
  conditions.require(
      equal(bounds.back(), total),
      fmt::format("sizes that sum to {} do not split {}", bounds.back().text(), total.text()));
  return bounds;
}

Sizes cuts(const Sizes& indices, const Size& size) {
  Sizes bounds = {0};
  for (const Size& index : indices) bounds.push_back(clamped(index, size));
  bounds.push_back(size);
  return bounds;
}

Sizes repeated(const Sizes& sizes, const Sizes& repeats) {
  const size_t rank = std::max(sizes.size(), repeats.size());
  Sizes out(rank, 1);
  for (size_t i = 1; i <= sizes.size(); ++i) out[rank - i] = sizes[sizes.size() - i];
  for (size_t i = 1; i <= repeats.size(); ++i)
    out[rank - i] = out[rank - i] * repeats[repeats.size() - i];
  return out;
}

// Two numbers for each dimension, from the last on.
Sizes padded_by(const Sizes& sizes, const Sizes& pad, Conditions& conditions) {
  if (pad.size() % 2 != 0 || pad.size() > 2 * sizes.size())
    throw NoShape{
        fmt::format("a padding of {} numbers for {} dimensions", pad.size(), sizes.size())};
  Sizes out = sizes;
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    Size& size = out[sizes.size() - 1 - i];
    size = size + pad[2 * i] + pad[2 * i + 1];
    conditions.require(less_or_equal(Size(0), size),
                       fmt::format("the padded size {} is negative", size.text()));
  }
  return out;
}

Sizes matmul_sizes(const Sizes& a, const Sizes& b, Conditions& conditions) {
  if (a.empty() || b.empty()) throw NoShape{"both arguments to matmul need to be at least 1D"};
  const Size& inner = b[b.size() == 1 ? 0 : b.size() - 2];
  conditions.require(equal(a.back(), inner),
                     fmt::format("matmul: {} and {} cannot be multiplied", text_of(a), text_of(b)));
  const auto batch = [](const Sizes& sizes) {
    return generic::copy<Sizes>(sizes, 0, sizes.size() < 2 ? 0 : sizes.size() - 2);
  };
  const ArithmeticConditions scope(conditions);
  Sizes out = generic::broadcast<Size, Sizes>(batch(a), batch(b));
  if (a.size() > 1) out.push_back(a[a.size() - 2]);
  if (b.size() > 1) out.push_back(b.back());
  return out;
}

// The indexed dimensions become those to which the indices broadcast, in their place if they are
// neighbours and in front if they are not.
Sizes index_sizes(const ShapedTensor& self, const Values& indices, Conditions& conditions) {
  const ArithmeticConditions scope(conditions);
  Sizes index, out;
  std::vector<size_t> indexed;
  for (size_t d = 0; d < indices.size(); ++d) {
    const auto* at = indices[d].as<ShapedTensor>();
    if (!at || !at->defined) continue;
    if (at->dtype == "bool" || at->dtype == "uint8")
      throw NoShape{"a mask selects: the elements decide", NoShape::Kind::data};
    index = generic::broadcast<Size, Sizes>(index, at->sizes);
    indexed.push_back(d);
  }
  if (indices.size() > self.sizes.size()) throw NoShape{"too many indices for the tensor"};
  const bool neighbours = !indexed.empty() && indexed.back() - indexed[0] + 1 == indexed.size();
  const size_t place = neighbours ? indexed[0] : 0;
  for (size_t d = 0; d <= self.sizes.size(); ++d) {
    if (d == place) out.insert(out.end(), index.begin(), index.end());
    if (d < self.sizes.size() && std::ranges::count(indexed, d) == 0) out.push_back(self.sizes[d]);
  }
  return out;
}

Size whole_number(double value) {
  if (value >= -0x1p63 && value < 0x1p63) return static_cast<int64_t>(value);
  throw NoShape{fmt::format("a size of {} is out of the range of 64-bit integers", value)};
}

Size counted(const Value& start, const Value& end, const Value& step) {
  const auto a = real_number(start), b = real_number(end), s = real_number(step);
  if (a && b && s && *s != 0) return whole_number(std::ceil((*b - *a) / *s));
  if (start.as<Size>() && end.as<Size>() && s && *s == 1)
    return *end.as<Size>() - *start.as<Size>();
  throw NoShape{"arange(): how many there are is not known", NoShape::Kind::unknown};
}

// A list of floats may be written as one of whole numbers.
std::vector<std::optional<double>> real_numbers(const Value& list) {
  std::vector<std::optional<double>> numbers;
  if (const auto* whole = list.as<Sizes>()) {
    for (const Size& number : *whole) numbers.push_back(real_number({number}));
  } else if (const auto* values = list.as<Values>()) {
    for (const Value& value : *values) numbers.push_back(real_number(value));
  }
  return numbers;
}

Size multiplied(const Size& size, const std::optional<double>& factor) {
  const auto known = size.number();
  if (known && factor) return whole_number(static_cast<double>(*known) * *factor);
  if (factor && *factor == std::trunc(*factor)) return size * whole_number(*factor);
  throw NoShape{"a size that is not known, times a number, is not known", NoShape::Kind::unknown};
}

Sizes multiplied(const Sizes& sizes, const std::vector<std::optional<double>>& factors) {
  Sizes products;
  for (size_t i = 0; i < std::min(sizes.size(), factors.size()); ++i)
    products.push_back(multiplied(sizes[i], factors[i]));
  return products;
}

using A = const Arguments&;
using C = Conditions&;

Tensors all_expanded(const Tensors& tensors, Conditions& conditions) {
  const ArithmeticConditions scope(conditions);
  Sizes sizes;
  for (const ShapedTensor& tensor : tensors)
    sizes = generic::broadcast<Size, Sizes>(sizes, tensor.sizes);
  Tensors out;
  for (const ShapedTensor& tensor : tensors) out.push_back({sizes, tensor.dtype});
  return out;
}

// Of a contiguous tensor there are none; of others the order in memory decides.
Value strides_like(const ShapedTensor& tensor) {
  const bool dense = tensor.strides == contiguous_strides(tensor.sizes);
  return dense ? Value{Sizes()} : Value{Unknown()};
}

}  // namespace

const Functions& tensor_functions() {
  static const Functions table = {
      {"strides_like", [](A a, C) { return strides_like(a.tensor(1)); }},
      {"dense_strides", [](A a, C) { return strides_like(a.tensor(0)); }},
      {"cat_sizes", [](A a, C c) { return Value{cat_sizes(a.tensors(0), a.number(1), c)}; }},
      {"cat_strides", [](A, C) { return Value{Unknown()}; }},
      {"common_dtype", [](A a, C) { return Value{DtypeName{promoted({a.value(0)})}}; }},
      {"stacked", [](A a, C c) { return Value{stacked(a.tensors(0), a.number(1), c)}; }},
      {"raised",
       [](A a, C) {
         Tensors out;
         for (const ShapedTensor& tensor : a.tensors(0)) out.push_back(raised(tensor, a.number(1)));
         return list_of(out);
       }},
      {"columns",
       [](A a, C) {
         Tensors out;
         for (const ShapedTensor& tensor : a.tensors(0)) out.push_back(column(tensor));
         return list_of(out);
       }},
      {"pieces", [](A a, C) { return list_of(pieces(a.tensor(0), a.number(1), a.sizes(2))); }},
      {"unbound", [](A a, C) { return list_of(unbound(a.tensor(0), a.number(1), a.number(2))); }},
      {"all_expanded", [](A a, C c) { return list_of(all_expanded(a.tensors(0), c)); }},
      {"steps", [](A a, C) { return Value{steps(a.number(0), a.number(1))}; }},
      {"sections", [](A a, C) { return Value{sections(a.size(0), a.number(1))}; }},
      {"sums", [](A a, C c) { return Value{sums(a.sizes(0), a.size(1), c)}; }},
      {"cuts", [](A a, C) { return Value{cuts(a.sizes(0), a.size(1))}; }},
      {"repeated", [](A a, C) { return Value{repeated(a.sizes(0), a.sizes(1))}; }},
      {"padded_by", [](A a, C c) { return Value{padded_by(a.sizes(0), a.sizes(1), c)}; }},
      {"matmul_sizes", [](A a, C c) { return Value{matmul_sizes(a.sizes(0), a.sizes(1), c)}; }},
      {"index_sizes",
       [](A a, C c) {
         const auto* indices = a.value(1).as<Values>();
         return Value{index_sizes(a.tensor(0), indices ? *indices : Values(), c)};
       }},
      {"einsum_sizes", [](A a, C c) { return Value{einsum_sizes(a.text(0), a.tensors(1), c)}; }},
      {"multiplied",
       [](A a, C) { return Value{multiplied(a.sizes(0), real_numbers(a.value(1)))}; }},
      {"counted", [](A a, C) { return Value{counted(a.value(0), a.value(1), a.value(2))}; }},
      {"number_dtype", [](A a, C) { return Value{DtypeName{promoted({a.value(0)})}}; }},
      {"item_size",
       [](A a, C) {
         const auto dtype = dtype_from_name(a.dtype(0));
         if (!dtype) throw NoShape{"the size of an element is not known", NoShape::Kind::unknown};
         return Value{Size(static_cast<int64_t>(element_size(*dtype)))};
       }},
      {"default_dtype", [](A, C) { return Value{DtypeName{"float32"}}; }},
  };
  return table;
}

}  // namespace opweave::codegen
