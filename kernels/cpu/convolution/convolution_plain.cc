// Convolutions as products of matrices: the windows of each image become columns.
#include "kernels/cpu/convolution/convolution_plain.h"

#include <cstring>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/linear_algebra/gemm.h"

namespace opweave::cpu {
namespace {

// The sizes of a convolution with missing spatial dimensions filled in front as 1.
struct Volume {
  int64_t size[3] = {1, 1, 1};
  int64_t numel() const { return size[0] * size[1] * size[2]; }
};

class Windows {
 public:
  explicit Windows(const plans::ConvolutionShape& shape)
      : groups(shape.groups), channels(shape.weight[1]), outputs(shape.weight[0] / shape.groups) {
    const size_t missing = 3 - shape.spatial();
    for (size_t i = 0; i < shape.spatial(); ++i) {
      in.size[missing + i] = shape.input[i + 2];
      kernel.size[missing + i] = shape.weight[i + 2];
      out.size[missing + i] = shape.output[i + 2];
      stride.size[missing + i] = shape.stride[i];
      padding_[missing + i] = shape.padding[i];
      dilation.size[missing + i] = shape.dilation[i];
    }
  }

  int64_t groups, channels, outputs;  // channels and outputs of one group
  Volume in, kernel, out, stride, dilation;

  int64_t rows() const { return channels * kernel.numel(); }

  // Visits (column row, output position of a line, image offset or -1 for padding) in order: for
  // each element of the window, for each output position.
  template <class Visit>
  void visit(Visit&& visit) const {
    int64_t row = 0;
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t z = 0; z < kernel.size[0]; ++z) {
        for (int64_t y = 0; y < kernel.size[1]; ++y) {
          for (int64_t x = 0; x < kernel.size[2]; ++x, ++row) {
            visit_row(row, c, {{z, y, x}}, visit);
          }
        }
      }
    }
  }

 private:
  int64_t source(size_t d, int64_t at, int64_t k) const {
    const int64_t i = at * stride.size[d] - padding_[d] + k * dilation.size[d];
    return i >= 0 && i < in.size[d] ? i : -1;
  }

  template <class Visit>
  void visit_row(int64_t row, int64_t channel, const Volume& k, Visit&& visit) const {
    int64_t position = row * out.numel();
    const int64_t base = channel * in.numel();
    for (int64_t z = 0; z < out.size[0]; ++z) {
      const int64_t iz = source(0, z, k.size[0]);
      for (int64_t y = 0; y < out.size[1]; ++y) {
        const int64_t iy = source(1, y, k.size[1]);
        const int64_t line = base + (iz * in.size[1] + iy) * in.size[2];
        for (int64_t x = 0; x < out.size[2]; ++x, ++position) {
          const int64_t ix = source(2, x, k.size[2]);
          visit(position, iz < 0 || iy < 0 || ix < 0 ? -1 : line + ix);
        }
      }
    }
  }

  int64_t padding_[3] = {0, 0, 0};
};

template <class T>
void to_columns(const Windows& w, const T* image, T* columns) {
  w.visit([&](int64_t at, int64_t from) { columns[at] = from < 0 ? T() : image[from]; });
}

template <class T>
void add_columns(const Windows& w, const T* columns, T* image) {
  w.visit([&](int64_t at, int64_t to) {
    if (to >= 0) image[to] = static_cast<T>(image[to] + columns[at]);
  });
}

Matrix dense(void* data, int64_t rows, int64_t columns) {
  return {static_cast<char*>(data), rows, columns, columns, 1};
}

// Calls body(image, group, input of the group, output of the group, weight of the group).
template <class T, class Body>
void for_groups(const plans::ConvolutionShape& shape, const Windows& w, T* input, T* output,
                T* weight, Body&& body) {
  const int64_t in_size = w.channels * w.in.numel(), out_size = w.outputs * w.out.numel();
  for (int64_t n = 0; n < shape.input[0]; ++n) {
    for (int64_t g = 0; g < w.groups; ++g) {
      body(input + (n * w.groups + g) * in_size, output + (n * w.groups + g) * out_size,
           weight + g * w.outputs * w.rows());
    }
  }
}

template <class T>
T* data_of(const Tensor& t) {
  return static_cast<T*>(t.raw_data());
}

template <class Visitor>
void visit_plain(ScalarType dtype, Visitor&& visitor) {
  visit_dtype("slow_conv2d_cpu", dtype, [&]<class T>(TypeTag<T> tag) {
    if constexpr (std::is_floating_point_v<T> ||
                  (std::is_integral_v<T> && !std::is_same_v<T, bool>)) {
      visitor(tag);
    } else {
      fail_dtype("slow_conv2d_cpu", dtype);
    }
  });
}

void clear(Tensor& out) { std::memset(out.raw_data(), 0, out.nbytes()); }

}  // namespace

void plain_convolution(const plans::ConvolutionShape& shape, const Tensor& input,
                       const Tensor& weight, const Tensor& bias, Tensor& out) {
  const Windows w(shape);
  const Tensor columns = make_tensor(IntList{w.rows(), w.out.numel()}, input.dtype(), kCPU);
  visit_plain(input.dtype(), [&]<class T>(TypeTag<T>) {
    T* data = data_of<T>(columns);
    for_groups(shape, w, data_of<T>(input), data_of<T>(out), data_of<T>(weight),
               [&](T* x, T* y, T* k) {
                 to_columns(w, x, data);
                 gemm(input.dtype(), 1, dense(k, w.outputs, w.rows()), matrix_of(columns), 0,
                      dense(y, w.outputs, w.out.numel()));
               });
    if (!bias.defined()) return;
    T* y = data_of<T>(out);
    const int64_t channels = shape.output[1], line = w.out.numel();
    for (int64_t i = 0; i < shape.output[0] * channels; ++i) {
      const T b = data_of<T>(bias)[i % channels * bias.strides()[0]];
      for (int64_t j = 0; j < line; ++j, ++y) *y = static_cast<T>(*y + b);
    }
  });
}

void plain_convolution_data(const plans::ConvolutionShape& shape, const Tensor& grad_output,
                            const Tensor& weight, Tensor& grad) {
  const Windows w(shape);
  clear(grad);
  const Tensor columns = make_tensor(IntList{w.rows(), w.out.numel()}, weight.dtype(), kCPU);
  visit_plain(weight.dtype(), [&]<class T>(TypeTag<T>) {
    for_groups(shape, w, data_of<T>(grad), data_of<T>(grad_output), data_of<T>(weight),
               [&](T* x, T* y, T* k) {
                 gemm(weight.dtype(), 1, dense(k, w.outputs, w.rows()).transposed(),
                      dense(y, w.outputs, w.out.numel()), 0, matrix_of(columns));
                 add_columns(w, data_of<T>(columns), x);
               });
  });
}

void plain_convolution_weight(const plans::ConvolutionShape& shape, const Tensor& grad_output,
                              const Tensor& input, Tensor& grad) {
  const Windows w(shape);
  clear(grad);
  const Tensor columns = make_tensor(IntList{w.rows(), w.out.numel()}, input.dtype(), kCPU);
  visit_plain(input.dtype(), [&]<class T>(TypeTag<T>) {
    for_groups(shape, w, data_of<T>(input), data_of<T>(grad_output), data_of<T>(grad),
               [&](T* x, T* y, T* k) {
                 to_columns(w, x, data_of<T>(columns));
                 gemm(input.dtype(), 1, dense(y, w.outputs, w.out.numel()),
                      matrix_of(columns).transposed(), 1, dense(k, w.outputs, w.rows()));
               });
  });
}

}  // namespace opweave::cpu
