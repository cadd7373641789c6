// OW03xx: operators.
#include "codegen/explain/tables.h"

namespace opweave::codegen {
namespace {

constexpr Explanation kExplanations[] = {
    {Code::duplicate_operator,
     "A fact about an operator is written once. Overloads of one name have different overload\n"
     "names.",
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n"
      "- func: f(Tensor self) -> Tensor\n  expr: self + 1\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n"
      "- func: f.shifted(Tensor self, Scalar by) -> Tensor\n  expr: by - self\n"}},
    {Code::no_implementation,
     "An operator computes by an 'expr', by a 'composite' of other operators, or by handwritten\n"
     "'kernels'.",
     {"- func: f(Tensor self) -> Tensor\n  differentiable: false\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  differentiable: false\n"}},
    {Code::several_implementations,
     "Two ways of computing the same would have to agree for ever, and nobody would know which\n"
     "one runs.",
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  kernels: [cpu]\n  samples: {self: "
      "real}\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n"}},
    {Code::unknown_target,
     "'kernels' names hardware targets that exist (--known-target), 'meta', or one function for "
     "all\n"
     "targets: 'every_target' runs below autograd, 'composite' is differentiated through. 'native' "
     "leaves\n"
     "the hardware to the targets' files, one of which has to name the operator.",
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu, cudda]\n  samples: {self: real}\n  "
      "differentiable: false\n"},
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu, cuda]\n  samples: {self: real}\n  "
      "differentiable: false\n"}},
    {Code::no_gradient_statement,
     "An operator with tensors in and out that says nothing about its gradient would lose it\n"
     "silently. So it has an entry in derivatives.yaml, or says 'differentiable: false'; exprs "
     "are\n"
     "differentiated symbolically and composites through what they call.",
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  samples: {self: real}\n"},
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  samples: {self: real}\n  "
      "differentiable: false\n"}},
    {Code::conflicting_statements,
     "Two keys of one entry, or an entry and a target's file, contradict each other. So do\n"
     "'kernels: [composite]', which autograd differentiates through, and a derivative or\n"
     "'differentiable: false': a function for all targets that runs below autograd is "
     "'every_target'.",
     {"- func: f(Tensor input) -> Tensor\n  expr: -input\n  variants: method\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  variants: method\n"}},
    {Code::wrong_form,
     "An in-place form needs a Tensor as first argument and one new Tensor as result; an out form\n"
     "needs new Tensors as results.",
     {"- func: f(int[] size) -> Tensor\n  kernels: [composite]\n  samples: [{size: [2]}]\n  "
      "inplace: true\n"},
     {"- func: f(int[] size) -> Tensor\n  kernels: [composite]\n  samples: [{size: [2]}]\n  out: "
      "true\n"}},
    {Code::unknown_argument,
     "'samples', 'numbers', 'promotes', 'argument_dtypes' and derivatives name arguments of the\n"
     "operator.",
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  samples: {slef: real}\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n  samples: {self: real}\n"}},
    {Code::names_collide,
     "Different operators, arguments and results have different names wherever they end up: in\n"
     "C++ 'add.a_b' becomes 'add_a_b', in Python functions 'self' becomes 'input', and in\n"
     "derivatives 'grad' is the incoming gradient.",
     {"- func: add.a_b(Tensor self) -> Tensor\n  expr: -self\n"
      "- func: add_a.b(Tensor self) -> Tensor\n  expr: self + 1\n"},
     {"- func: add.ab(Tensor self) -> Tensor\n  expr: -self\n"
      "- func: add_a.b(Tensor self) -> Tensor\n  expr: self + 1\n"}},
    {Code::ambiguous_overloads,
     "Python tries the overloads of a name in a fixed order: parameters are compared from the\n"
     "left, and the first of different kinds decide (bool, then dtypes, devices and strings, then\n"
     "lists, Tensor, int, float, Scalar); where they do not, the order in the file does. That is\n"
     "PyTorch's order. It settles nothing for a call that fits two overloads equally well and\n"
     "means something else in each; and an overload that no call reaches is of no use.",
     {"- func: f.a(Tensor self, int rows=0) -> Tensor\n  kernels: [composite]\n  samples: {self: "
      "real}\n"
      "- func: f.b(Tensor self, int columns=0) -> Tensor\n  kernels: [composite]\n  samples: "
      "{self: real}\n"},
     {"- func: f.a(Tensor self, int rows=0) -> Tensor\n  kernels: [composite]\n  samples: {self: "
      "real}\n"
      "- func: f.b(Tensor self, *, int columns) -> Tensor\n  kernels: [composite]\n  samples: "
      "{columns: 2}\n"}},
    {Code::forms_disagree,
     "'f_' is the in-place form of 'f', and 'f.out' its out form: they take the same arguments,\n"
     "the out form those that it writes after them.",
     {"- func: f(Tensor self, int n) -> Tensor\n  kernels: [cpu]\n  samples: [{self: real(3), n: "
      "1}]\n  roles: {n: number}\n  differentiable: false\n"
      "- func: f.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  kernels: [cpu]\n"},
     {"- func: f(Tensor self, int n) -> Tensor\n  kernels: [cpu]\n  samples: [{self: real(3), n: "
      "1}]\n  roles: {n: number}\n  differentiable: false\n"
      "- func: f.out(Tensor self, int n, *, Tensor(a!) out) -> Tensor(a!)\n  kernels: [cpu]\n"}},
    {Code::differ_in_case,
     "The names of operators are names of files, and not every file system tells 'A' from 'a'.\n"
     "Nor does every reader of overloads and arguments.",
     {"- func: norm(Tensor self) -> Tensor\n  expr: -self\n"
      "- func: Norm(Tensor self) -> Tensor\n  expr: self + 1\n"},
     {"- func: norm(Tensor self) -> Tensor\n  expr: -self\n"
      "- func: shifted_norm(Tensor self) -> Tensor\n  expr: self + 1\n"}},
    {Code::no_samples,
     "Every public operator is tested by generated tests. Of an 'expr' or 'composite' the types "
     "of\n"
     "the arguments say what to call it with, if these are tensors (of an 'expr' also numbers). "
     "What\n"
     "a handwritten kernel can be given, and every other argument without a default, 'samples' "
     "say.",
     {"- func: f(Tensor self, int dim) -> Tensor\n  kernels: [cpu]\n  roles: {dim: dim}\n  "
      "differentiable: false\n"},
     {"- func: f(Tensor self, int dim) -> Tensor\n  kernels: [cpu]\n  roles: {dim: dim}\n  "
      "differentiable: false\n"
      "  samples:\n  - {self: real(2x3), dim: 1}\n"}},
    {Code::incomplete_sample,
     "Each mapping of 'samples' is one call: it gives what a caller would have to give.",
     {"- func: f(Tensor self, int dim) -> Tensor\n  kernels: [cpu]\n  roles: {dim: dim}\n  "
      "differentiable: false\n"
      "  samples:\n  - {self: real(2x3)}\n"},
     {"- func: f(Tensor self, int dim) -> Tensor\n  kernels: [cpu]\n  roles: {dim: dim}\n  "
      "differentiable: false\n"
      "  samples:\n  - {self: real(2x3), dim: -1}\n"}},
    {Code::refused_sample,
     "Samples are what the generated tests call an operator with. One that the operator itself\n"
     "refuses, by 'require' or because its rule cannot be evaluated, tests nothing.",
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n  require:\n"
      "    self.dim() == 2: \"f(): expected a matrix, got {self.dim()} dimensions\"\n"
      "  result: self.sizes()\n  samples: [{self: real(3)}]\n"},
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n  require:\n"
      "    self.dim() == 2: \"f(): expected a matrix, got {self.dim()} dimensions\"\n"
      "  result: self.sizes()\n  samples: [{self: real(3x2)}]\n"}},
    {Code::missing_role,
     "Under vmap the tensors of such an operator have one dimension more, and what names a "
     "dimension is\n"
     "counted behind it. A name like 'dim' says that to a reader only.",
     {"- func: f(Tensor self, int dim) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  samples:\n  - {self: real(2x3), dim: 1}\n"},
     {"- func: f(Tensor self, int dim) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  roles: {dim: dim}\n  samples:\n  - {self: real(2x3), dim: 1}\n"}},
    {Code::missing_result,
     "Results are made before a kernel runs, so 'result' says of each what it looks like: its "
     "sizes,\n"
     "and where they are not those of the first tensor its dtype and device. Where the elements\n"
     "decide, it says 'data'.",
     {"- func: f(Tensor self) -> (Tensor values, Tensor indices)\n  kernels: [cpu]\n"
      "  differentiable: false\n  samples: {self: real}\n"
      "  result:\n    values: self.sizes()\n"},
     {"- func: f(Tensor self) -> (Tensor values, Tensor indices)\n  kernels: [cpu]\n"
      "  differentiable: false\n  samples: {self: real}\n"
      "  result:\n    values: self.sizes()\n"
      "    indices: {sizes: self.sizes(), dtype: int64}\n"}},
    {Code::missing_rule,
     "In the core's files 'result' says of every operator what it gives, so that it runs without\n"
     "elements and its shape is known for unknown sizes. Elsewhere a kernel without a rule makes "
     "its\n"
     "results itself, and has none for 'meta'. 'internal' operators are described by those that "
     "call "
     "them,\n"
     "but say what they require: 'opweave.ops' reaches them, too.",
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  samples: {self: real}\n"},
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  samples: {self: real}\n  result: self.sizes()\n"}},
    {Code::idle_rule,
     "A condition that does not depend on the call always holds, or never; a value of 'let' that\n"
     "nothing reads is left over from something, or its name is misspelt elsewhere.",
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  samples: {self: real}\n  let: {rows: self.size(0)}\n  result: self.sizes()\n"},
     {"- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  samples: {self: real}\n  let: {rows: self.size(0)}\n  result: [rows]\n"}},
    {Code::bad_view,
     "What has 'kernels: [view]' has no other code than its rule: sizes, strides and offset in "
     "the\n"
     "memory of the one tensor that it takes. An in-place operator calls the view that its tensor\n"
     "becomes.",
     {"- func: f(Tensor(a) self) -> Tensor(a)\n  kernels: [view]\n  differentiable: false\n"
      "  samples: {self: real}\n  result: {sizes: self.sizes(), strides: self.strides()}\n"},
     {"- func: f(Tensor(a) self) -> Tensor(a)\n  kernels: [view]\n  differentiable: false\n"
      "  samples: {self: real}\n"
      "  result: {sizes: self.sizes(), strides: self.strides(), offset: self.storage_offset()}\n"}},
    {Code::bad_nn_function,
     "'nn_function' gives the parameters of a function of nn.functional: arguments of the "
     "operator,\n"
     "in any order and with other defaults, and words such as 'inplace'. What it leaves out has a\n"
     "default, and its words make sense for the operator.",
     {"- func: f(Tensor self, int dim) -> Tensor\n  kernels: [cpu]\n"
      "  roles: {dim: dim}\n"
      "  differentiable: false\n  samples: [{self: real(2x3), dim: 1}]\n  nn_function: f(input, "
      "inplace)\n"},
     {"- func: f(Tensor self, int dim) -> Tensor\n  kernels: [cpu]\n"
      "  roles: {dim: dim}\n"
      "  differentiable: false\n  samples: [{self: real(2x3), dim: 1}]\n  nn_function: f(input, "
      "dim=-1)\n"}},
    {Code::bad_python_operator,
     "'python_operator' names what Python's syntax calls: a method that takes one operand more for "
     "a\n"
     "binary operator, and none for a unary one. Python finds one method behind each, so it "
     "stands\n"
     "in one entry, for all overloads of its name; operator libraries add methods, no syntax.",
     {"- func: f(Tensor self) -> Tensor\n  variants: method\n  expr: -self\n  python_operator: "
      "__sub__\n"},
     {"- func: f(Tensor self) -> Tensor\n  variants: method\n  expr: -self\n  python_operator: "
      "__neg__\n"}},
};

}  // namespace

std::span<const Explanation> operator_explanations() { return kExplanations; }

}  // namespace opweave::codegen
