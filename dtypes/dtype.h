// ScalarType and what dtypes.def says of each, for the generator and the runtime alike: sizes,
// names, groups. Below both, and without anything of either: C++ element types are in
// runtime/core/numbers/scalar_type.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace opweave {

enum class ScalarType : int8_t {
#define OW_DTYPE(id, ...) k##id,
#include "dtypes/dtypes.def"
  kUndefined,
};
inline constexpr int kNumScalarTypes = static_cast<int>(ScalarType::kUndefined);
static_assert(kNumScalarTypes < 64, "a mask has 64 bits, and kUndefined is in no set");

#define OW_DTYPE(id, ...) inline constexpr ScalarType k##id = ScalarType::k##id;
#include "dtypes/dtypes.def"

// In the order of promotion: a result is of the highest category among its operands.
enum class DtypeCategory : uint8_t { boolean, unsigned_integer, signed_integer, floating, complex };
enum class DtypePromotion : uint8_t { lattice, complexes, floats, never };
enum class DtypeQuantization : uint8_t { none, affine };

// A line of dtypes.def; the columns are described there.
struct DtypeInfo {
  std::string_view id, name, cpp;
  ScalarType compute, part;
  uint8_t bytes;
  DtypeCategory category;
  DtypePromotion promotion;
  int fraction, exponent;
  double largest;
  std::string_view alias, method;
  DtypeQuantization quantization;
  char numpy, buffer;
  uint8_t dlpack;
  std::string_view safetensors;
  bool array_api;
  std::string_view message, spelled;
};

inline constexpr DtypeInfo kDtypes[] = {
#define OW_DTYPE(id, name, cpp, compute, part, bytes, category, promotion, fraction, exponent, \
                 largest, alias, method, quantization, ...)                                    \
  {#id,                                                                                        \
   #name,                                                                                      \
   #cpp,                                                                                       \
   ScalarType::k##compute,                                                                     \
   ScalarType::k##part,                                                                        \
   bytes,                                                                                      \
   DtypeCategory::category,                                                                    \
   DtypePromotion::promotion,                                                                  \
   fraction,                                                                                   \
   exponent,                                                                                   \
   largest,                                                                                    \
   alias,                                                                                      \
   method,                                                                                     \
   DtypeQuantization::quantization,                                                            \
   __VA_ARGS__},
#include "dtypes/dtypes.def"
};

constexpr const DtypeInfo& dtype_info(ScalarType t) { return kDtypes[static_cast<int>(t)]; }

// --- sets ---------------------------------------------------------------------------------------

// A set of dtypes, as bits 1 << ScalarType.
using DtypeMask = uint64_t;

constexpr DtypeMask dtype_bit(ScalarType t) { return DtypeMask{1} << static_cast<int>(t); }
constexpr bool contains(DtypeMask set, ScalarType t) { return (set & dtype_bit(t)) != 0; }

// The dtypes for which `wanted(line of the table)` holds.
template <class Wanted>
constexpr DtypeMask dtypes_where(Wanted wanted) {
  DtypeMask set = 0;
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (wanted(kDtypes[i])) set |= DtypeMask{1} << i;
  }
  return set;
}

namespace dtypes {
inline constexpr DtypeMask kEvery = dtypes_where([](const DtypeInfo&) { return true; });
inline constexpr DtypeMask kFloating =
    dtypes_where([](const DtypeInfo& d) { return d.category == DtypeCategory::floating; });
inline constexpr DtypeMask kComplex =
    dtypes_where([](const DtypeInfo& d) { return d.category == DtypeCategory::complex; });
inline constexpr DtypeMask kReal = kEvery & ~kComplex;
inline constexpr DtypeMask kIntegral = dtypes_where([](const DtypeInfo& d) {
  return d.category == DtypeCategory::unsigned_integer ||
         d.category == DtypeCategory::signed_integer;
});
// Those that promote among themselves: what operators are defined for unless they say more.
inline constexpr DtypeMask kCommon =
    dtypes_where([](const DtypeInfo& d) { return d.promotion == DtypePromotion::lattice; });
inline constexpr DtypeMask kCommonFloating = kCommon & kFloating;
inline constexpr DtypeMask kCommonIntegral = kCommon & kIntegral;
inline constexpr DtypeMask kCommonWhole = kCommon & ~kFloating;  // with bool
inline constexpr DtypeMask kCommonNumeric = kCommonIntegral | kCommonFloating;
// Arithmetic on them is done in a wider type.
inline constexpr DtypeMask kComputedWider =
    dtypes_where([](const DtypeInfo& d) { return dtype_info(d.compute).id != d.id; });
inline constexpr DtypeMask kReducedFloat = kComputedWider & kCommon;
inline constexpr DtypeMask kFloat8 = kFloating & ~kCommon;
inline constexpr DtypeMask kWideUnsigned = kIntegral & ~kCommon;
}  // namespace dtypes

