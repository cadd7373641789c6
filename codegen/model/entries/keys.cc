// The tables of keys.def.
#include "codegen/model/entries/keys.h"

#include <algorithm>

#include "codegen/model/entries/python_operators.h"

namespace opweave::codegen {
namespace {

constexpr Key kBatchingKeys[] = {
    {.name = "batch",
     .shape = Shape::formula,
     .doc = "A formula for tensors that each may have the examples in front."},
    {.name = "example",
     .shape = Shape::formula,
     .doc = "A formula that computes one example with other operators."},
};

constexpr Key kReferenceKeys[] = {
    {.name = "numpy",
     .shape = Shape::text,
     .doc = "An expression of Python. Tensors are arrays, `np` is NumPy; several results are a "
            "tuple."},
};

constexpr Key kAutocastKeys[] = {
    {.name = "cpu", .shape = Shape::word, .doc = "On the CPU.", .words = words::kAutocast},
    {.name = "others",
     .shape = Shape::word,
     .doc = "On devices of every other kind.",
     .words = words::kAutocast},
};

constexpr Key kOutputKeys[] = {
    {.name = "sizes",
     .shape = Shape::formula,
     .doc = "All sizes as one expression, or a list with one for each."},
    {.name = "dtype",
     .shape = Shape::formula,
     .doc = "The dtype; that of the first tensor if it is not given."},
    {.name = "device",
     .shape = Shape::formula,
     .doc = "The device; that of the first tensor if it is not given."},
    {.name = "strides",
     .shape = Shape::formula,
     .doc = "The strides; contiguous if they are not given."},
    {.name = "offset",
     .shape = Shape::formula,
     .doc = "Of a view: where it begins in the memory of what it views."},
    {.name = "when",
     .shape = Shape::formula,
     .doc = "Whether there is such a result; an undefined tensor where there is none."},
};

#define OPWEAVE_KEY(key, kind, text, ...) \
  {.name = #key, .shape = Shape::kind, .doc = text __VA_OPT__(, ) __VA_ARGS__},

constexpr Key kOperatorKeys[] = {
#define OPWEAVE_OPERATOR_KEY OPWEAVE_KEY
#include "codegen/model/entries/keys.def"
};

constexpr Key kObjectKeys[] = {
#define OPWEAVE_OBJECT_KEY OPWEAVE_KEY
#include "codegen/model/entries/keys.def"
};

constexpr Key kDerivativeKeys[] = {
#define OPWEAVE_DERIVATIVE_KEY OPWEAVE_KEY
#include "codegen/model/entries/keys.def"
};

constexpr Key kTargetKeys[] = {
#define OPWEAVE_TARGET_KEY OPWEAVE_KEY
#include "codegen/model/entries/keys.def"
};

constexpr Key kGradient = {
    .name = "ARGUMENT",
    .shape = Shape::formula,
    .doc =
        "The gradient of the arguments that the key names: a formula, `zero`, "
        "`non_differentiable`, `refused` (a call whose input requires one is an error), or "
        "`not_implemented` for all: a backward pass is then an error. "
        "Several arguments share one that returns as many values. Under the "
        "name of an output, its forward rule: a formula of tangents, `auto_linear` or "
        "`auto_element_wise`.",
    .names = Names::arguments};

constexpr KeyTable kOperators{kOperatorKeys};
constexpr KeyTable kObjects{kObjectKeys};
constexpr KeyTable kDerivatives{kDerivativeKeys, &kGradient};
constexpr KeyTable kTargets{kTargetKeys};

}  // namespace

const Key* KeyTable::find(std::string_view name) const {
  const auto found = std::ranges::find(keys, name, &Key::name);
  return found == keys.end() ? other : &*found;
}

std::vector<std::string_view> KeyTable::names() const {
  std::vector<std::string_view> names;
  for (const Key& key : keys) names.push_back(key.name);
  return names;
}

const KeyTable& operator_keys() { return kOperators; }
const KeyTable& object_keys() { return kObjects; }
const KeyTable& derivative_keys() { return kDerivatives; }
const KeyTable& target_keys() { return kTargets; }

}  // namespace opweave::codegen
