// What Python reads in the values of YAML: PyTorch's generator asks for texts, truth values and
// lists.
#pragma once

#include <string>
#include <string_view>

#include "codegen/syntax/yaml.h"

namespace opweave::codegen::torch {

enum class YamlKind : uint8_t { text, truth, number, time, nothing, list, mapping };

// By the rules of YAML 1.1, which PyYAML follows: `yes` and `off` are truth values, `1_000` is a
// number, and so is `1:30`.
YamlKind yaml_kind(const YamlNode& node);
YamlKind plain_kind(std::string_view text);  // of what is not in quotes
bool yaml_truth(std::string_view text);      // of a truth value

// `the number 3`, `a list`, `nothing`: for messages.
std::string describe_value(const YamlNode& node);

}  // namespace opweave::codegen::torch
