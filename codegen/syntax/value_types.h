// What a position of a schema may hold, and its names in C++ and Python: the table value_types.def.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/syntax/schema.h"

namespace opweave::codegen {

struct ValueType {
  // The ways in which a schema may write it. As an argument alone it needs none.
  enum Form : uint8_t {
    kOptional = 1,           // `T?`
    kList = 2,               // `T[]`
    kSizedList = 4,          // `T[2]`
    kOptionalList = 8,       // `T[]?`, `T[2]?`, of the lists that there are
    kOptionalElements = 16,  // `T?[]`
    kResult = 32,            // `-> T`, also among several
    kListResult = 64,        // `-> T[]`, alone
  };
  BaseType base;
  int forms;
  std::string_view cpp, python, reader, kind;
};
struct ListType {
  BaseType base;
  std::string_view cpp, reader, kind;
};

// Null where no operator has such a value; where there are no lists of them.
const ValueType* find_value_type(BaseType base);
const ListType* find_list_type(BaseType base);

// With the length of a sized list in the place of `{}`.
std::string with_length(std::string_view text, const Type& type);

bool may_be_argument(const Type& type);
bool may_be_result(const Type& type, bool alone);
// All that may stand there instead: `Scalar`, `Scalar?`.
std::vector<std::string> argument_forms(const Type& type);
std::vector<std::string> result_types(bool alone);

}  // namespace opweave::codegen
