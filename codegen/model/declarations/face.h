// How programs see an operator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/model/declarations/nn_function.h"

namespace opweave::codegen {

struct PythonOperator;

struct Face {
  bool function = true;  // variants
  bool method = false;
  bool internal = false;      // no Python or `ow::` API
  std::string python_name;    // as Python calls it: base name unless said otherwise
  std::string python_module;  // ``, `nn`, `linalg`, `special`, `fft`
  const PythonOperator* python_operator = nullptr;  // that calls the methods of its name
  std::optional<NnFunction> nn_function;  // of nn.functional, if there is one that calls it
  std::vector<uint16_t> numbers;          // tensor arguments for which Python may pass a number
  std::string doc;
  std::vector<std::string> tags;
};

}  // namespace opweave::codegen
