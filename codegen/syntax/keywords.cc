// The table of reserved words, sorted.
#include "codegen/syntax/keywords.h"

#include <algorithm>

#include "codegen/syntax/scanner.h"

namespace opweave::codegen {
namespace {

// C++20, the words for operators included.
constexpr std::string_view kCpp[] = {"alignas",       "alignof",     "and",
                                     "and_eq",        "asm",         "auto",
                                     "bitand",        "bitor",       "bool",
                                     "break",         "case",        "catch",
                                     "char",          "char16_t",    "char32_t",
                                     "char8_t",       "class",       "co_await",
                                     "co_return",     "co_yield",    "compl",
                                     "concept",       "const",       "const_cast",
                                     "consteval",     "constexpr",   "constinit",
                                     "continue",      "decltype",    "default",
                                     "delete",        "do",          "double",
                                     "dynamic_cast",  "else",        "enum",
                                     "explicit",      "export",      "extern",
                                     "false",         "float",       "for",
                                     "friend",        "goto",        "if",
                                     "inline",        "int",         "long",
                                     "mutable",       "namespace",   "new",
                                     "noexcept",      "not",         "not_eq",
                                     "nullptr",       "operator",    "or",
                                     "or_eq",         "private",     "protected",
                                     "public",        "register",    "reinterpret_cast",
                                     "requires",      "return",      "short",
                                     "signed",        "sizeof",      "static",
                                     "static_assert", "static_cast", "struct",
                                     "switch",        "template",    "this",
                                     "thread_local",  "throw",       "true",
                                     "try",           "typedef",     "typeid",
                                     "typename",      "union",       "unsigned",
                                     "using",         "virtual",     "void",
                                     "volatile",      "wchar_t",     "while",
                                     "xor",           "xor_eq"};

// signature_test compares the types with those that signatures print.
constexpr std::string_view kCppTypesAndMacros[] = {
    "Device",     "DoubleList", "EOF",          "Generator", "HUGE_VAL", "INFINITY",      "IntList",
    "Layout",     "ListRef",    "MemoryFormat", "NAN",       "NULL",     "OperatorEntry", "Scalar",
    "ScalarType", "Tensor",     "TensorList",   "TensorVec", "alloca",   "assert",        "errno",
    "int64_t",    "linux",      "offsetof",     "sigmask",   "size_t",   "stderr",        "stdin",
    "stdout",     "unix",       "va_arg",       "va_copy",   "va_end",   "va_start"};

static_assert(std::is_sorted(std::begin(kCpp), std::end(kCpp)));
static_assert(std::is_sorted(std::begin(kCppTypesAndMacros), std::end(kCppTypesAndMacros)));

}  // namespace

bool is_cpp_keyword(std::string_view name) { return std::ranges::binary_search(kCpp, name); }

bool is_cpp_type_or_macro(std::string_view name) {
  return std::ranges::binary_search(kCppTypesAndMacros, name);
}

bool is_reserved_in_cpp(std::string_view name) {
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const bool of_capitals = name.size() > 2 && std::ranges::none_of(name, is_small) &&
                           std::ranges::any_of(name, is_capital);
  return of_capitals || name.find("__") != std::string_view::npos ||
         (name.size() > 1 && name[0] == '_' && is_capital(name[1]));
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_identifier_start(text[0]) &&
         std::ranges::all_of(text, is_identifier_char);
}

}  // namespace opweave::codegen
