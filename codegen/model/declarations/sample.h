// The inputs that generated tests run an operator on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/source.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// What elements of a tensor are drawn from; the order is that of words::kDomains (keys.h).
enum class Domain : uint8_t {
  real,
  positive,
  unit,  // -1 to 1
  nonzero,
  ge1,
  prob,
  integer,
  boolean,
  small,     // -0.5 to 0.5
  wide,      // -12 to 12
  distinct,  // no two elements are equal
  below,     // whole numbers from 0 up to a limit: indices
};
// Empty if it is none. `below` is spelled with its limit, and not among them.
std::optional<Domain> domain_from_name(std::string_view name);
std::string_view domain_name(Domain domain);  // as YAML spells it

// `samples: {self: positive, alpha: [2, 0.5]}`: how one argument is drawn in every call.
struct ArgumentSample {
  std::string argument;
  std::optional<Domain> domain;
  std::vector<Constant> values;  // without a domain: one is taken at a time, there is one at least
  Span span;                     // of what is said of it
};

// One argument of a call.
struct SampleValue {
  enum class Kind : uint8_t {
    drawn,     // a tensor of a domain
    number,    // a number of a domain
    elements,  // a tensor whose elements are `constant`
    constant,  // anything that is no tensor
    list,      // of tensors
  };

  Kind kind = Kind::constant;
  Domain domain = Domain::real;
  int64_t limit = 0;           // of Domain::below
  std::vector<int64_t> sizes;  // of a drawn tensor
  std::string dtype;           // the same; empty: what the call is run with, or the domain's own
  Constant constant;           // dtypes, devices and the like are symbols
  std::vector<SampleValue> items;
};

// `samples: [{self: real(2x3), dim: 1}]`: one call.
struct SampleCall {
  struct Given {
    std::string argument;
    SampleValue value;
    Span span = {};  // of the value; nothing where it was not written
  };
  std::vector<Given> arguments;
  Span span = {};  // of what makes the call; nothing where types alone do
};

}  // namespace opweave::codegen
