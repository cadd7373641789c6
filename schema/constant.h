// Constants: the defaults of schema arguments and the values of samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace opweave::schema {

struct Constant {
  enum class Kind : uint8_t { none, boolean, integer, real, string, symbol, list };

  Kind kind = Kind::none;
  bool boolean = false;
  int64_t integer = 0;
  double real = 0;
  std::string text;             // as written: `1e-05`, `"mean"`, `contiguous_format`, `[0, 1]`
  std::string string;           // the contents of a string, the name of a symbol
  std::vector<Constant> items;  // of a list
};

}  // namespace opweave::schema
