// The C++ types of the element types that dtypes/dtypes.def lists.
#pragma once

#include "dtypes/dtype.h"
#include "runtime/core/numbers/complex.h"
#include "runtime/core/numbers/float8.h"
#include "runtime/core/numbers/half.h"

namespace opweave {

template <class T>
struct CppTypeToScalarType;
template <ScalarType kDtype>
struct ScalarTypeToCppType;
#define OW_DTYPE(id, name, cpp, ...)                 \
  static_assert(sizeof(cpp) == element_size(k##id)); \
  template <>                                        \
  struct CppTypeToScalarType<cpp> {                  \
    static constexpr ScalarType value = k##id;       \
  };                                                 \
  template <>                                        \
  struct ScalarTypeToCppType<k##id> {                \
    using type = cpp;                                \
  };
#include "dtypes/dtypes.def"

template <class T>
inline constexpr ScalarType scalar_type_of = CppTypeToScalarType<T>::value;
template <ScalarType kDtype>
using cpp_type_of = typename ScalarTypeToCppType<kDtype>::type;
// The type in which sums and transcendental functions of T are computed.
template <class T>
using compute_type = cpp_type_of<compute_dtype(scalar_type_of<T>)>;

// A C++ type handed to a generic callable.
template <class T>
struct TypeTag {
  using type = T;
};

// visit(TypeTag<T>()) with the element type of `dtype`, which is one of kDtypes; code is made for
// those alone. Calls otherwise() for any other.
template <DtypeMask kDtypes, class Visitor, class Otherwise>
decltype(auto) visit_dtypes(ScalarType dtype, Visitor&& visit, Otherwise&& otherwise) {
  switch (dtype) {
#define OW_DTYPE(id, name, cpp, ...)                                      \
  case k##id:                                                             \
    if constexpr (contains(kDtypes, k##id)) return visit(TypeTag<cpp>()); \
    break;
#include "dtypes/dtypes.def"
    case ScalarType::kUndefined:
      break;
  }
  otherwise();
  __builtin_unreachable();
}

}  // namespace opweave
