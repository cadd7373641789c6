// Errors that say where in C++ they were thrown; the BUILD file sets the variable that asks for it.
#include "runtime/core/base/stack.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "runtime/core/base/error.h"
#include "runtime/core/devices/device.h"

namespace {

using opweave::Error;

[[gnu::noinline]] Error caught_by_stack_test(bool internal) {
  try {
    if (internal) OW_INTERNAL_ASSERT(!internal, "broken");
    OW_CHECK_INDEX(internal, "no such dimension");
  } catch (const Error& error) {
    return error;
  }
  return {opweave::ErrorKind::kRuntime, "nothing was thrown"};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an error has the stack below its message, and the message alone") {
  const Error error = caught_by_stack_test(false);
  CHECK(error.message() == "no such dimension");
  const std::string text = error.what();
  CHECK(text.starts_with("no such dimension\n\nC++ stack (most recent call first):\nframe #0: "));
  CHECK(contains(text, "\nframe #1: "));
  // The functions that make the error are not on it.
  CHECK_FALSE(contains(text, "throw_error"));
  CHECK_FALSE(contains(text, "cpp_stack"));
  CHECK(contains(text, " in /"));
}

TEST_CASE("names are written as in C++") {
  std::string text;
  try {
    opweave::parse_device("nothing");
  } catch (const Error& error) {
    text = error.what();
  }
  CHECK(contains(text, "opweave::parse_device("));
}

TEST_CASE("internal errors have one, too") {
  CHECK(contains(caught_by_stack_test(true).what(), "broken\n\nC++ stack"));
}

TEST_CASE("without the innermost frames there are fewer") {
  const std::string all = opweave::cpp_stack(), outer = opweave::cpp_stack(1);
  CHECK(std::count(all.begin(), all.end(), '\n') ==
        std::count(outer.begin(), outer.end(), '\n') + 1);
}
