// Messages of a TCPStore as bytes: "OWS1", the length of the rest, a code, a number and strings,
// all numbers little-endian.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/distributed/store/limits.h"

namespace opweave::distributed {

// What the number of a hello says; it changes with messages.def.
inline constexpr int64_t kProtocolVersion = 2;

enum class Strings { kNone, kToken, kKey, kKeyValue, kKeyTwoValues, kKeys, kPairs, kAny };

enum class Message : uint8_t {
#define OW_REQUEST(name, code, strings, number, answer) name = code,
#define OW_ANSWER(name, code, strings) name = code,
#include "runtime/distributed/store/messages.def"
#undef OW_REQUEST
#undef OW_ANSWER
};

struct MessageFormat {
  Message message;
  const char* name;
  Strings strings;
  bool is_request;
  bool is_answered;
};
// nullptr for a code that no message has.
const MessageFormat* find_format(uint8_t code);
const MessageFormat& format_of(Message message);

// A nonce or an HMAC.
inline constexpr size_t kTokenBytes = 32;
// Before the strings: magic, length, code, number, count.
inline constexpr size_t kFrameHead = 4 + 4 + 1 + 8 + 4;
// Several large values may go in one message.
inline constexpr size_t kMaxFrameBytes = size_t{256} << 20;
// A client that has not proved who it is sends a hello and a proof, nothing larger.
inline constexpr size_t kMaxHandshakeBytes = kFrameHead + 4 + kTokenBytes;

// A message whose strings lie in the bytes that it was read from.
struct Frame {
  Message message{};
  int64_t number = 0;
  std::vector<std::string_view> strings;
};

struct ParsedFrame {
  enum State { kPartial, kWhole, kWrong };
  State state = kPartial;
  // Of a whole frame: its bytes.
  size_t bytes = 0;
  // Of a wrong one: why.
  std::string error;
};

// Reads the frame that `bytes` begin with, however they continue. Only the arguments are looked at,
// and memory is taken only for what is there, whatever lengths the bytes claim.
ParsedFrame parse_frame(std::string_view bytes, size_t max_bytes, Frame& frame);

void append_frame(std::string& out, Message message, int64_t number,
                  std::span<const std::string_view> strings);
// The parts of it, for strings that are too large to be copied: all before the first string, and
// the length before each.
void append_frame_head(std::string& out, Message message, int64_t number,
                       std::span<const std::string_view> strings);
void append_string_length(std::string& out, std::string_view string);
inline void append_frame(std::string& out, Message message, int64_t number = 0) {
  append_frame(out, message, number, {});
}
inline void append_frame(std::string& out, Message message, int64_t number,
                         std::string_view string) {
  append_frame(out, message, number, std::span(&string, 1));
}

}  // namespace opweave::distributed