// The groups of dtypes that have a name in YAML, and their constants, for generated C++.
struct DtypeGroup {
  std::string_view name;
  DtypeMask dtypes;
  std::string_view constant;
};
inline constexpr DtypeGroup kDtypeGroups[] = {
    {"all", dtypes::kCommon, "dtypes::kCommon"},
    {"floating", dtypes::kCommonFloating, "dtypes::kCommonFloating"},
    {"integral", dtypes::kCommonIntegral, "dtypes::kCommonIntegral"},
    {"integral_or_bool", dtypes::kCommonWhole, "dtypes::kCommonWhole"},
    {"numeric", dtypes::kCommonNumeric, "dtypes::kCommonNumeric"},
    {"wide_unsigned", dtypes::kWideUnsigned, "dtypes::kWideUnsigned"},
    {"float8", dtypes::kFloat8, "dtypes::kFloat8"},
    {"complex", dtypes::kComplex, "dtypes::kComplex"},
    {"real", dtypes::kReal, "dtypes::kReal"},
    {"every", dtypes::kEvery, "dtypes::kEvery"},
};

// --- questions ----------------------------------------------------------------------------------

// Asked on every call: a table of its own is read faster than a line of the large one.
constexpr size_t element_size(ScalarType t) {
  constexpr uint8_t sizes[] = {
#define OW_DTYPE(id, name, cpp, compute, part, bytes, ...) bytes,
#include "dtypes/dtypes.def"
      0};
  return sizes[static_cast<int>(t)];
}
// Bytes of the largest element: room for one of any dtype.
inline constexpr size_t kLargestElement = [] {
  size_t largest = 0;
  for (const DtypeInfo& dtype : kDtypes) {
    if (dtype.bytes > largest) largest = dtype.bytes;
  }
  return largest;
}();
constexpr bool is_floating(ScalarType t) { return contains(dtypes::kFloating, t); }
constexpr bool is_complex(ScalarType t) { return contains(dtypes::kComplex, t); }
constexpr bool is_integral(ScalarType t, bool include_bool) {
  return contains(dtypes::kIntegral, t) || (include_bool && t == kBool);
}
constexpr bool is_signed(ScalarType t) {
  const DtypeCategory category = dtype_info(t).category;
  return category >= DtypeCategory::signed_integer;
}
// float16 and bfloat16.
constexpr bool is_reduced_float(ScalarType t) { return contains(dtypes::kReducedFloat, t); }
// Whether autograd applies: results of such a type can require grad.
constexpr bool is_differentiable(ScalarType t) {
  return contains(dtypes::kFloating | dtypes::kComplex, t);
}
// The type in which arithmetic on elements of `t` is done.
constexpr ScalarType compute_dtype(ScalarType t) {
  return t == ScalarType::kUndefined ? t : dtype_info(t).compute;
}
// Of the parts of a complex number; of other types their own.
constexpr ScalarType part_dtype(ScalarType t) {
  return t == ScalarType::kUndefined ? t : dtype_info(t).part;
}
// The complex dtype whose parts have this one; kUndefined where there is none.
constexpr ScalarType complex_dtype(ScalarType part) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto t = static_cast<ScalarType>(i);
    if (is_complex(t) && dtype_info(t).part == part) return t;
  }
  return ScalarType::kUndefined;
}
// How many binary digits of a whole number the dtype holds exactly.
constexpr int digits_of(ScalarType t) {
  const DtypeInfo& d = dtype_info(t);
  if (d.category >= DtypeCategory::floating) return d.fraction + 1;
  if (d.category == DtypeCategory::boolean) return 1;
  return 8 * d.bytes - (d.category == DtypeCategory::signed_integer ? 1 : 0);
}

// The least and the largest whole number down and up to which the dtype holds all; of uint64, as
// far as int64 goes.
constexpr int64_t largest_counted(ScalarType t) {
  const int digits = digits_of(t);
  if (is_floating(t) || is_complex(t)) return int64_t{1} << digits;
  return digits < 64 ? static_cast<int64_t>((uint64_t{1} << digits) - 1) : INT64_MAX;
}
constexpr int64_t least_counted(ScalarType t) {
  if (is_floating(t) || is_complex(t)) return -largest_counted(t);
  return is_signed(t) ? -largest_counted(t) - 1 : 0;
}

// "float32", as in opweave.float32.
constexpr std::string_view dtype_name(ScalarType t) {
  return t == ScalarType::kUndefined ? "undefined" : dtype_info(t).name;
}
// "Float", as in error messages of PyTorch ("expected scalar type Float but found Double").
constexpr std::string_view scalar_type_name(ScalarType t) {
  return t == ScalarType::kUndefined ? "Undefined" : dtype_info(t).id;
}
// Of the name in Python; not of an alias.
constexpr std::optional<ScalarType> dtype_from_name(std::string_view name) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (kDtypes[i].name == name) return static_cast<ScalarType>(i);
  }
  return std::nullopt;
}
inline void append_to(std::string& out, ScalarType t) { out.append(dtype_name(t)); }

}  // namespace opweave
