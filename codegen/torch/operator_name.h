// Names of operators as PyTorch's generator takes them apart: `add_`, `__iand__.Tensor`,
// `f_functional`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opweave::codegen::torch {

struct OperatorName {
  std::string base;         // `add` of `add_`, `and` of `__iand__`
  std::string overload;     // may be empty
  bool in_place = false;    // `add_`, `__iand__`
  bool dunder = false;      // `__and__`
  bool functional = false;  // `f_functional`: what `f` computes, without writing

  // Without the overload: `add_`.
  std::string without_overload() const;
  std::string full() const;
};

// What is wrong with a name, and what to write instead.
struct NameProblem {
  std::string message;
  std::string advice;
};

// Nothing is returned only with a problem.
std::optional<OperatorName> parse_operator_name(std::string_view base, std::string_view overload,
                                                NameProblem& problem);
// With the overload behind a point.
std::optional<OperatorName> parse_operator_name(std::string_view name, NameProblem& problem);

}  // namespace opweave::codegen::torch
