// Which interface the environment names, in the syntax of each library.
#include "runtime/distributed/backends/net/interfaces.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "runtime/distributed/store/errors.h"

using namespace opweave::distributed;
using namespace opweave::distributed::net;

namespace {

constexpr const char* kVariable = "OPWEAVE_TEST_IFNAME";

// Its name, or the text of the error.
std::string chosen(const std::string& value, Syntax syntax) try {
  setenv(kVariable, value.c_str(), 1);
  return choose_interface(kVariable, true, syntax).name;
} catch (const DistBackendError& error) {
  return error.message();
}

}  // namespace

TEST_CASE("names are whole, and the first that is there counts") {
  for (const char* good : {"lo", "nope,lo", ""}) {
    CAPTURE(good);
    CHECK(chosen(good, Syntax::names) == "lo");
  }
  for (const char* wrong : {"l", "=lo", "^nope", "nope"}) {
    const std::string text = chosen(wrong, Syntax::names);
    CAPTURE(text);
    CHECK(text.find("this host has no such interface with an address; it has lo (127.0.0.1)") !=
          std::string::npos);
  }
}

TEST_CASE("patterns are read as NCCL does") {
  for (const char* good : {"lo", "l", "=lo", "nope,l", "=nope,lo", "^nope", "^=l", "^=nope"}) {
    CAPTURE(good);
    CHECK(chosen(good, Syntax::patterns) == "lo");
  }
  for (const char* other : {"^lo", "^l", "^=lo", "=l", "nope", "=nope"}) {
    CAPTURE(other);
    CHECK(chosen(other, Syntax::patterns) != "lo");
  }
  CHECK(chosen("=l", Syntax::patterns)
            .find("OPWEAVE_TEST_IFNAME==l: this host has no such interface") != std::string::npos);
}
