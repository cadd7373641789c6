// OW02xx: expressions and formulas.
#include "codegen/explain/tables.h"

namespace opweave::codegen {
namespace {

constexpr Explanation kExplanations[] = {
    {Code::expression_syntax,
     "'expr', 'composite' and derivatives share one language: names, numbers, strings, calls,\n"
     "methods, lists, C's operators and 'condition ? a : b'. See docs/yaml.md.",
     {"- func: f(Tensor self) -> Tensor\n  expr: self * (1 + self\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: self * (1 + self)\n"}},
    {Code::unknown_name,
     "A name is an argument of the operator or a known constant; in derivatives also grad,\n"
     "grads[i], result, the names of results, and grad_input_mask.",
     {"- func: f(Tensor self, *, Scalar alpha=1) -> Tensor\n  expr: self * alhpa\n"},
     {"- func: f(Tensor self, *, Scalar alpha=1) -> Tensor\n  expr: self * alpha\n"}},
    {Code::unknown_function,
     "An expr calls intrinsics and other expr operators; a formula calls operators that write\n"
     "nothing.",
     {"- func: f(Tensor self) -> Tensor\n  expr: self * sigmod(self)\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: self * sigmoid(self)\n"}},
    {Code::wrong_arguments,
     "A call fits the function's schema: as many arguments as it takes, by names that it has, of\n"
     "types that it takes or that convert without loss.",
     {"- func: f(Tensor self) -> Tensor\n  expr: exp(self, 2)\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: exp(self * 2)\n"}},
    {Code::type_mismatch,
     "Expressions are typed before anything is generated: an operation has a meaning for its\n"
     "operands, and the result is of the type that the schema promises.",
     {"- func: f(Tensor self) -> Tensor\n  composite: self.dim()\n"},
     {"- func: f(Tensor self) -> int\n  composite: self.dim()\n"}},
    {Code::out_of_bounds,
     "What is indexed by a number has that many elements: results of an operator, gradients of\n"
     "outputs, lists of a known size. Of outputs that are not differentiable there is no gradient.",
     {"- func: f(Tensor self) -> (Tensor, Tensor)\n  kernels: [cpu]\n  samples: {self: real}\n",
      "- name: f\n  self: grads[2]\n"},
     {"- func: f(Tensor self) -> (Tensor, Tensor)\n  kernels: [cpu]\n  samples: {self: real}\n",
      "- name: f\n  self: grads[1]\n"}},
    {Code::not_pointwise,
     "An expr computes each element of its one result from the elements in the same place: only\n"
     "then can kernels for every target, shape and dtype be made of it. What looks at several\n"
     "elements is a composite, or has kernels.",
     {"- func: total(Tensor self) -> Tensor\n  kernels: [composite]\n  samples: {self: real}\n"
      "- func: f(Tensor self) -> Tensor\n  expr: self / total(self)\n"},
     {"- func: total(Tensor self) -> Tensor\n  kernels: [composite]\n  samples: {self: real}\n"
      "- func: div.Tensor(Tensor self, Tensor other) -> Tensor\n  expr: self / other\n"
      "- func: f(Tensor self) -> Tensor\n  composite: self / total(self)\n"}},
    {Code::ambiguous_call,
     "A call in a formula means the overload that fits best: with the fewest conversions, then\n"
     "with the fewest defaults. If two fit equally well, the formula has to say more.",
     {"- func: g.a(Tensor self, int? n=None) -> Tensor\n  kernels: [composite]\n  samples: {self: "
      "real}\n"
      "- func: g.b(Tensor self, float? n=None) -> Tensor\n  kernels: [composite]\n  samples: "
      "{self: real}\n"
      "- func: f(Tensor self) -> Tensor\n  composite: g(self)\n"},
     {"- func: g.a(Tensor self, int? n=None) -> Tensor\n  kernels: [composite]\n  samples: {self: "
      "real}\n"
      "- func: g.b(Tensor self, float? n=None) -> Tensor\n  kernels: [composite]\n  samples: "
      "{self: real}\n"
      "- func: f(Tensor self) -> Tensor\n  composite: g(self, 1)\n"}},
    {Code::too_deep,
     "An expression may be nested 200 levels deep: no reader and no compiler wants more.",
     {"- func: f(Tensor self) -> Tensor\n"
      "  expr: --------------------------------------------------------------------------------"
      "--------------------------------------------------------------------------------"
      "-----------------------------------------self\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n"}},
    {Code::recursive_expression,
     "An expression is inlined where it is called, and a composite runs what it calls: neither\n"
     "would ever end if it led back to itself.",
     {"- func: f(Tensor self) -> Tensor\n  expr: g(self) + 1\n"
      "- func: g(Tensor self) -> Tensor\n  expr: f(self) + 1\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: g(self) + 1\n"
      "- func: g(Tensor self) -> Tensor\n  expr: self + 1\n"}},
    {Code::bad_fold,
     "An entry with 'over' folds the dimensions that it names: 'sum(self)' is one number of all\n"
     "elements along them. A fold of what is the same along them folds nothing, and a tensor\n"
     "whose elements lie along some of the axes alone says so in 'axes'. An entry without 'over'\n"
     "folds nothing: its 'axes' name dimensions, whose coordinates its 'expr' reads.",
     {"- func: f(Tensor self, int dim) -> Tensor\n  over: dim\n"
      "  expr: sum(mean(self))\n"},
     {"- func: f(Tensor self, int dim) -> Tensor\n  over: dim\n"
      "  expr: size() * mean(self)\n  samples: [{self: real(2x3), dim: 1}]\n"}},
};

}  // namespace

std::span<const Explanation> expression_explanations() { return kExplanations; }

}  // namespace opweave::codegen
