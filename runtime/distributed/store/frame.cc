// Reads and writes frames. Everything that a client sends comes through parse_frame().
#include "runtime/distributed/store/frame.h"

#include <cstring>

#include "runtime/core/base/error.h"

namespace opweave::distributed {
namespace {

constexpr std::string_view kMagic = "OWS1";
constexpr bool kAnswered = true;
constexpr bool kSilent = false;

constexpr MessageFormat kFormats[] = {
#define OW_REQUEST(name, code, strings, number, answer) \
  {Message::name, #name, Strings::strings, true, answer},
#define OW_ANSWER(name, code, strings) {Message::name, #name, Strings::strings, false, true},
#include "runtime/distributed/store/messages.def"
#undef OW_REQUEST
#undef OW_ANSWER
};

template <class T>
T read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void write(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool count_is_right(Strings strings, size_t count) {
  switch (strings) {
    case Strings::kNone:
      return count == 0;
    case Strings::kToken:
    case Strings::kKey:
      return count == 1;
    case Strings::kKeyValue:
      return count == 2;
    case Strings::kKeyTwoValues:
      return count == 3;
    case Strings::kKeys:
      return count <= kMaxKeysPerCall;
    case Strings::kPairs:
      return count % 2 == 0 && count / 2 <= kMaxKeysPerCall;
    case Strings::kAny:
      return true;
  }
  return false;
}

// Whether string number `index` is a key; the others are values.
bool is_key(Strings strings, size_t index) {
  return strings == Strings::kKeys || (strings == Strings::kPairs ? index % 2 == 0 : index == 0);
}

bool length_is_right(Strings strings, size_t index, size_t bytes) {
  if (strings == Strings::kToken) return bytes == kTokenBytes;
  if (strings == Strings::kAny) return bytes <= kMaxFrameBytes;
  return bytes <= (is_key(strings, index) ? kMaxKeyBytes : kMaxValueBytes);
}

ParsedFrame wrong(std::string error) { return {ParsedFrame::kWrong, 0, std::move(error)}; }

// The strings of a frame whose bytes are all there.
ParsedFrame parse_strings(std::string_view bytes, const MessageFormat& format, Frame& frame) {
  const auto count = read<uint32_t>(bytes.data() + kFrameHead - sizeof(uint32_t));
  if (!count_is_right(format.strings, count)) {
    return wrong(str("a message '", format.name, "' has ", count, " strings"));
  }
  // Each has a length, so that there are no more than fit.
  if (count > (bytes.size() - kFrameHead) / sizeof(uint32_t)) {
    return wrong(str("a message '", format.name, "' has fewer strings than it says"));
  }
  frame.strings.clear();
  frame.strings.reserve(count);
  size_t at = kFrameHead;
  for (size_t i = 0; i < count; ++i) {
    if (bytes.size() - at < sizeof(uint32_t)) return wrong("a string begins behind its message");
    const size_t length = read<uint32_t>(bytes.data() + at);
    at += sizeof(uint32_t);
    if (bytes.size() - at < length) return wrong("a string ends behind its message");
    if (!length_is_right(format.strings, i, length)) {
      return wrong(str("a message '", format.name, "' has a string of ", length, " bytes"));
    }
    frame.strings.push_back(bytes.substr(at, length));
    at += length;
  }
  if (at != bytes.size())
    return wrong(str("a message '", format.name, "' is longer than its strings"));
  return {ParsedFrame::kWhole, bytes.size(), {}};
}

}  // namespace

const MessageFormat* find_format(uint8_t code) {
  for (const MessageFormat& format : kFormats) {
    if (static_cast<uint8_t>(format.message) == code) return &format;
  }
  return nullptr;
}

const MessageFormat& format_of(Message message) {
  const MessageFormat* format = find_format(static_cast<uint8_t>(message));
  OW_INTERNAL_ASSERT(format != nullptr);
  return *format;
}

ParsedFrame parse_frame(std::string_view bytes, size_t max_bytes, Frame& frame) {
  // The first bytes alone tell who speaks something else.
  const size_t begin = std::min(bytes.size(), kMagic.size());
  if (bytes.substr(0, begin) != kMagic.substr(0, begin)) {
    return wrong(str("not a message of a TCPStore, it begins with ", quoted(bytes.substr(0, 16))));
  }
  if (bytes.size() < kMagic.size() + sizeof(uint32_t)) return {};
  const size_t rest = read<uint32_t>(bytes.data() + kMagic.size());
  const size_t size = kMagic.size() + sizeof(uint32_t) + rest;
  if (size > max_bytes) {
    return wrong(str("a message of ", size, " bytes; at most ", max_bytes, " are taken"));
  }
  if (size < kFrameHead) return wrong(str("a message of ", size, " bytes, which is too short"));
  if (bytes.size() < kFrameHead) return {};
  const char* head = bytes.data() + kMagic.size() + sizeof(uint32_t);
  const MessageFormat* format = find_format(static_cast<uint8_t>(*head));
  if (format == nullptr)
    return wrong(str("a message of unknown kind ", int{static_cast<uint8_t>(*head)}));
  if (bytes.size() < size) return {};
  frame.message = format->message;
  frame.number = read<int64_t>(head + 1);
  return parse_strings(bytes.substr(0, size), *format, frame);
}

void append_frame_head(std::string& out, Message message, int64_t number,
                       std::span<const std::string_view> strings) {
  size_t size = kFrameHead;
  for (std::string_view string : strings) size += sizeof(uint32_t) + string.size();
  OW_CHECK_VALUE(size <= kMaxFrameBytes, "a message '", format_of(message).name, "' of ", size,
                 " bytes; a TCPStore's messages have at most ", kMaxFrameBytes);
  out.append(kMagic);
  write(out, static_cast<uint32_t>(size - kMagic.size() - sizeof(uint32_t)));
  write(out, static_cast<uint8_t>(message));
  write(out, number);
  write(out, static_cast<uint32_t>(strings.size()));
}

void append_string_length(std::string& out, std::string_view string) {
  write(out, static_cast<uint32_t>(string.size()));
}

void append_frame(std::string& out, Message message, int64_t number,
                  std::span<const std::string_view> strings) {
  append_frame_head(out, message, number, strings);
  for (std::string_view string : strings) {
    append_string_length(out, string);
    out.append(string);
  }
}

}  // namespace opweave::distributed
