// What other languages write for rule functions.
#include <algorithm>
#include <iterator>

#include "codegen/rules/functions.h"

namespace opweave::codegen {

static constexpr WrittenElsewhere kElsewhere[] = {
    {"==", true, "same(a, b)"},
    {"!=", true, "!same(a, b)"},
    {"<=", true, "fits_into(a, b)"},
    {"+", true, "concat(a, b)"},
    {"%", false, "mod(a, b)"},
    {"equal", false, "same(a, b) says whether two lists are equal"},
    {"len", false, "x.size() is the length of a list, x.dim() how many dimensions a tensor has"},
    {"numel", false, "x.numel() is how many elements a tensor has, product(sizes) of sizes"},
    {"prod", false, "product(list) is the product of all elements"},
    {"ceil_div", false, "floor_div(a + b - 1, b) divides and rounds up"},
    {"wrap_dim", false, "wrap(dim, rank) counts a dimension from the front"},
    {"maybe_wrap_dim", false, "wrap(dim, rank) counts a dimension from the front"},
    {"broadcast_shapes", false, "broadcast(a, b) are the sizes to which both broadcast"},
    {"promote_types", false, "promoted(a, b) is the dtype to which both promote"},
    {"result_type", false, "promoted(a, b) is the dtype to which both promote"},
    {"item", false, "a rule does not know the elements of a tensor"},
};

std::span<const WrittenElsewhere> written_elsewhere() { return kElsewhere; }

std::string_view RuleEnvironment::instead_of(std::string_view written, bool between_lists) const {
  const auto found = std::ranges::find_if(kElsewhere, [&](const WrittenElsewhere& known) {
    return known.written == written && known.between_lists == between_lists;
  });
  return found == std::end(kElsewhere) ? std::string_view() : found->here;
}

}  // namespace opweave::codegen
