// The C++ API that formulas are written against, and the names of headers.
#include "codegen/torch/cpp_names.h"

#include <algorithm>
#include <array>

#include "codegen/syntax/scanner.h"

namespace opweave::codegen::torch {
namespace {

constexpr std::array kNames = std::to_array<std::string_view>({
    "true",
    "false",
    "nullptr",
    "bool",
    "double",
    "float",
    "int",
    "int64_t",
    "Tensor",
    "TensorList",
    "Scalar",
    "IntArrayRef",
    "SymInt",
    "SymIntArrayRef",
    "GradMode::is_enabled",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "M_E",
    "M_LN10",
    "M_LN2",
    "M_LOG10E",
    "M_LOG2E",
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_SQRT1_2",
    "M_SQRT2",
    "fmap",
    "std::array",
    "std::get",
    "std::make_tuple",
    "std::nullopt",
    "std::optional",
    "std::tuple",
    "std::vector",
    "c10::IntArrayRef",
    "c10::Scalar",
    "c10::SymInt",
    "c10::SymIntArrayRef",
    "c10::kJagged",
    "at::IntArrayRef",
    "at::OptionalArrayRef",
    "at::Reduction::Mean",
    "at::Reduction::None",
    "at::Reduction::Sum",
    "at::Scalar",
    "at::sum_to",
    "at::Tensor",
    "at::TensorList",
    "at::native::get_nested_tensor_impl",
    "isDifferentiableType",
    // What torchgen replaces by things that it saves.
    "to_args_scalartypes",
    "to_args_sizes",
    "to_args_sizes_symint",
    "wrap_opt_if",
});

constexpr std::array kMembers = std::to_array<std::string_view>({
    "back",
    "begin",
    "defined",
    "device",
    "dim",
    "dtype",
    "empty",
    "end",
    "equal",
    "front",
    "get_nested_sizes",
    "has_value",
    "imag",
    "is_cuda",
    "isBoolean",
    "isComplex",
    "isFloatingPoint",
    "isIntegral",
    "layout",
    "mH",
    "mT",
    "ndimension",
    "numel",
    "options",
    "real",
    "requires_grad",
    "scalar_type",
    "size",
    "sizes",
    "storage_offset",
    "strides",
    "suggest_memory_format",
    "sym_blocksize",
    "sym_numel",
    "sym_size",
    "sym_sizes",
    "sym_storage_offset",
    "sym_strides",
    "toComplexDouble",
    "toDouble",
    "toFloat",
    "toInt",
    "toLong",
    "toSymInt",
    "value",
    "value_or",
});

bool has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void CppNames::add_header(std::string_view text) {
  has_headers_ = true;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) {
      at += std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      const size_t end = rest.find("*/");
      at += end == std::string_view::npos ? rest.size() : end + 2;
    } else if (is_identifier_start(rest[0])) {
      const size_t size = std::ranges::find_if_not(rest, is_identifier_char) - rest.begin();
      names_.insert(rest.substr(0, size));
      at += size;
    } else {
      ++at;
    }
  }
}

std::span<const std::string_view> cpp_names() { return kNames; }
std::span<const std::string_view> cpp_members() { return kMembers; }
bool is_cpp_name(std::string_view qualified) { return has(kNames, qualified); }
bool is_cpp_member(std::string_view name) { return has(kMembers, name); }

}  // namespace opweave::codegen::torch
