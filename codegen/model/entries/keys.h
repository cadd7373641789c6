// The keys that the entries of the YAML files may have: what stands behind each, and what it means.
// The readers go by these tables, and so do the JSON Schema and the language server.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "dtypes/dtype.h"

namespace opweave::codegen {

// What stands for a key.
enum class Shape : uint8_t {
  text,
  signature,    // a schema string
  formula,      // an expression or formula, or a mapping with one of Key::fields
  formulas,     // an expression or formula, or a mapping from results to such
  dims,         // a text, a list of numbers, or a mapping from one name to either
  boolean,      //
  word,         // one of Key::words, or a mapping with one of Key::fields
  words,        // a list of Key::words, or of any names if there are none
  booleans,     // a list
  by_argument,  // a mapping from arguments to values of the shape Key::element
  by_name,      // a mapping from anything to values of the shape Key::element, or one of Key::words
  result,       // a formula, a list of formulas, or a mapping with Key::fields; or, by name, those
  // A mapping from arguments to one of Key::words, any value, or a list of values; or a list of
  // mappings to values.
  samples,
};

// Whether an entry has to have it.
enum class Presence : uint8_t {
  optional,
  required,
  computes,  // exactly one of these: how the operator computes
};

// What free names mean.
enum class Names : uint8_t { any, arguments, operators, targets };

struct Key {
  std::string_view name;
  Shape shape = Shape::text;
  std::string_view doc;  // in Markdown
  Presence presence = Presence::optional;
  Names names = Names::any;
  Shape element = Shape::text;
  std::span<const std::string_view> words = {};
  std::span<const Key> fields = {};

  bool is_formula() const { return shape == Shape::formula || shape == Shape::formulas; }
};

struct KeyTable {
  std::span<const Key> keys;
  // What every key that is not in the table is, if there may be such: of derivatives, whose keys
  // are the names of arguments.
  const Key* other = nullptr;

  // `other` if the name is none of the table; null if there is no such key.
  const Key* find(std::string_view name) const;
  std::vector<std::string_view> names() const;
};

const KeyTable& operator_keys();
const KeyTable& object_keys();
const KeyTable& derivative_keys();
const KeyTable& target_keys();

// The words of closed sets. Those that name the values of an enum stand in its order.
namespace words {
inline constexpr std::string_view kVariants[] = {"function", "method"};
inline constexpr std::string_view kBatching[] = {"pointwise", "same", "sized",
                                                 "dims",      "loop", "none"};
// Of Autocast.
inline constexpr std::string_view kAutocast[] = {"none", "lower_precision", "fp32", "promote",
                                                 "refused"};
inline constexpr std::string_view kRoles[] = {"number",   "dim",       "dims_or_all", "order",
                                              "new_dim",  "sizes",     "index",       "probability",
                                              "training", "statistics"};
inline constexpr std::string_view kPromotion[] = {"default", "int_to_float", "none", "same",
                                                  "bool"};
// Of OutDtype.
inline constexpr std::string_view kOutDtypes[] = {"same", "cast", "truth", "any"};
inline constexpr std::string_view kModules[] = {"nn", "linalg", "special", "fft"};
inline constexpr std::string_view kTags[] = {
    "nondeterministic", "random", "data_dependent", "copy", "contiguous", "expanded"};
inline constexpr std::string_view kRequire[] = {"calls"};
// Of Domain.
inline constexpr std::string_view kDomains[] = {"real",  "positive", "unit",    "nonzero",
                                                "ge1",   "prob",     "int",     "bool",
                                                "small", "wide",     "distinct"};
// Groups, then single ones.
inline constexpr auto kDtypes = [] {
  std::array<std::string_view, std::size(kDtypeGroups) + kNumScalarTypes> names;
  size_t n = 0;
  for (const DtypeGroup& group : kDtypeGroups) names[n++] = group.name;
  for (const DtypeInfo& dtype : opweave::kDtypes) names[n++] = dtype.name;
  return names;
}();
}  // namespace words

}  // namespace opweave::codegen
