// The words by which the document names the values of the model's enums, each list in the order of
// its enum. They are part of what the version of the document promises: an enum may change its
// spelling, a word may not.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace opweave::codegen::data {

inline constexpr std::string_view kForms[] = {"functional", "inplace", "out", "manual"};
inline constexpr std::string_view kDifferentiability[] = {"none", "formula", "through",
                                                          "not_implemented"};
inline constexpr std::string_view kBatchRules[] = {"none", "pointwise", "leading_dims",
                                                   "dims", "loop",      "random"};
inline constexpr std::string_view kRoles[] = {
    "",      "number", "dim",         "dims_or_all", "order",     "new_dim",
    "sizes", "index",  "probability", "training",    "statistics"};
inline constexpr std::string_view kElementTypes[] = {"value", "boolean"};
inline constexpr std::string_view kComputeRules[] = {"common", "int_to_float", "first", "same"};
inline constexpr std::string_view kResultRules[] = {"compute", "boolean"};
inline constexpr std::string_view kNumberPlaces[] = {"anywhere", "computation", "element",
                                                     "one_element"};
inline constexpr std::string_view kFormulaKinds[] = {
    "argument", "gradient", "result", "tangent",     "grad_input_mask", "local", "part",
    "constant", "property", "call",   "function",    "element",         "index", "list",
    "tuple",    "unary",    "binary", "conditional", "convert"};
inline constexpr std::string_view kProperties[] = {"sizes",
                                                   "size",
                                                   "dim",
                                                   "numel",
                                                   "strides",
                                                   "stride",
                                                   "storage_offset",
                                                   "scalar_type",
                                                   "layout",
                                                   "device",
                                                   "options",
                                                   "defined",
                                                   "is_floating_point",
                                                   "is_complex",
                                                   "length",
                                                   "sizes_along",
                                                   "has_value"};
inline constexpr std::string_view kConversions[] = {
    "number_to_tensor", "number_to_scalar", "int_to_float", "int_to_list",
    "to_optional",      "none_to_tensor",   "from_optional"};
inline constexpr std::string_view kArgumentGradients[] = {"no_tensor", "formula", "zeros",
                                                          "constant", "refused"};
inline constexpr std::string_view kSavedKinds[] = {"argument", "result", "argument_property",
                                                   "result_property", "forward_value"};
inline constexpr std::string_view kReadParts[] = {"whole", "at", "length", "product"};
inline constexpr std::string_view kRecordWays[] = {"none", "node", "not_implemented", "constant",
                                                   "out"};
inline constexpr std::string_view kWrittenHistories[] = {"zeros", "lost"};
inline constexpr std::string_view kForwardWays[] = {"none",    "formula", "elementwise", "linear",
                                                    "reverse", "zero",    "lost",        "out"};
inline constexpr std::string_view kDomains[] = {"real",  "positive", "unit",     "nonzero",
                                                "ge1",   "prob",     "integer",  "boolean",
                                                "small", "wide",     "distinct", "below"};
inline constexpr std::string_view kIntrinsicKinds[] = {"number", "real", "test", "logic", "bits"};
inline constexpr std::string_view kIntrinsicDomains[] = {"real", "positive", "unit", "above_one"};
inline constexpr std::string_view kIntrinsicFinite[] = {
    "everywhere", "positive", "not_negative", "above_minus_one", "nonzero",      "within_one",
    "up_to_one",  "from_one", "cosine",       "no_pole",         "last_no_pole", "power"};
inline constexpr std::string_view kNnRoles[] = {"argument",    "reduction",    "inplace",
                                                "all_results", "size_average", "reduce"};
inline constexpr std::string_view kCategories[] = {"boolean", "unsigned_integer", "signed_integer",
                                                   "floating", "complex"};

// A value that a list lacks is a mistake of ours.
template <size_t kCount, class Enum>
std::string word(const std::string_view (&words)[kCount], Enum value) {
  const auto index = static_cast<size_t>(value);
  if (index < kCount) return std::string(words[index]);
  std::fprintf(stderr, "codegen/data/words.h: no word for value %zu behind '%s'\n", index,
               std::string(words[kCount - 1]).c_str());
  std::abort();
}

}  // namespace opweave::codegen::data
