// Every case of refused/: what is wrong is reported at its place, and mended it is accepted.
// `OPWEAVE_UPDATE=1` in the environment writes what is found instead; run from the repository's
// root.
#include "tests/codegen/torch/refusals.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

namespace opweave::codegen::torch {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST_CASE("what is refused is refused at its place, and accepted when it is mended") {
  const bool update = std::getenv("OPWEAVE_UPDATE") != nullptr;
  size_t count = 0;
  for (const auto& path : refusal_files()) {
    std::vector<Refusal> cases = read_refusals(path);
    CAPTURE(path.string());
    for (Refusal& refusal : cases) {
      CAPTURE(refusal.name);
      ++count;
      CHECK(joined(said_of(refusal.mended)) == "");
      const std::vector<std::string> said = said_of(refusal.wrong);
      CHECK_FALSE(said.empty());
      if (!update) CHECK(joined(said) == joined(refusal.expected));
      refusal.expected = said;
    }
    if (update) write_refusals(path, cases);
  }
  CHECK(count > 220);
}

TEST_CASE("cases have names of their own") {
  for (const auto& path : refusal_files()) {
    std::set<std::string> names;
    for (const Refusal& refusal : read_refusals(path)) {
      CAPTURE(refusal.name);
      CHECK(names.insert(refusal.name).second);
    }
  }
}

TEST_CASE("each says what to write instead, or which other place disagrees") {
  for (const auto& path : refusal_files()) {
    for (const Refusal& refusal : read_refusals(path)) {
      CAPTURE(refusal.name);
      CHECK(refusal.expected.size() <= 5);
    }
  }
}

}  // namespace
}  // namespace opweave::codegen::torch
