// The dtypes that an operator takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dtypes/dtype.h"

namespace opweave::codegen {

// Dtypes as a set of bits, in the order of dtypes/dtypes.def.
struct DTypeSet {
  DtypeMask bits = 0;

  constexpr bool contains(ScalarType t) const { return opweave::contains(bits, t); }
  constexpr bool contains_all(DTypeSet o) const { return (bits & o.bits) == o.bits; }
  friend constexpr bool operator==(DTypeSet, DTypeSet) = default;
};

// Which dtypes `out` may have beside that of the result.
enum class OutDtype : uint8_t {
  same,   // none
  cast,   // those to which the result's casts
  truth,  // bool and uint8
  any,    // all
};

struct DTypes {
  DTypeSet computed;                   // allowed to compute in; a selection may leave some out
  std::vector<DTypeSet> of_arguments;  // allowed for each argument; empty: all
  std::optional<OutDtype> of_out;      // said by the entry; see lowered/out_dtypes.h

  constexpr bool takes_complex() const { return (computed.bits & dtypes::kComplex) != 0; }
};

}  // namespace opweave::codegen
