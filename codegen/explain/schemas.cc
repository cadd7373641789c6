// OW01xx: schema strings.
#include "codegen/explain/tables.h"

namespace opweave::codegen {
namespace {

constexpr Explanation kExplanations[] = {
    {Code::schema_syntax,
     "'func' is a schema in PyTorch's grammar: name.overload(type argument=default, *, type\n"
     "keyword_only) -> type.",
     {"- func: f(Tensor self)\n  expr: -self\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n"}},
    {Code::unknown_type,
     "Types decide how an argument is passed in C++ and read in Python, so each is known: Tensor,\n"
     "Scalar, int, float, bool, str, ScalarType, Layout, Device, MemoryFormat, Generator, and\n"
     "SymInt, which reads as int.",
     {"- func: f(Tenosr self) -> Tensor\n  expr: -self\n"},
     {"- func: f(Tensor self) -> Tensor\n  expr: -self\n"}},
    {Code::schema_not_canonical,
     "A schema has one spelling: one blank after a comma and around '->', none elsewhere. So it\n"
     "can be searched for, compared with PyTorch's to the letter, and printed back losslessly.",
     {"- func: f(Tensor self,Tensor other) -> Tensor\n  expr: self + other\n"},
     {"- func: f(Tensor self, Tensor other) -> Tensor\n  expr: self + other\n"}},
    {Code::bad_default,
     "A default is a value of the argument's type: it is compiled into C++ and Python as it is.",
     {"- func: f(Tensor self, *, int n=2.5) -> Tensor\n  expr: self * n\n"},
     {"- func: f(Tensor self, *, float n=2.5) -> Tensor\n  expr: self * n\n"}},
    {Code::duplicate_argument,
     "Arguments are told apart by name: in Python calls, in expressions and in derivatives.",
     {"- func: f(Tensor self, Tensor self) -> Tensor\n  expr: self + self\n"},
     {"- func: f(Tensor self, Tensor other) -> Tensor\n  expr: self + other\n"}},
    {Code::bad_alias,
     "An alias annotation says which memory a result shares with an argument, so an argument has\n"
     "the same letter, both are written ('!') or neither, and both are tensors.",
     {"- func: f(Tensor(a) self) -> Tensor(b)\n  kernels: [composite]\n  samples: {self: real}\n"},
     {"- func: f(Tensor(a) self) -> Tensor(a)\n  kernels: [composite]\n  samples: {self: real}\n"}},
    {Code::schema_order,
     "An argument without a default after one with a default could not be given by position\n"
     "without giving the other too. Keyword-only arguments may come in any order.",
     {"- func: f(Tensor self, float n=2, float m) -> Tensor\n  expr: self * n + m\n"},
     {"- func: f(Tensor self, float m, float n=2) -> Tensor\n  expr: self * n + m\n"}},
    {Code::reserved_name,
     "The names of a schema become names in C++ and Python, where a keyword cannot be spelled.\n"
     "Overload names (select.int) only become parts of names and may be keywords; and so may, of\n"
     "Python alone, a positional argument: PyTorch's random_(from, to) is called by position.",
     {"- func: f(Tensor self, *, float default=1) -> Tensor\n  expr: self * default\n"},
     {"- func: f(Tensor self, *, float fallback=1) -> Tensor\n  expr: self * fallback\n"}},
    {Code::bad_schema_name,
     "A name that ends in '_' promises that the operator writes its first argument.",
     {"- func: f_(Tensor self) -> Tensor\n  kernels: [composite]\n  samples: {self: real}\n"},
     {"- func: f_(Tensor(a!) self) -> Tensor(a!)\n  kernels: [composite]\n  samples: {self: "
      "real}\n"}},
    {Code::unwritable_argument,
     "The kernel's declaration is made from the schema, so it can only write what can be handed\n"
     "to it: a Tensor& that is there, not one that may be None. In-place and out forms return "
     "what\n"
     "they write, or nothing: a new result would be one that no caller expects. And an operator\n"
     "that is given by an expr or composite makes a result and writes nothing.",
     {"- func: f_(Tensor(a!) self) -> Tensor\n  kernels: [cpu]\n  samples: {self: real}\n  "
      "differentiable: false\n"},
     {"- func: f_(Tensor(a!) self) -> Tensor(a!)\n  kernels: [cpu]\n  samples: {self: real}\n  "
      "differentiable: false\n"}},
};

}  // namespace

std::span<const Explanation> schema_explanations() { return kExplanations; }

}  // namespace opweave::codegen
