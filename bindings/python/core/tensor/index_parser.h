// What stands between the brackets of t[...], applied to a view of t item by item.
//
// IndexParser<View> calls view.select(), slice() and unsqueeze() for what makes views, and collects
// the index tensors. There are two Views: GeometryView computes sizes and strides and makes one
// tensor at the end; OperatorView calls an operator per item, so that each is recorded.
#pragma once

#include <Python.h>

#include <vector>

#include "bindings/python/core/functions/operators.h"
#include "runtime/core/base/error.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::python {

class GeometryView {
 public:
  explicit GeometryView(const Tensor& base)
      : base_(base),
        sizes_(base.sizes()),
        strides_(base.strides()),
        offset_(base.storage_offset()) {}

  int64_t dim() const { return static_cast<int64_t>(sizes_.size()); }
  int64_t size(int64_t d) const { return sizes_[static_cast<size_t>(d)]; }
  void select(int64_t d, int64_t index) {
    const auto i = static_cast<size_t>(d);
    offset_ += index * strides_[i];
    sizes_.erase(i);
    strides_.erase(i);
  }
  // 0 <= start <= stop <= size
  void slice(int64_t d, int64_t start, int64_t stop, int64_t step) {
    const auto i = static_cast<size_t>(d);
    offset_ += start * strides_[i];
    sizes_[i] = stop == start ? 0 : (stop - start - 1) / step + 1;
    const int64_t stride = strides_[i];
    OW_CHECK(!__builtin_mul_overflow(stride, step, &strides_[i]), "slice(): step ", step,
             " is out of range for a dimension of stride ", stride);
  }
  void unsqueeze(int64_t d) {
    const auto i = static_cast<size_t>(d);
    const int64_t stride = i < sizes_.size() ? stride_product(strides_[i], sizes_[i]) : 1;
    sizes_.insert(i, 1);
    strides_.insert(i, stride);
  }
  Tensor finish() const;

 private:
  const Tensor& base_;
  DimVector sizes_, strides_;
  int64_t offset_;
};

class OperatorView {
 public:
  explicit OperatorView(const Tensor& base) : base_(base), view_(base) {}

  int64_t dim() const { return view_.dim(); }
  int64_t size(int64_t d) const { return view_.size(d); }
  void select(int64_t d, int64_t index) { view_ = operators::select(view_, d, index); }
  void slice(int64_t d, int64_t start, int64_t stop, int64_t step) {
    view_ = operators::slice(view_, d, start, stop, step);
  }
  void unsqueeze(int64_t d) { view_ = operators::unsqueeze(view_, d); }
  Tensor finish() const { return view_.is_same(base_) ? operators::alias(view_) : view_; }

 private:
  const Tensor& base_;
  Tensor view_;
};

// Whether views of the tensor need no operator calls now: nothing is recorded, traced or replaced.
bool views_are_plain(const Tensor& t);
// The view that GeometryView describes, tracked as a view of `base`.
Tensor tracked_view(const Tensor& base, IntList sizes, IntList strides, int64_t offset);

inline Tensor GeometryView::finish() const {
  return tracked_view(base_, sizes_, strides_, offset_);
}

template <class View>
class IndexParser {
 public:
  explicit IndexParser(const Tensor& base) : view_(base), ndim_(base.dim()) {}

  // `items` are those of a tuple, or a single one.
  void parse(std::span<PyObject* const> items);
  bool has_tensors() const { return !indices_.empty(); }
  const std::vector<Tensor>& indices() const { return indices_; }
  const View& view() const { return view_; }

 private:
  void apply(PyObject* item);
  void apply_int(int64_t index);
  void apply_slice(PyObject* slice);
  void apply_bool(bool value);
  void apply_tensor(const Tensor& tensor);
  void apply_new_axis();
  // Remembers an index tensor that replaces `dims` dimensions of the view.
  void record(Tensor index, int64_t dims);

  View view_;
  const int64_t ndim_;           // of the tensor
  int64_t specified_ = 0;        // how many of its dimensions the items stand for
  int64_t used_ = 0;             // how many of them are done
  int64_t dim_ = 0;              // where the next item applies in the view
  int64_t masked_ = 0;           // dimensions that masks took beyond their one index
  std::vector<Tensor> indices_;  // undefined where a dimension is not indexed
};

extern template class IndexParser<GeometryView>;
extern template class IndexParser<OperatorView>;

}  // namespace opweave::python
