// FoldPlan: the geometry of one call of an operator that folds: where the elements of every operand
// lie along what is kept and along what is folded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "runtime/core/tensor/tensor.h"
#include "runtime/rules/reduction.h"

namespace opweave::plans {

// Along which dimensions an operand has elements.
enum class FoldAxes : uint8_t { kKept = 1, kFolded = 2, kAll = 3 };

inline constexpr int kMaxFoldOperands = 32;

// What the generator knows of an operator that folds; the same for every target.
struct FoldSpec {
  std::string_view name;  // for messages
  // Arguments with elements along what is folded, then those with one number for each row, then
  // results, each in the order of the schema.
  uint8_t num_inputs = 0, num_rows = 0, num_results = 0;
  FoldAxes axes[kMaxFoldOperands] = {};
  std::string_view names[kMaxFoldOperands] = {};
  // Behind the operands: coordinates along what is folded (kFolded) or along a named dimension.
  uint8_t num_coordinates = 0;

  int num_operands() const { return num_inputs + num_rows + num_results; }
  int num_places() const { return num_operands() + num_coordinates; }
  int first_result() const { return num_inputs + num_rows; }
  bool is_result(int operand) const { return operand >= first_result(); }
  bool is_number(int operand) const { return axes[operand] == FoldAxes::kKept; }  // one a row
  bool is_sum_of_rows(int operand) const {
    return is_result(operand) && axes[operand] == FoldAxes::kFolded;
  }
};

// Dimensions innermost first, joined where all operands allow it.
class FoldDims {
 public:
  FoldDims() = default;
  // For at most so many dimensions of so many operands.
  FoldDims(size_t dims, int operands) : operands_(static_cast<size_t>(operands)) {
    if (dims * operands_ > kInline) heap_.reset(new int64_t[dims * operands_]);
  }

  FoldDims(FoldDims&& o) noexcept { *this = std::move(o); }
  FoldDims& operator=(FoldDims&& o) noexcept {
    sizes = std::move(o.sizes);
    operands_ = o.operands_;
    heap_ = std::move(o.heap_);
    if (heap_ == nullptr) std::copy_n(o.inline_, ndim() * operands_, inline_);
    return *this;
  }

  DimVector sizes;

  size_t ndim() const { return sizes.size(); }
  int64_t numel() const {
    int64_t n = 1;
    for (int64_t size : sizes) n *= size;
    return n;
  }
  // In elements; 0 where the operand does not vary, and where there is no such dimension. A
  // coordinate is an offset itself, and this is by how much it grows.
  int64_t stride(int operand, size_t d) const { return d < ndim() ? row(d)[operand] : 0; }
  void set_stride(int operand, size_t d, int64_t stride) { row(d)[operand] = stride; }
  // Of all operands.
  void append(int64_t size, const int64_t* strides) {
    sizes.push_back(size);
    std::copy_n(strides, operands_, row(ndim() - 1));
  }
  bool joins(const int64_t* strides) const {
    const int64_t* const last = row(ndim() - 1);
    for (size_t k = 0; k < operands_; ++k) {
      if (strides[k] != stride_product(last[k], sizes.back())) return false;
    }
    return true;
  }
  // Where place `index` lies, in the same order of counting.
  int64_t offset(int operand, int64_t index) const {
    int64_t offset = 0;
    for (size_t d = 0; d < sizes.size(); index /= sizes[d++])
      offset += index % sizes[d] * row(d)[operand];
    return offset;
  }
  // Adds to the offsets of the first `count` operands where place `index` lies, in the order of
  // counting through the dimensions from `first` on.
  void add_offsets(int64_t index, int count, int64_t* offsets, size_t first = 0) const {
    for (size_t d = first; d < sizes.size(); ++d) {
      const int64_t at = d + 1 == sizes.size() ? index : index % sizes[d];
      for (int k = 0; k < count; ++k) offsets[k] += at * row(d)[k];
      if (d + 1 < sizes.size()) index /= sizes[d];
    }
  }

 private:
  static constexpr size_t kInline = 24;

  // The strides along one dimension, by operand.
  int64_t* row(size_t d) { return (heap_ ? heap_.get() : inline_) + d * operands_; }
  const int64_t* row(size_t d) const { return (heap_ ? heap_.get() : inline_) + d * operands_; }

  size_t operands_ = 0;
  std::unique_ptr<int64_t[]> heap_;
  int64_t inline_[kInline];
};

struct FoldPlan {
  FoldDims kept, folded;
};

// Which dimensions a call folds.
class FoldedDims {
 public:
  FoldedDims() = default;  // all
  explicit FoldedDims(int64_t dim) : listed_{dim}, all_(false) {}
  explicit FoldedDims(IntList dims) : listed_(dims.begin(), dims.end()), all_(dims.empty()) {}
  explicit FoldedDims(std::initializer_list<int64_t> dims)
      : FoldedDims(IntList(dims.begin(), dims.size())) {}
  explicit FoldedDims(const std::optional<IntList>& dims) : FoldedDims(dims.value_or(IntList())) {}
  explicit FoldedDims(const std::optional<int64_t>& dim)
      : FoldedDims(dim ? IntList(&*dim, 1) : IntList()) {}
  static FoldedDims last(size_t count) {
    FoldedDims dims;
    dims.last_ = static_cast<int64_t>(count);
    dims.all_ = false;
    return dims;
  }

  // IndexError if a tensor of so many dimensions has none of them, RuntimeError if one is there
  // twice.
  DimMask of(int64_t ndim) const;

 private:
  DimVector listed_;
  int64_t last_ = 0;
  bool all_ = true;
};

// The operand whose sizes are those of all elements: the first that is there and lies along both.
int whole_operand(const FoldSpec& spec, std::span<const Tensor* const> operands);

// `operands` are as in the spec; those that are not there (null) lie nowhere: strides of 0.
// RuntimeError that names the operator and the operand if its sizes are not those of what it lies
// along: of all elements they may be 1 or missing in front, of what is kept the folded ones may be
// missing or 1. `named`: the dimensions of coordinates that are not along what is folded.
// IndexError if there is no such dimension, RuntimeError if it is folded.
FoldPlan plan_fold(const FoldSpec& spec, std::span<const Tensor* const> operands, DimMask folded,
                   std::span<const int64_t> named = {});

// What a call computes in: the widest of floats among the results that are wanted, 16 bits in
// float32; where all of these are whole numbers, the widest of floats among what is read, or int64.
// Places and counts that float32 does not have are computed in float64.
ScalarType fold_dtype(const FoldSpec& spec, std::span<const Tensor* const> operands, DimMask folded,
                      std::span<const int64_t> named = {});

}  // namespace opweave::plans
