// OW06xx: extensions of other frameworks.
#include "codegen/explain/tables.h"

namespace opweave::codegen {
namespace {

constexpr Explanation kExplanations[] = {
    {Code::not_for_torch,
     "gen --emit=torch makes an extension of PyTorch, which traces calls and makes them "
     "functional: an\n"
     "operator that writes an argument, gives a view or takes an object that only Opweave knows "
     "would\n"
     "compute something else there, or could not be called at all.",
     {.ops = "- func: f(Tensor self, Tensor? other=None) -> Tensor\n"
             "  expr: \"other == none ? self : self + other\"\n"
             "  dtypes: floating\n"},
     {.ops = "- func: f(Tensor self, Tensor other) -> Tensor\n"
             "  expr: self + other\n"
             "  dtypes: floating\n"}},
    {Code::not_stable,
     "gen --emit=stable makes a library that runs on later releases of Opweave as well: what it "
     "has in common\n"
     "with the core is a table for each operator. What the table has no place for (views, "
     "autocast, "
     "random\n"
     "numbers, kernels for GPUs, expressions that ask whether an argument is given) needs the "
     "core's own classes,\n"
     "and so do headers that a handwritten kernel includes, but for the few that stay.",
     {.ops = "- func: f(Tensor self, Tensor? other=None) -> Tensor\n"
             "  expr: \"other == none ? self : self + other\"\n"
             "  dtypes: floating\n"},
     {.ops = "- func: f(Tensor self, Tensor other) -> Tensor\n"
             "  expr: self + other\n"
             "  dtypes: floating\n"}},
    {Code::not_for_jax,
     "gen --emit=jax makes a package for JAX, whose arrays are never written and which knows the "
     "operators of\n"
     "Opweave's core by what they compute: an operator that writes an argument, or a formula that "
     "calls a kernel\n"
     "of the core without a counterpart in jax.numpy, has no meaning there.",
     {.ops = "- func: f_(Tensor(a!) self) -> ()\n"
             "  kernels: [cpu]\n"
             "  batching: none\n"
             "  differentiable: false\n"
             "  samples: [{self: real(2)}]\n"},
     {.ops = "- func: f(Tensor self) -> Tensor\n"
             "  kernels: [cpu]\n"
             "  batching: same\n"
             "  result: self.sizes()\n"
             "  differentiable: false\n"
             "  samples: [{self: real(2)}]\n"}},
};

}  // namespace

std::span<const Explanation> extension_explanations() { return kExplanations; }

}  // namespace opweave::codegen
