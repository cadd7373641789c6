// Images, volumes and lines in other sizes: one function for each number of dimensions, and each
// with a list of sizes or of factors.
#include <array>
#include <cmath>
#include <optional>

#include "kernels/composite/resizing.h"
#include "opweave/kernels/composite/_upsample_bicubic2d_aa.h"
#include "opweave/kernels/composite/_upsample_bilinear2d_aa.h"
#include "opweave/kernels/composite/_upsample_nearest_exact1d.h"
#include "opweave/kernels/composite/_upsample_nearest_exact2d.h"
#include "opweave/kernels/composite/_upsample_nearest_exact3d.h"
#include "opweave/kernels/composite/upsample_bicubic2d.h"
#include "opweave/kernels/composite/upsample_bilinear2d.h"
#include "opweave/kernels/composite/upsample_linear1d.h"
#include "opweave/kernels/composite/upsample_nearest1d.h"
#include "opweave/kernels/composite/upsample_nearest2d.h"
#include "opweave/kernels/composite/upsample_nearest3d.h"
#include "opweave/kernels/composite/upsample_trilinear3d.h"
#include "opweave/ops/_upsample_bicubic2d_aa.h"
#include "opweave/ops/_upsample_bilinear2d_aa.h"
#include "opweave/ops/_upsample_nearest_exact1d.h"
#include "opweave/ops/_upsample_nearest_exact2d.h"
#include "opweave/ops/_upsample_nearest_exact3d.h"
#include "opweave/ops/upsample_bicubic2d.h"
#include "opweave/ops/upsample_bilinear2d.h"
#include "opweave/ops/upsample_linear1d.h"
#include "opweave/ops/upsample_nearest1d.h"
#include "opweave/ops/upsample_nearest2d.h"
#include "opweave/ops/upsample_nearest3d.h"
#include "opweave/ops/upsample_trilinear3d.h"
#include "runtime/core/base/error.h"

