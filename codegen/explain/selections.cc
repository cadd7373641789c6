// OW05xx: selections.
#include "codegen/explain/tables.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kOperators =
    "- func: f(Tensor self) -> Tensor\n  expr: -self\n  dtypes: floating\n";

constexpr Explanation kExplanations[] = {
    {Code::unknown_selected,
     "A selection chooses among the operators of the library that is generated, by base name (all\n"
     "overloads) or by full name (one). A misspelt name would leave an operator out silently, and\n"
     "an operator of another library is selected where that library is built.",
     {.ops = kOperators, .selection = "operators: [g]\n"},
     {.ops = kOperators, .selection = "operators: [f]\n"}},
    {Code::selected_twice,
     "Two entries of one name could ask for different dtypes, and nobody would know which counts.",
     {.ops = kOperators,
      .selection = "operators:\n- {name: f, dtypes: [float32]}\n- {name: f, dtypes: [float64]}\n"},
     {.ops = kOperators, .selection = "operators:\n- {name: f, dtypes: [float32, float64]}\n"}},
    {Code::dtypes_left_out,
     "An operator whose kernels are generated is built for its selected dtypes and for no others.\n"
     "If it computes in none of them, nothing would be left of it.",
     {.ops = kOperators, .selection = "operators:\n- {name: f, dtypes: [int64]}\n"},
     {.ops = kOperators, .selection = "operators:\n- {name: f, dtypes: [float32]}\n"}},
};

}  // namespace

std::span<const Explanation> selection_explanations() { return kExplanations; }

}  // namespace opweave::codegen
