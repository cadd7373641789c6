// Frames of a TCPStore: what is written is read, and nothing else is.
#include "runtime/distributed/store/frame.h"

#include <doctest/doctest.h>

#include <random>

#include "runtime/core/base/error.h"

using namespace opweave;
using namespace opweave::distributed;

namespace {

std::string written(Message message, int64_t number, std::vector<std::string_view> strings) {
  std::string out;
  append_frame(out, message, number, strings);
  return out;
}

// A share of frames of every kind.
std::vector<std::string> samples() {
  const std::string token(kTokenBytes, '\x01');
  return {written(Message::hello, kProtocolVersion, {token}),
          written(Message::set, 0, {"k", "v", "k2", ""}),
          written(Message::get, -1, {"a", "b", "c"}),
          written(Message::add, -5, {"n"}),
          written(Message::compare_set, 0, {"k", "", "new"}),
          written(Message::num_keys, 0, {}),
          written(Message::missing, 2, {"a", "b"})};
}

// From bytes of their exact size, so that a sanitizer sees every byte too far.
ParsedFrame parse(std::string_view bytes, Frame& frame, size_t most = kMaxFrameBytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  return parse_frame({exact.data(), exact.size()}, most, frame);
}

}  // namespace

TEST_CASE("what is written is read") {
  Frame frame;
  for (const std::string& bytes : samples()) {
    const ParsedFrame parsed = parse_frame(bytes, kMaxFrameBytes, frame);
    REQUIRE(parsed.state == ParsedFrame::kWhole);
    CHECK(parsed.bytes == bytes.size());
    CHECK(written(frame.message, frame.number, frame.strings) == bytes);
  }
}

TEST_CASE("a frame is whole when its last byte is there") {
  Frame frame;
  for (const std::string& bytes : samples()) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      CHECK(parse(bytes.substr(0, size), frame).state == ParsedFrame::kPartial);
    }
    CHECK(parse(bytes + "more", frame).bytes == bytes.size());
  }
}

TEST_CASE("lengths that are claimed are not believed") {
  Frame frame;
  std::string bytes = written(Message::set, 0, {"k", "v"});
  CHECK(parse(bytes, frame, 10).error ==
        str("a message of ", bytes.size(), " bytes; at most 10 are taken"));
  bytes[4] = '\xff';
  bytes[7] = '\x7f';
  CHECK(parse(bytes, frame).state == ParsedFrame::kWrong);
  CHECK_THROWS_WITH(
      written(Message::done, 0, {std::string(kMaxFrameBytes, 'x')}),
      doctest::Contains("a message 'done' of 268435481 bytes; a TCPStore's messages"));
}

TEST_CASE("anything at all is read without harm") {
  std::minstd_rand random(11);
  Frame frame;
  size_t whole = 0;
  for (int i = 0; i < 40000; ++i) {
    std::string bytes = samples()[random() % samples().size()];
    for (unsigned flips = random() % 4; flips > 0; --flips) {
      bytes[random() % bytes.size()] =
          static_cast<char>(random() % 5 == 0 ? random() : random() % 4);
    }
    const ParsedFrame parsed = parse(bytes, frame);
    if (parsed.state != ParsedFrame::kWhole) {
      CHECK(parsed.error.empty() == (parsed.state == ParsedFrame::kPartial));
      continue;
    }
    ++whole;
    CHECK(parsed.bytes <= bytes.size());
    // The strings of the frame lie in the bytes that it was read from: once more, from those here.
    REQUIRE(parse_frame(bytes, kMaxFrameBytes, frame).state == ParsedFrame::kWhole);
    CHECK(written(frame.message, frame.number, frame.strings) == bytes.substr(0, parsed.bytes));
  }
  CHECK(whole > 5000);
}
