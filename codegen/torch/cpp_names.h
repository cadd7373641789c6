// What formulas may name besides operators and arguments: PyTorch's C++ API.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

namespace opweave::codegen::torch {

// The names that C++ headers declare: `FunctionsManual.h` holds the helpers of formulas.
class CppNames {
 public:
  // Takes in every identifier of a header, which has to outlive this, outside of its comments.
  void add_header(std::string_view text);
  // Without a header nothing can be said about a helper.
  bool has_headers() const { return has_headers_; }
  bool contains(std::string_view name) const { return names_.contains(name); }
  const std::unordered_set<std::string_view>& all() const { return names_; }

 private:
  std::unordered_set<std::string_view> names_;
  bool has_headers_ = false;
};

// Types, functions and constants by their qualified name: `std::get`, `at::Reduction::None`.
std::span<const std::string_view> cpp_names();
// Members of Tensor, Scalar, std::optional and lists that are no operators.
std::span<const std::string_view> cpp_members();

bool is_cpp_name(std::string_view qualified);
bool is_cpp_member(std::string_view name);

}  // namespace opweave::codegen::torch
