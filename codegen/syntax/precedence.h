// How tightly the operators of C bind: for the parsers of expressions and of C++ formulas.
#pragma once

#include <string_view>

namespace opweave::codegen {

inline constexpr int kConditionalPrecedence = 1;
inline constexpr int kUnaryPrecedence = 12;

// Of the symbol between two operands, all of which bind to the left, and of `?`; 0 for any other.
constexpr int binary_precedence(std::string_view symbol) {
  struct BinaryOperator {
    std::string_view symbol;
    int precedence;
  };
  constexpr BinaryOperator kBinary[] = {{"?", kConditionalPrecedence},
                                        {"||", 2},
                                        {"&&", 3},
                                        {"|", 4},
                                        {"^", 5},
                                        {"&", 6},
                                        {"==", 7},
                                        {"!=", 7},
                                        {"<", 8},
                                        {"<=", 8},
                                        {">", 8},
                                        {">=", 8},
                                        {"<<", 9},
                                        {">>", 9},
                                        {"+", 10},
                                        {"-", 10},
                                        {"*", 11},
                                        {"/", 11},
                                        {"%", 11}};
  for (const BinaryOperator& op : kBinary) {
    if (op.symbol == symbol) return op.precedence;
  }
  return 0;
}

}  // namespace opweave::codegen
