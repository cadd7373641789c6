// The whole error policy: user errors, internal checks, and how their messages are built.
//
// Three tiers:
//   1. OW_CHECK*            The caller did something wrong. Names the operator, the argument, what
//                           was given and what was expected. Becomes the Python exception of its
//                           kind.
//   2. OW_INTERNAL_ASSERT   Opweave did something wrong. Becomes RuntimeError with file and line.
//   3. std::terminate       Nothing sensible is left: out of memory while reporting, noexcept code.
//
// With TORCH_SHOW_CPP_STACKTRACES=1 in the environment errors say where in C++ they were thrown.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/core/base/str.h"

namespace opweave {

// Which Python exception an error becomes.
enum class ErrorKind {
  kRuntime,         // RuntimeError
  kType,            // TypeError
  kValue,           // ValueError
  kIndex,           // IndexError
  kNotImplemented,  // NotImplementedError
  kSize,            // RuntimeError: sizes that no tensor can have, or a number of them beyond int64
  kOutOfMemory,     // opweave.OutOfMemoryError, a RuntimeError
  kInternal,        // RuntimeError, "internal error: …"
};

class Error : public std::exception {
 public:
  // `stack` is the C++ stack as text, where it was asked for (stack.h).
  Error(ErrorKind kind, std::string message, const std::string& stack = {});
  // The message, and the stack if there is one.
  const char* what() const noexcept override { return with_stack_.c_str(); }
  ErrorKind kind() const noexcept { return kind_; }
  const std::string& message() const noexcept { return message_; }

  // Sizes and memory are looked at where no operator is known: whoever called one, from Python or
  // in a backward pass, says its name here as the error goes by, and the text begins with "name():
  // ". Only the first caller is heard. Other kinds of errors, whose texts name what they are about,
  // are left alone, and so is all where there is no memory for the longer text.
  void name_operator(std::string_view name) noexcept;

 private:
  ErrorKind kind_;
  bool names_operator_;
  std::string message_;
  std::string with_stack_;
};

[[noreturn]] void throw_error(ErrorKind kind, std::string message);
[[noreturn]] void throw_internal(const char* file, int line, const char* condition,
                                 std::string message);

}  // namespace opweave

#define OW_THROW(kind, ...) ::opweave::throw_error(kind, ::opweave::str(__VA_ARGS__))

#define OW_CHECK_KIND(kind, condition, ...) \
  do {                                      \
    if (!(condition)) [[unlikely]]          \
      OW_THROW(kind, __VA_ARGS__);          \
  } while (false)

#define OW_CHECK(condition, ...) \
  OW_CHECK_KIND(::opweave::ErrorKind::kRuntime, condition, __VA_ARGS__)
#define OW_CHECK_TYPE(condition, ...) \
  OW_CHECK_KIND(::opweave::ErrorKind::kType, condition, __VA_ARGS__)
#define OW_CHECK_VALUE(condition, ...) \
  OW_CHECK_KIND(::opweave::ErrorKind::kValue, condition, __VA_ARGS__)
#define OW_CHECK_INDEX(condition, ...) \
  OW_CHECK_KIND(::opweave::ErrorKind::kIndex, condition, __VA_ARGS__)
#define OW_CHECK_SIZE(condition, ...) \
  OW_CHECK_KIND(::opweave::ErrorKind::kSize, condition, __VA_ARGS__)
#define OW_CHECK_NOT_IMPLEMENTED(condition, ...) \
  OW_CHECK_KIND(::opweave::ErrorKind::kNotImplemented, condition, __VA_ARGS__)

#define OW_INTERNAL_ASSERT(condition, ...)                                      \
  do {                                                                          \
    if (!(condition)) [[unlikely]]                                              \
      ::opweave::throw_internal(__FILE__, __LINE__, #condition,                 \
                                ::opweave::str("" __VA_OPT__(, ) __VA_ARGS__)); \
  } while (false)
