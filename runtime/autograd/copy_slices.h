// CopySlices: the history of a base after one of its views was written in place.
#pragma once

#include "runtime/autograd/node.h"
#include "runtime/core/devices/free_list.h"

namespace opweave {

// Sizes, strides and offset of a tensor within its storage.
struct Geometry {
  explicit Geometry(const Tensor& t)
      : sizes(t.sizes()), strides(t.strides()), offset(t.storage_offset()) {}
  DimVector sizes;
  DimVector strides;
  int64_t offset;
};

// The gradient of the base passes through, except in the view: there it goes through `written_by`,
// the node of the in-place operator.
class CopySlices final : public Node, public Recycled<CopySlices> {
 public:
  CopySlices(const Tensor& base, const Tensor& view, intrusive_ptr<Node> written_by);
  ~CopySlices() override;

  const char* name() const override { return "CopySlices"; }
  TensorVec apply(TensorVec&& grads) override;
  void release_saved() override;
  void visit_saved(SavedVisitor& visit) const override;

  // The view as it was after the write, with its history: for what written_by saved of its result.
  Tensor written_view();

 private:
  Geometry base_;
  Geometry view_;
  Storage storage_;
  ScalarType dtype_;
  Device device_;
  intrusive_ptr<Node> written_by_;
  std::shared_ptr<Companion> companion_;  // of the base, also with what comes by the write
};

}  // namespace opweave