namespace opweave::composite {
namespace {

using Factor = std::optional<double>;
using Sizes = std::optional<IntList>;
using FactorList = std::optional<DoubleList>;

template <class... Factors>
Resizes resizes(const Tensor& self, IntList output_size, Factors... factors) {
  Resizes all;
  for (const Factor& factor : {Factor(factors)...}) {
    const size_t d = all.size();
    all.push_back({self.size(static_cast<int64_t>(d) + 2), output_size[d], factor});
  }
  return all;
}

// A size that is asked for, or made of a factor.
struct Wanted {
  DimVector sizes;
  std::array<Factor, 3> factors;
};

int64_t multiplied(const char* op, int64_t size, double factor) {
  const double product = static_cast<double>(size) * factor;
  OW_CHECK(std::abs(product) < 0x1p63, op, "(): a size of ", product,
           " cannot be converted to int64_t without overflow");
  return static_cast<int64_t>(product);
}

Wanted wanted(const char* op, const Tensor& input, const Sizes& output_size,
              const FactorList& scale_factors) {
  if (output_size) return {*output_size, {}};
  Wanted found;
  for (size_t d = 0; d < scale_factors->size(); ++d) {
    const double factor = (*scale_factors)[d];
    found.sizes.push_back(multiplied(op, input.size(static_cast<int64_t>(d) + 2), factor));
    found.factors[d] = factor;
  }
  return found;
}

}  // namespace

Tensor upsample_nearest1d(const Tensor& self, IntList output_size, Factor scales) {
  return resized_to_nearest(self, resizes(self, output_size, scales), false);
}
Tensor upsample_nearest1d_vec(const Tensor& input, Sizes output_size, FactorList scale_factors) {
  const Wanted to = wanted("upsample_nearest1d", input, output_size, scale_factors);
  return opweave::upsample_nearest1d(input, to.sizes, to.factors[0]);
}

Tensor _upsample_nearest_exact1d(const Tensor& self, IntList output_size, Factor scales) {
  return resized_to_nearest(self, resizes(self, output_size, scales), true);
}
Tensor _upsample_nearest_exact1d_vec(const Tensor& input, Sizes output_size,
                                     FactorList scale_factors) {
  const Wanted to = wanted("_upsample_nearest_exact1d", input, output_size, scale_factors);
  return opweave::_upsample_nearest_exact1d(input, to.sizes, to.factors[0]);
}

Tensor upsample_nearest2d(const Tensor& self, IntList output_size, Factor scales_h,
                          Factor scales_w) {
  return resized_to_nearest(self, resizes(self, output_size, scales_h, scales_w), false);
}
Tensor upsample_nearest2d_vec(const Tensor& input, Sizes output_size, FactorList scale_factors) {
  const Wanted to = wanted("upsample_nearest2d", input, output_size, scale_factors);
  return opweave::upsample_nearest2d(input, to.sizes, to.factors[0], to.factors[1]);
}

Tensor _upsample_nearest_exact2d(const Tensor& self, IntList output_size, Factor scales_h,
                                 Factor scales_w) {
  return resized_to_nearest(self, resizes(self, output_size, scales_h, scales_w), true);
}
Tensor _upsample_nearest_exact2d_vec(const Tensor& input, Sizes output_size,
                                     FactorList scale_factors) {
  const Wanted to = wanted("_upsample_nearest_exact2d", input, output_size, scale_factors);
  return opweave::_upsample_nearest_exact2d(input, to.sizes, to.factors[0], to.factors[1]);
}

Tensor upsample_nearest3d(const Tensor& self, IntList output_size, Factor scales_d, Factor scales_h,
                          Factor scales_w) {
  return resized_to_nearest(self, resizes(self, output_size, scales_d, scales_h, scales_w), false);
}
Tensor upsample_nearest3d_vec(const Tensor& input, Sizes output_size, FactorList scale_factors) {
  const Wanted to = wanted("upsample_nearest3d", input, output_size, scale_factors);
  return opweave::upsample_nearest3d(input, to.sizes, to.factors[0], to.factors[1], to.factors[2]);
}

Tensor _upsample_nearest_exact3d(const Tensor& self, IntList output_size, Factor scales_d,
                                 Factor scales_h, Factor scales_w) {
  return resized_to_nearest(self, resizes(self, output_size, scales_d, scales_h, scales_w), true);
}
Tensor _upsample_nearest_exact3d_vec(const Tensor& input, Sizes output_size,
                                     FactorList scale_factors) {
  const Wanted to = wanted("_upsample_nearest_exact3d", input, output_size, scale_factors);
  return opweave::_upsample_nearest_exact3d(input, to.sizes, to.factors[0], to.factors[1],
                                            to.factors[2]);
}

Tensor upsample_linear1d(const Tensor& self, IntList output_size, bool align_corners,
                         Factor scales) {
  return resized_smoothly(self, resizes(self, output_size, scales),
                          {Filter::kLinear, align_corners});
}
Tensor upsample_linear1d_vec(const Tensor& input, Sizes output_size, bool align_corners,
                             FactorList scale_factors) {
  const Wanted to = wanted("upsample_linear1d", input, output_size, scale_factors);
  return opweave::upsample_linear1d(input, to.sizes, align_corners, to.factors[0]);
}

Tensor upsample_bilinear2d(const Tensor& self, IntList output_size, bool align_corners,
                           Factor scales_h, Factor scales_w) {
  return resized_smoothly(self, resizes(self, output_size, scales_h, scales_w),
                          {Filter::kLinear, align_corners});
}
Tensor upsample_bilinear2d_vec(const Tensor& input, Sizes output_size, bool align_corners,
                               FactorList scale_factors) {
  const Wanted to = wanted("upsample_bilinear2d", input, output_size, scale_factors);
  return opweave::upsample_bilinear2d(input, to.sizes, align_corners, to.factors[0], to.factors[1]);
}

Tensor upsample_trilinear3d(const Tensor& self, IntList output_size, bool align_corners,
                            Factor scales_d, Factor scales_h, Factor scales_w) {
  return resized_smoothly(self, resizes(self, output_size, scales_d, scales_h, scales_w),
                          {Filter::kLinear, align_corners});
}
Tensor upsample_trilinear3d_vec(const Tensor& input, Sizes output_size, bool align_corners,
                                FactorList scale_factors) {
  const Wanted to = wanted("upsample_trilinear3d", input, output_size, scale_factors);
  return opweave::upsample_trilinear3d(input, to.sizes, align_corners, to.factors[0], to.factors[1],
                                       to.factors[2]);
}

Tensor upsample_bicubic2d(const Tensor& self, IntList output_size, bool align_corners,
                          Factor scales_h, Factor scales_w) {
  return resized_smoothly(self, resizes(self, output_size, scales_h, scales_w),
                          {Filter::kCubic, align_corners});
}
Tensor upsample_bicubic2d_vec(const Tensor& input, Sizes output_size, bool align_corners,
                              FactorList scale_factors) {
  const Wanted to = wanted("upsample_bicubic2d", input, output_size, scale_factors);
  return opweave::upsample_bicubic2d(input, to.sizes, align_corners, to.factors[0], to.factors[1]);
}

Tensor _upsample_bilinear2d_aa(const Tensor& self, IntList output_size, bool align_corners,
                               Factor scales_h, Factor scales_w) {
  return resized_smoothly(self, resizes(self, output_size, scales_h, scales_w),
                          {Filter::kLinear, align_corners, true});
}
Tensor _upsample_bilinear2d_aa_vec(const Tensor& input, Sizes output_size, bool align_corners,
                                   FactorList scale_factors) {
  const Wanted to = wanted("_upsample_bilinear2d_aa", input, output_size, scale_factors);
  return opweave::_upsample_bilinear2d_aa(input, to.sizes, align_corners, to.factors[0],
                                          to.factors[1]);
}

Tensor _upsample_bicubic2d_aa(const Tensor& self, IntList output_size, bool align_corners,
                              Factor scales_h, Factor scales_w) {
  return resized_smoothly(self, resizes(self, output_size, scales_h, scales_w),
                          {Filter::kCubic, align_corners, true});
}
Tensor _upsample_bicubic2d_aa_vec(const Tensor& input, Sizes output_size, bool align_corners,
                                  FactorList scale_factors) {
  const Wanted to = wanted("_upsample_bicubic2d_aa", input, output_size, scale_factors);
  return opweave::_upsample_bicubic2d_aa(input, to.sizes, align_corners, to.factors[0],
                                         to.factors[1]);
}

}  // namespace opweave::composite
