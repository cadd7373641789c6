// squareplus as one writes an operator for PyTorch by hand: a loop, a schema, a torch::autograd::Function.
#include <torch/extension.h>

#include <cmath>

namespace {

at::Tensor forward_cpu(const at::Tensor& self, double b) {
  const at::Tensor in = self.contiguous();
  at::Tensor out = at::empty_like(in);
  const float* from = in.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  const float c = static_cast<float>(b);
  at::parallel_for(0, in.numel(), 32768, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      to[i] = 0.5f * (from[i] + std::sqrt(from[i] * from[i] + c));
  });
  return out;
}

at::Tensor backward_cpu(const at::Tensor& grad, const at::Tensor& self, double b) {
  const at::Tensor in = self.contiguous(), g = grad.contiguous();
  at::Tensor out = at::empty_like(in);
  const float* from = in.const_data_ptr<float>();
  const float* by = g.const_data_ptr<float>();
  float* to = out.mutable_data_ptr<float>();
  const float c = static_cast<float>(b);
  at::parallel_for(0, in.numel(), 32768, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      to[i] = by[i] * 0.5f * (1 + from[i] / std::sqrt(from[i] * from[i] + c));
  });
  return out;
}

at::Tensor call_forward(const at::Tensor& self, double b) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("handwritten::squareplus", "")
                             .typed<at::Tensor(const at::Tensor&, double)>();
  return op.call(self, b);
}

at::Tensor call_backward(const at::Tensor& grad, const at::Tensor& self, double b) {
  static const auto op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("handwritten::squareplus_backward", "")
          .typed<at::Tensor(const at::Tensor&, const at::Tensor&, double)>();
  return op.call(grad, self, b);
}

struct Squareplus : torch::autograd::Function<Squareplus> {
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& self,
                            double b) {
    const at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward({self});
    context->saved_data["b"] = b;
    return call_forward(self, b);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto saved = context->get_saved_variables();
    return {call_backward(grads[0], saved[0], context->saved_data["b"].toDouble()), at::Tensor()};
  }
};

at::Tensor forward_autograd(const at::Tensor& self, double b) { return Squareplus::apply(self, b); }

}  // namespace

TORCH_LIBRARY(handwritten, library) {
  library.def("squareplus(Tensor self, *, float b=4) -> Tensor");
  library.def("squareplus_backward(Tensor grad, Tensor self, float b) -> Tensor");
}
TORCH_LIBRARY_IMPL(handwritten, CPU, library) {
  library.impl("squareplus", TORCH_FN(forward_cpu));
  library.impl("squareplus_backward", TORCH_FN(backward_cpu));
}
TORCH_LIBRARY_IMPL(handwritten, Autograd, library) {
  library.impl("squareplus", TORCH_FN(forward_autograd));
}
