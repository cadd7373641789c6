// The model of operators: immutable, validated, complete. Everything that emitters need to know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/expr/element.h"
#include "codegen/expr/formula.h"
#include "codegen/model/declarations/nn_function.h"
#include "codegen/model/declarations/sample.h"
#include "codegen/model/mutants/mutant.h"
#include "codegen/rules/rule.h"
#include "codegen/syntax/schema.h"
#include "dtypes/dtype.h"

namespace opweave::codegen {

struct Derivative;
struct Lowered;
struct Operator;
struct PythonOperator;

// Which of the shapes of one computation an operator is.
enum class Form : uint8_t {
  functional,  // makes new tensors, or views
  inplace,     // `add_`: writes its first argument and returns it
  out,         // `add.out`: writes the tensors it is given as `out`
  manual,  // mutates in a way of its own, as its schema says (`copy_` without a functional form)
};

// How an operator comes to a result.
enum class Implementation : uint8_t {
  expr,       // generated kernels for every target from `expr`
  composite,  // the formula `composite`
  kernels,    // handwritten functions, one per entry of `targets`
  derived,    // an in-place or out form that runs `functional` and copies the result
};

// Which dtypes `out` may have beside that of the result.
enum class OutDtype : uint8_t {
  same,   // none
  cast,   // those to which the result's casts
  truth,  // bool and uint8
  any,    // all
};

// Where its gradient comes from.
enum class Differentiability : uint8_t {
  none,             // declared or necessarily without gradient: its results never require one
  formula,          // `derivative`, written in derivatives.yaml or derived from the expression
  through,          // composite: autograd sees the operators that it calls
  not_implemented,  // results require a gradient, and running backward through it is an error: so
                    // says its entry, or it is the end of the line of derived gradients
};

// How vmap runs an operator on a batch of examples.
enum class Batching : uint8_t {
  automatic,  // by what the operator is: see emit/functionalities/batching_rules.cc
  pointwise,  // its tensors broadcast: their dimensions are lined up behind the examples
  same,       // the operator itself does the same whatever stands in front
  loop,       // one example after the other
  none,       // as if its memory were not a batch's: a view that only memory can make is refused
  sized,      // `size` gives the sizes of the result
  dims,       // arguments name dimensions of its one tensor: they are counted behind the examples
  example,    // `batching_formula` computes one example
  batch,      // `batching_formula` computes all, from tensors with the examples in front
};

// What autocast makes of floating-point arguments.
enum class Autocast : uint8_t {
  none,             // nothing
  lower_precision,  // the dtype of the region
  fp32,
  promote,  // the widest of theirs
  refused,  // an error
};
struct AutocastPolicies {
  Autocast cpu = Autocast::none, others = Autocast::none;
  bool any() const { return cpu != Autocast::none || others != Autocast::none; }
};

// What an argument means, for those who change what it is about: a batch has one dimension more.
enum class Role : uint8_t {
  unsaid,
  number,       // none of the following
  dim,          // an int or ints that name dimensions of the first tensor
  dims_or_all,  // ints that name dimensions, of which none means all
  order,        // all dimensions, in an order
  new_dim,      // a dimension of the result, which has one more than the first tensor
  sizes,        // the sizes of the result
  index,        // of an element
  probability,
  training,    // whether the call is one of training
  statistics,  // a tensor that such a call updates, though the schema does not say so
};

// Dtypes as a set of bits, in the order of dtypes/dtypes.def.
struct DTypeSet {
  DtypeMask bits = 0;

  constexpr bool contains(ScalarType t) const { return opweave::contains(bits, t); }
  constexpr bool contains_all(DTypeSet o) const { return (bits & o.bits) == o.bits; }
  friend constexpr bool operator==(DTypeSet, DTypeSet) = default;
};

// Result `result` is a view of argument `argument` (alias annotation without `!`).
struct ViewOf {
  uint16_t result = 0;
  uint16_t argument = 0;
};

// A value that has elements or is the same for all of them.
inline bool has_elements(const Type& type) {
  const bool is_number = type.base == BaseType::scalar || type.base == BaseType::integer ||
                         type.base == BaseType::floating || type.base == BaseType::boolean;
  return !type.list && (is_number || type.base == BaseType::tensor);
}

struct Operator {
  std::string base_name;      // `add`, `add_`
  std::string overload_name;  // `Tensor`; may be empty
  std::string full_name;      // `add.Tensor`; unique in the table
  std::string identifier;     // `add_Tensor`: full name with `_` for `.`; unique in the table
  Schema schema;
  Form form = Form::functional;
  Implementation implementation = Implementation::kernels;

  // The forms of one computation know each other; null where one does not exist. For a functional
  // operator `functional` is itself; for a manual one it is null.
  const Operator* functional = nullptr;
  const Operator* inplace = nullptr;
  const Operator* out = nullptr;
  // Of one with kernels of its own: the overload whose expression says what its elements are, as
  // pow.Tensor_Tensor says it of pow.Tensor_Scalar. Null if there is none.
  const Operator* elements_of = nullptr;
  // Of a generated backward operator: the operator whose gradient it computes, which decides the
  // files it is printed to. Null for all others.
  const Operator* origin = nullptr;

