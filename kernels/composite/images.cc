// Elements of images in other places: pixels for channels, channels in turns, windows as columns.
#include "kernels/composite/channels_last.h"
#include "kernels/composite/writing.h"
#include "opweave/kernels/composite/channel_shuffle.h"
#include "opweave/kernels/composite/col2im.h"
#include "opweave/kernels/composite/im2col.h"
#include "opweave/kernels/composite/pixel_shuffle.h"
#include "opweave/kernels/composite/pixel_unshuffle.h"
#include "opweave/ops/_unsafe_view.h"
#include "opweave/ops/add.h"
#include "opweave/ops/clone.h"
#include "opweave/ops/constant_pad_nd.h"
#include "opweave/ops/contiguous.h"
#include "opweave/ops/empty_strided.h"
#include "opweave/ops/reshape.h"
#include "opweave/ops/transpose.h"
#include "runtime/rules/functions.h"

namespace opweave::composite {
namespace {

// Of a tensor [*, C * r * r, H, W] the blocks [*, C, r, r, H, W], or of [*, C, H * r, W * r] as
// [*, C, r, r, H, W]. Every geometry has such a view.
Tensor blocks_in_channels(const Tensor& t, int64_t r) {
  const size_t lead = t.sizes().size() - 3;
  const IntList n = t.sizes().subspan(lead), s = t.strides().subspan(lead);
  DimVector sizes(t.sizes().first(lead)), strides(t.strides().first(lead));
  for (int64_t size : {n[0] / (r * r), r, r, n[1], n[2]}) sizes.push_back(size);
  for (int64_t step : {s[0] * r * r, s[0] * r, s[0], s[1], s[2]}) strides.push_back(step);
  return make_alias(t, sizes, strides, t.storage_offset());
}
Tensor blocks_in_planes(const Tensor& t, int64_t r) {
  const size_t lead = t.sizes().size() - 3;
  const IntList n = t.sizes().subspan(lead), s = t.strides().subspan(lead);
  DimVector sizes(t.sizes().first(lead)), strides(t.strides().first(lead));
  for (int64_t size : {n[0], r, r, n[1] / r, n[2] / r}) sizes.push_back(size);
  for (int64_t step : {s[0], s[1], s[2], s[1] * r, s[2] * r}) strides.push_back(step);
  return make_alias(t, sizes, strides, t.storage_offset());
}

// A tensor whose elements are not set, with the channels last if they are so in `self`.
Tensor new_as_in(const Tensor& self, IntList sizes) {
  return opweave::empty_strided(sizes, strides_as_in(self, sizes), self.dtype(), self.layout(),
                                self.device());
}

DimVector with_planes(const Tensor& self, int64_t channels, int64_t rows, int64_t columns) {
  DimVector sizes(self.sizes().first(self.sizes().size() - 3));
  for (int64_t size : {channels, rows, columns}) sizes.push_back(size);
  return sizes;
}

}  // namespace

Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor) {
  const int64_t r = upscale_factor;
  const Tensor out = new_as_in(
      self, with_planes(self, self.size(-3) / (r * r), self.size(-2) * r, self.size(-1) * r));
  copy_into(blocks_in_planes(out, r), blocks_in_channels(self, r));
  return out;
}

Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor) {
  const int64_t r = downscale_factor;
  const Tensor out = new_as_in(
      self, with_planes(self, self.size(-3) * r * r, self.size(-2) / r, self.size(-1) / r));
  copy_into(blocks_in_channels(out, r), blocks_in_planes(self, r));
  return out;
}

Tensor channel_shuffle(const Tensor& self, int64_t groups) {
  DimVector parted(self.sizes());
  parted[1] /= groups;
  parted.insert(1, groups);
  const Tensor turned = opweave::transpose(opweave::reshape(self, parted), 1, 2);
  const Tensor found =
      opweave::_unsafe_view(opweave::clone(turned, MemoryFormat::kContiguous), self.sizes());
  return opweave::contiguous(found, channels_last_of(self).value_or(MemoryFormat::kContiguous));
}

// Windows as columns.
namespace {

// A number for each of two dimensions.
struct Pair {
  int64_t values[2];

