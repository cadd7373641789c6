// The windows of pooling along one dimension: sliding by a stride, or as many as asked for.
#pragma once

#include <vector>

#include "kernels/plans/pool_shape.h"

namespace opweave::plans {

// The elements begin, begin + step, … that belong to one output.
struct Window {
  int64_t begin, count, step;
};

// Neighbouring windows of as many elements, each the same distance after the one before: those of
// the outputs [first, first + windows).
struct WindowRun {
  int64_t first, windows, stride;
  Window window;  // the first
};

inline std::vector<WindowRun> runs_of(const std::vector<Window>& windows) {
  std::vector<WindowRun> runs;
  for (size_t o = 0; o < windows.size(); ++o) {
    const Window& next = windows[o];
    if (!runs.empty() && next.count == runs.back().window.count) {
      WindowRun& run = runs.back();
      const int64_t distance = next.begin - windows[o - 1].begin;
      if (run.windows == 1) run.stride = distance;
      if (run.stride == distance) {
        ++run.windows;
        continue;
      }
    }
    runs.push_back({static_cast<int64_t>(o), 1, 0, next});
  }
  return runs;
}

class SlidingWindows {
 public:
  explicit SlidingWindows(const PoolAxis& axis) : axis_(axis) {}
  int64_t in() const { return axis_.in; }
  int64_t out() const { return axis_.out; }
  Window window(int64_t o) const { return {axis_.begin(o), axis_.count(o), axis_.dilation}; }
  const PoolAxis& axis() const { return axis_; }

 private:
  PoolAxis axis_;
};

class AdaptiveWindows {
 public:
  AdaptiveWindows(int64_t in, int64_t out) : in_(in), out_(out) {}
  int64_t in() const { return in_; }
  int64_t out() const { return out_; }
  Window window(int64_t o) const {
    const int64_t begin = o * in_ / out_, end = ((o + 1) * in_ + out_ - 1) / out_;
    return {begin, end - begin, 1};
  }

 private:
  int64_t in_, out_;
};

}  // namespace opweave::plans