  // Public face.
  bool variant_function = true;
  bool variant_method = false;
  bool internal = false;      // no Python or `ow::` API
  bool generated = false;     // internal backward operator made from another's expression
  bool imported = false;      // belongs to another library: known for calls, never emitted
  bool left_out = false;      // not selected: declared for handwritten code, nothing else
  std::string python_name;    // as Python calls it: base name unless said otherwise
  std::string python_module;  // ``, `nn`, `linalg`, `special`, `fft`
  const PythonOperator* python_operator = nullptr;  // that calls the methods of its name
  std::optional<NnFunction> nn_function;  // of nn.functional, if there is one that calls it
  std::vector<uint16_t> numbers;          // tensor arguments for which Python may pass a number
  std::string doc;
  std::vector<std::string> tags;

  // Computation. In-place and out forms of `expr` operators share the functional's expression.
  const ElementNode* expr = nullptr;
  std::vector<ElementArgument> element_arguments;  // of expr: parallel to schema.arguments
  const FormulaNode* composite = nullptr;
  std::vector<FormulaLocal> parts;        // of the composite, to which `let` gives names
  std::vector<std::string> targets;       // of kernels: hardware and kKernelWords, in order
  DTypeSet dtypes;                        // allowed to compute in
  std::vector<DTypeSet> argument_dtypes;  // allowed for each argument; empty: all
  DTypeSet left_out_dtypes;               // of `dtypes`, what is not selected; taken from it
  bool has_own_dtypes = false;            // selected for this operator alone
  Promotion promotion;
  std::optional<OutDtype> out_dtype;             // said by the entry; see lowered/out_dtypes.h
  std::vector<ArgumentSample> argument_samples;  // for each call that tests make
  std::vector<SampleCall> sample_calls;          // or the calls themselves
  // What tests compare its values with: a formula over other operators, or an expression of Python.
  const FormulaNode* reference = nullptr;
  std::string numpy_reference;

  // What a call requires and what its results look like; null: its kernels see to that themselves.
  // In-place and out forms that are derived have that of the functional form.
  const Rule* rule = nullptr;

  Batching batching = Batching::automatic;
  const FormulaNode* batching_formula = nullptr;
  AutocastPolicies autocast;
  std::vector<Role> roles;  // parallel to the arguments

  // Effects and gradients.
  std::vector<ViewOf> views;      // not empty: a view operator
  std::vector<uint16_t> mutated;  // arguments that are written
  Differentiability differentiability = Differentiability::none;
  const Derivative* derivative = nullptr;  // of Differentiability::formula; forms share one
  const Lowered* lowered = nullptr;        // the same as emitters print it: model/lowered/

  // Mistakes in the above, for tests to notice; empty unless they were asked for.
  std::vector<Mutant> mutants;

  Span span;  // the entry in ops.yaml

  bool is_view() const { return !views.empty(); }
  bool is_expr() const { return expr != nullptr; }
  bool is_emitted() const { return !imported && !left_out; }
  bool has_target(std::string_view target) const;
  // One function serves all targets: autograd differentiates through it (`composite`), or it runs
  // below autograd (`every_target`, and `view`, which is printed from the rule).
  bool is_handwritten_composite() const { return has_target("composite"); }
  // By what it calls, of whose gradients its own is made.
  bool is_differentiated_through() const {
    return implementation == Implementation::composite || is_handwritten_composite();
  }
  bool serves_every_target() const { return has_target("every_target") || is_view_of_rule(); }
  bool is_view_of_rule() const { return has_target("view"); }
  // Its kernel is made of calls of other operators, whoever wrote it.
  bool calls_operators() const {
    return composite != nullptr || is_handwritten_composite() || has_target("every_target");
  }
  // On some hardware target, where it reads and writes memory.
  bool has_hardware_kernel() const;
  // Written in place without a gradient: some of what was there may stay, and nobody knows what its
  // derivative is. (What an expression gives is constant where it has no gradient.)
  bool loses_gradient() const;
  // Whether every call of a handwritten kernel of it checks conditions first.
  bool has_conditions() const { return rule != nullptr && !rule->requirements.empty(); }
  // Whether calls evaluate what its rule says of results: before a kernel for single targets runs,
  // or in place of one, for a view.
  bool evaluates_results() const {
    return has_hardware_kernel() || (is_view_of_rule() && mutated.empty());
  }
  // Whether its kernels fill results that have been made by its rule.
  bool fills_results() const {
    return rule != nullptr && !rule->outputs.empty() && has_hardware_kernel();
  }
  // Whether its out form is derived: it runs the operator's kernel on the tensors to write.
  bool has_derived_out() const {
    return out != nullptr && out->implementation == Implementation::derived;
  }
  Role role(size_t argument) const {
    return argument < roles.size() ? roles[argument] : Role::unsaid;
  }
  // The argument with this role, or -1.
  int find_role(Role role) const;
  // The indices of tensor and tensor list arguments, in order.
  std::vector<uint16_t> tensor_arguments() const;
};

// The name of the tensor into which result `index` is written: `out`, the result's own, or `out0`.
std::string out_name(const Schema& schema, size_t index);

// All operators of one base name, in the order of their definition.
struct OperatorFamily {
  std::string base_name;
  std::vector<const Operator*> overloads;
};

}  // namespace opweave::codegen
