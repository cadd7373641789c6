// The table of operator symbols.
#include "codegen/expr/operator_names.h"

namespace opweave::codegen {
namespace {

struct Entry {
  std::string_view symbol;
  size_t arity;
  std::string_view base_name;
};

constexpr Entry kEntries[] = {
    {"+", 2, "add"},
    {"-", 2, "sub"},
    {"*", 2, "mul"},
    {"/", 2, "div"},
    {"%", 2, "remainder"},
    {"-", 1, "neg"},
    {"<", 2, "lt"},
    {"<=", 2, "le"},
    {">", 2, "gt"},
    {">=", 2, "ge"},
    {"==", 2, "eq"},
    {"!=", 2, "ne"},
    {"&&", 2, "logical_and"},
    {"||", 2, "logical_or"},
    {"!", 1, "logical_not"},
    {"&", 2, "bitwise_and"},
    {"|", 2, "bitwise_or"},
    {"^", 2, "bitwise_xor"},
    {"~", 1, "bitwise_not"},
    {"<<", 2, "bitwise_left_shift"},
    {">>", 2, "bitwise_right_shift"},
};

}  // namespace

std::string_view operator_for_symbol(std::string_view symbol, size_t arity) {
  for (const Entry& entry : kEntries) {
    if (entry.symbol == symbol && entry.arity == arity) return entry.base_name;
  }
  return {};
}

}  // namespace opweave::codegen
