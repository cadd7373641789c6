// Sources of elements as R. Keys, "Cubic convolution interpolation" (1981), has them for four
// neighbours, and as filters that are as wide as the new elements.
#include "kernels/composite/resizing_taps.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace opweave::composite {
namespace {

// The whole number of a place, as an index: NaN is 0, what lies outside is the border.
template <class T>
int64_t index_of(T place, int64_t size) {
  if (!(place > 0)) return 0;
  return place < static_cast<T>(size) ? std::min(static_cast<int64_t>(place), size - 1) : size - 1;
}

// Where elements lie from one another, with the corners aligned or not.
double step_of(const Resize& resize, bool align_corners) {
  if (!align_corners) return resize.step();
  return resize.out > 1 ? static_cast<double>(resize.size - 1) / static_cast<double>(resize.out - 1)
                        : 0;
}

// Weights of elements at a distance of less than 1 from a place, and of less than 2.
double near_weight(double a, double d) { return ((a + 2) * d - (a + 3)) * d * d + 1; }
double far_weight(double a, double d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; }

constexpr double kOfNeighbours = -0.75, kOfCovered = -0.5;

// The weight at a distance in units of what a new element covers.
double covering_weight(Filter filter, double distance) {
  const double d = std::abs(distance);
  if (filter == Filter::kLinear) return std::max(1 - d, 0.0);
  return d < 1 ? near_weight(kOfCovered, d) : d < 2 ? far_weight(kOfCovered, d) : 0;
}

Tensor places(const Resize& resize, float offset) {
  const auto step = static_cast<float>(resize.step());
  const Tensor found = make_tensor(IntList{resize.out}, kLong, host_device());
  auto* at = found.data<int64_t>();
  for (int64_t i = 0; i < resize.out; ++i)
    at[i] = index_of((static_cast<float>(i) + offset) * step, resize.size);
  return found;
}

LineTaps empty_taps(int64_t taps, int64_t out) {
  return {make_tensor(IntList{taps, out}, kLong, host_device()),
          make_tensor(IntList{taps, out}, kDouble, host_device())};
}

// The elements that a new one covers, and its middle.
struct Covered {
  int64_t begin, end;
  double middle;
};

Covered covered(double middle, double reach, int64_t size) {
  const auto bound = [size](double place) { return index_of(place + 0.5, size + 1); };
  return {bound(middle - reach), bound(middle + reach), middle};
}

// Weights that add up to 1.
std::vector<double> shares(const Covered& covered, Filter filter, double scale) {
  std::vector<double> weights;
  double total = 0;
  for (int64_t i = covered.begin; i < covered.end; ++i) {
    const double distance = static_cast<double>(i) + 0.5 - covered.middle;
    weights.push_back(covering_weight(filter, distance / scale));
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

}  // namespace

Tensor nearest_elements(const Resize& resize) { return places(resize, 0); }

Tensor exact_nearest_elements(const Resize& resize) { return places(resize, 0.5F); }

LineTaps neighbour_taps(const Resize& resize, Filter filter, bool align_corners) {
  const bool cubic = filter == Filter::kCubic;
  const int64_t out = resize.out, count = cubic ? 4 : 2;
  const double step = step_of(resize, align_corners), a = kOfNeighbours;
  const LineTaps taps = empty_taps(count, out);
  for (int64_t i = 0; i < out; ++i) {
    const auto at = static_cast<double>(i);
    const double middle = align_corners ? at * step : (at + 0.5) * step - 0.5;
    const double place = cubic ? middle : std::max(middle, 0.0);
    const double first = std::floor(place), past = place - first;
    const double two[] = {1 - past, past};
    const double four[] = {far_weight(a, past + 1), near_weight(a, past), near_weight(a, 1 - past),
                           far_weight(a, 2 - past)};
    for (int64_t t = 0; t < count; ++t) {
      const double tap = first + static_cast<double>(t) - (cubic ? 1 : 0);
      taps.index.data<int64_t>()[t * out + i] = index_of(tap, resize.size);
      taps.weight.data<double>()[t * out + i] = cubic ? four[t] : two[t];
    }
  }
  return taps;
}

LineTaps covering_taps(const Resize& resize, Filter filter, bool align_corners) {
  const double step = step_of(resize, align_corners), scale = std::max(step, 1.0);
  const double reach = scale * (filter == Filter::kLinear ? 1 : 2);
  const int64_t out = resize.out, most = index_of(2 * std::ceil(reach) + 1, resize.size) + 1;
  const LineTaps taps = empty_taps(most, out);
  for (int64_t i = 0; i < out; ++i) {
    const double middle = (static_cast<double>(i) + 0.5) * step;
    const Covered all = covered(middle, reach, resize.size);
    const std::vector<double> weights = shares(all, filter, scale);
    for (int64_t t = 0; t < most; ++t) {
      const bool is_there = t < std::ssize(weights);
      taps.index.data<int64_t>()[t * out + i] = is_there ? all.begin + t : -1;
      taps.weight.data<double>()[t * out + i] = is_there ? weights[static_cast<size_t>(t)] : 0;
    }
  }
  return taps;
}

}  // namespace opweave::composite