  Pair(IntList list) : values{rule::pick(list, 0), rule::pick(list, 1)} {}
  int64_t operator[](size_t d) const { return values[d]; }
};

// The windows of images [*, rows, columns] that are padded already.
struct Windows {
  Pair kernel, dilation, stride;
  int64_t counts[2];

  Windows(IntList sizes, const Pair& kernel, const Pair& dilation, const Pair& padding,
          const Pair& stride)
      : kernel(kernel), dilation(dilation), stride(stride) {
    for (size_t d = 0; d < 2; ++d) {
      counts[d] = rule::window(sizes[sizes.size() - 2 + d], kernel[d], stride[d], padding[d],
                               dilation[d], /*ceil_mode=*/false);
    }
  }

  // [*, kernel rows, kernel columns, windows in a column, windows in a row]
  Tensor of(const Tensor& images) const {
    const size_t lead = images.sizes().size() - 2;
    const IntList s = images.strides().subspan(lead);
    DimVector sizes(images.sizes().first(lead)), strides(images.strides().first(lead));
    for (int64_t size : {kernel[0], kernel[1], counts[0], counts[1]}) sizes.push_back(size);
    for (size_t d = 0; d < 2; ++d) strides.push_back(s[d] * dilation[d]);
    for (size_t d = 0; d < 2; ++d) strides.push_back(s[d] * stride[d]);
    return make_alias(images, sizes, strides, images.storage_offset());
  }
};

bool pads(const Pair& padding) { return padding[0] != 0 || padding[1] != 0; }

// The windows [*, windows in a column, windows in a row] of one element of the kernel.
Tensor of_element(const Tensor& windows, int64_t row, int64_t column) {
  const size_t lead = windows.sizes().size() - 4;
  const IntList s = windows.strides().subspan(lead);
  DimVector sizes(windows.sizes().first(lead)), strides(windows.strides().first(lead));
  for (size_t d = 2; d < 4; ++d) {
    sizes.push_back(windows.sizes()[lead + d]);
    strides.push_back(s[d]);
  }
  return make_alias(windows, sizes, strides, windows.storage_offset() + row * s[0] + column * s[1]);
}

}  // namespace

Tensor im2col(const Tensor& self, IntList kernel_size, IntList dilation, IntList padding,
              IntList stride) {
  const Pair kernel(kernel_size), pad(padding);
  const Windows windows(self.sizes(), kernel, dilation, pad, stride);
  const int64_t around[] = {pad[1], pad[1], pad[0], pad[0]};
  const Tensor images = pads(pad) ? opweave::constant_pad_nd(self, around, 0) : self;
  const Tensor parts = windows.of(images);
  Tensor out = make_tensor(parts.sizes(), self.dtype(), self.device());
  copy_into(out, parts);
  DimVector sizes(self.sizes().first(self.sizes().size() - 2));
  sizes.back() *= kernel[0] * kernel[1];
  sizes.push_back(windows.counts[0] * windows.counts[1]);
  return opweave::reshape(out, sizes);
}

Tensor col2im(const Tensor& self, IntList output_size, IntList kernel_size, IntList dilation,
              IntList padding, IntList stride) {
  const Pair kernel(kernel_size), pad(padding);
  DimVector sizes(self.sizes().first(self.sizes().size() - 2));
  sizes.push_back(self.size(-2) / (kernel[0] * kernel[1]));
  DimVector parted(sizes);
  for (size_t d = 0; d < 2; ++d) sizes.push_back(output_size[d] + 2 * pad[d]);
  const Tensor images = zeroed(make_tensor(sizes, self.dtype(), self.device()));
  const Windows windows(output_size, kernel, dilation, pad, stride);
  for (int64_t size : {kernel[0], kernel[1], windows.counts[0], windows.counts[1]})
    parted.push_back(size);
  const Tensor parts = opweave::reshape(self, parted), places = windows.of(images);
  for (int64_t row = 0; row < kernel[0]; ++row) {
    for (int64_t column = 0; column < kernel[1]; ++column) {
      Tensor place = of_element(places, row, column);
      opweave::add_(place, of_element(parts, row, column));
    }
  }
  if (!pads(pad)) return images;
  const int64_t around[] = {-pad[1], -pad[1], -pad[0], -pad[0]};
  return opweave::constant_pad_nd(images, around, 0);
}

}  // namespace opweave::composite
