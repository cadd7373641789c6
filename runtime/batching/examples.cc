// The examples of a call, as vmap knows them: levels taken apart, put together, and taken up again.
#include <algorithm>
#include <numeric>

#include "opweave/ops/expand.h"
#include "opweave/ops/permute.h"
#include "runtime/batching/batched_call.h"
#include "runtime/core/base/error.h"

namespace opweave {
namespace {

using Levels = std::vector<int64_t>;

bool contains(const Levels& levels, int64_t level) {
  return std::ranges::find(levels, level) != levels.end();
}

void add_levels(const Tensor& t, Levels& levels) {
  if (!t.defined()) return;
  for (Tensor at = t; batch_level(at) > 0; at = Tensor(batched_value(at).value)) {
    if (!contains(levels, batch_level(at))) levels.push_back(batch_level(at));
  }
}

Levels levels_of(TensorList tensors) {
  Levels levels;
  for (const Tensor& t : tensors) add_levels(t, levels);
  std::ranges::sort(levels);
  return levels;
}

// Those that are not among `others`.
Levels beside(const Levels& levels, const Levels& others) {
  Levels rest;
  for (int64_t level : levels) {
    if (!contains(others, level)) rest.push_back(level);
  }
  return rest;
}

Levels joined(Levels first, const Levels& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

// The same with the levels in another order.
AllExamples in_order(const AllExamples& all, const Levels& order) {
  DimVector dims;
  for (int64_t level : order) {
    dims.push_back(std::ranges::find(all.levels, level) - all.levels.begin());
  }
  if (std::ranges::is_sorted(dims)) return all;
  for (int64_t d = static_cast<int64_t>(dims.size()); d < all.tensor.dim(); ++d) dims.push_back(d);
  return {opweave::permute(all.tensor, dims), order};
}

// With more levels, outside of the others, for whose examples it is the same.
AllExamples repeated(const AllExamples& all, const Levels& more, const DimVector& counts) {
  if (more.empty()) return all;
  DimVector sizes = counts;
  for (int64_t size : all.tensor.sizes()) sizes.push_back(size);
  return {opweave::expand(all.tensor, sizes), joined(more, all.levels)};
}

class BatchExamples final : public Examples {
 public:
  BatchExamples(Levels levels, TensorList tensors) : levels_(std::move(levels)) {
    for (int64_t level : levels_) sizes_.push_back(size_of(level, tensors));
  }

  Tensor all(const Tensor& one) const override {
    if (!one.defined()) return one;
    AllExamples found = all_examples(one);
    const Levels missing = beside(levels_, found.levels), others = beside(found.levels, levels_);
    DimVector counts;
    for (int64_t level : missing) counts.push_back(count(level));
    found = in_order(repeated(found, missing, counts), joined(others, levels_));
    return batched_again({found.tensor, others});
  }

  Tensor one(const Tensor& all) const override {
    if (!all.defined()) return all;
    AllExamples found = all_examples(all);
    found.levels = joined(found.levels, levels_);
    Levels order = found.levels;
    std::ranges::sort(order);
    return batched_again(in_order(found, order));
  }

  bool cover(const Tensor& t) const override { return beside(levels_of({&t, 1}), levels_).empty(); }
  size_t dims() const override { return levels_.size(); }
  TensorVec run(TensorVec&& all, const Function& function) const override;

 private:
  static int64_t size_of(int64_t level, TensorList tensors) {
    for (const Tensor& t : tensors) {
      if (!t.defined()) continue;
      for (Tensor at = t; batch_level(at) > 0; at = Tensor(batched_value(at).value)) {
        if (batch_level(at) == level) return batched_value(at).value.sizes()[0];
      }
    }
    return 0;
  }
  int64_t count(int64_t level) const {
    return sizes_[static_cast<size_t>(std::ranges::find(levels_, level) - levels_.begin())];
  }

  const Levels levels_;
  DimVector sizes_;
  const OpenLevelsPtr open_ = open_levels();  // in which the call was made
};

// A function runs in the vmaps of its call, inside of which come those between whose examples the
// tensors differ that it is given now: their levels get other numbers for the time.
class Renumbering {
 public:
  Renumbering(OpenLevelsPtr inside, TensorList tensors) : now_(levels_of(tensors)) {
    before_ = inside ? static_cast<int64_t>(inside->list.size()) : 0;
    const std::vector<BatchLevel>& open = batch_levels();
    for (int64_t level : now_) {
      const auto at = static_cast<size_t>(level) - 1;
      OW_CHECK(at < open.size(),
               "vmap: a gradient differs between the examples of a vmap that has "
               "ended");
      inside = with_level(std::move(inside), open[at]);
    }
    levels = std::move(inside);
  }

  Tensor there(const Tensor& t) const {
    return renumbered(t, [&](int64_t level) {
      return before_ + 1 + (std::ranges::find(now_, level) - now_.begin());
    });
  }
  Tensor back(const Tensor& t) const {
    return renumbered(t, [&](int64_t level) {
      OW_CHECK(level > before_ && level - before_ <= static_cast<int64_t>(now_.size()),
               "vmap: a gradient differs between examples that no argument of its function knows "
               "of: it was computed from a tensor of theirs that is no argument");
      return now_[static_cast<size_t>(level - before_ - 1)];
    });
  }

  OpenLevelsPtr levels;  // in which it runs

 private:
  template <class F>
  static Tensor renumbered(const Tensor& t, F number) {
    if (batch_level(t) == 0) return t;
    AllExamples all = all_examples(t);
    for (int64_t& level : all.levels) level = number(level);
    return batched_again(all);
  }

  const Levels now_;
  int64_t before_ = 0;
};

TensorVec BatchExamples::run(TensorVec&& all, const Function& function) const {
  const Renumbering numbers(open_, TensorList(all));
  const OpenLevelsGuard inside(numbers.levels);
  TensorVec examples;
  for (const Tensor& t : all) examples.push_back(one(numbers.there(t)));
  TensorVec results = function(std::move(examples));
  for (Tensor& t : results) t = numbers.back(this->all(t));
  return results;
}

ExamplesPtr examples_in(TensorList tensors) {
  Levels levels = levels_of(tensors);
  if (levels.empty()) return nullptr;
  return make_intrusive<BatchExamples>(std::move(levels), tensors);
}

Tensor value_of_all(const Tensor& t) {
  Tensor at = t;
  while (batch_level(at) > 0) at = Tensor(batched_value(at).value);
  return at;
}

VmapsPtr outermost(size_t depth) { return outermost_levels(depth); }
void run_in(const VmapsPtr& vmaps) {
  set_open_levels(OpenLevelsPtr(static_cast<const OpenLevels*>(vmaps.get())));
}

constexpr ExampleFunctions kFunctions{examples_in, value_of_all, outermost, run_in};

}  // namespace

AllExamples all_examples(const Tensor& t) {
  AllExamples all{t, {}};
  while (batch_level(all.tensor) > 0) {
    all.levels.push_back(batch_level(all.tensor));
    all.tensor = Tensor(batched_value(all.tensor).value);
  }
  std::ranges::reverse(all.levels);
  return all;
}

Tensor batched_again(const AllExamples& all) {
  Tensor t = all.tensor;
  for (int64_t level : all.levels) t = make_batched(std::move(t), level);
  return t;
}

void offer_examples() { set_example_functions(&kFunctions); }

}  // namespace opweave
