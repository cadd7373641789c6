// The operators for which PyTorch's generator makes exceptions of its rules.
#pragma once

#include <string_view>

namespace opweave::codegen::torch {

enum class Exemption {
  default_of_forms,  // of an overload, as all but `sets_storage` and `writes_alone`
  not_seeded,
  out_alone,
  in_place_alone,
  no_out,
  writes_alone,  // of an overload, or of all
  keyword,
  resizes,
  sets_storage,  // of all overloads
  replays,
  each_alone,
  viewed_by_name,    // of all overloads
  without_gradient,  // as derivatives.yaml says
  constant,          // of all overloads
};

bool is_exempt(Exemption rule, std::string_view name);

}  // namespace opweave::codegen::torch
