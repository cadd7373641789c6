// Which of PyTorch's operators Opweave has, defines differently, or lacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/model/model.h"
#include "codegen/torch/native_functions.h"

namespace opweave::codegen::torch {

enum class Parity : uint8_t {
  same,            // the same schema; `SymInt` is an int
  renamed,         // the same schema under another overload name
  different,       // an operator of this name with another schema
  lacks_overload,  // other overloads of the name
  lacks,           // nothing of the name
};
constexpr size_t kParities = 5;
std::string_view parity_name(Parity parity);  // `same`, ..., `lacks an overload`, `lacks`

// In what two schemas differ: `types: 'dim' is int[1]? there, int? here`.
struct Difference {
  enum class Kind : uint8_t { arguments, names, types, defaults, alias, order, results };
  Kind kind;
  std::string text;
};
std::string_view kind_name(Difference::Kind kind);
std::vector<Difference> differences(const Schema& theirs, const Schema& ours);

// What it would take to have the operator, as PyTorch's file tells.
enum class Effort : uint8_t {
  pointwise,  // tagged so: an `expr`
  composite,  // made of others: a `composite`
  kernel,     // has kernels of its own
  form,       // in-place or out: comes with the functional form
};
std::string_view effort_name(Effort effort);

struct ParityRow {
  const NativeFunction* native = nullptr;
  const Operator* own = nullptr;  // of same, renamed, different
  Parity parity = Parity::lacks;
  Effort effort = Effort::kernel;
  std::string group;  // `torch`, `nn`, ..., `private`, `gradients`, `one backend`
  bool is_core = false;
  std::vector<Difference> differences;
};

// One row for each of PyTorch's operators, in the order of its file.
std::vector<ParityRow> compare_operators(const NativeFunctions& functions, const Model& model);

}  // namespace opweave::codegen::torch
