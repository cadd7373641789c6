// Cutting a stream of bytes into messages.
#include "codegen/lsp/transport.h"

#include <algorithm>
#include <charconv>

namespace opweave::codegen::lsp {
namespace {

constexpr size_t kLongestHeader = 4096;
constexpr size_t kLongestBody = 256u << 20;
constexpr std::string_view kEnd = "\r\n\r\n";
constexpr std::string_view kLength = "content-length:";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Where the last `Content-Length:` is, in any case of letters.
size_t find_length(std::string_view header) {
  const auto found = std::find_end(header.begin(), header.end(), kLength.begin(), kLength.end(),
                                   [](char a, char b) { return lower(a) == b; });
  return found == header.end() ? std::string_view::npos
                               : static_cast<size_t>(found - header.begin());
}

std::optional<size_t> number_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  size_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view rest(parsed.ptr, text.data() + text.size() - parsed.ptr);
  const bool ends = rest.empty() || rest[0] == '\r' || rest[0] == ' ';
  return parsed.ec == std::errc() && ends ? std::optional(number) : std::nullopt;
}

}  // namespace

void MessageReader::feed(std::string_view bytes) {
  const size_t skipped = std::min(skip_, bytes.size());
  skip_ -= skipped;
  buffer_.append(bytes.substr(skipped));
}

std::optional<MessageReader::Message> MessageReader::bad_header(const char* why) {
  lost_ = true;
  return Message{"", why};
}

std::optional<MessageReader::Message> MessageReader::next() {
  const size_t end = buffer_.find(kEnd);
  if (end == std::string::npos) {
    if (buffer_.size() <= kLongestHeader) return {};
    // Only its end may belong to a header that is still to come.
    buffer_.erase(0, buffer_.size() - kEnd.size() + 1);
    return bad_header("a header has no end");
  }
  const std::string header = buffer_.substr(0, end);
  const size_t at = find_length(header);
  const bool found = at != std::string::npos && (lost_ || at == 0 || header[at - 1] == '\n');
  const auto length =
      found ? number_at(std::string_view(header).substr(at + kLength.size())) : std::nullopt;
  if (!length || *length > kLongestBody) {
    buffer_.erase(0, end + kEnd.size());
    if (!length) return bad_header("a header has no Content-Length");
    const size_t here = std::min(*length, buffer_.size());
    buffer_.erase(0, here);
    skip_ = *length - here;
    return Message{"", "a message is too long"};
  }
  if (buffer_.size() - end - kEnd.size() < *length) return {};
  lost_ = false;
  Message message{buffer_.substr(end + kEnd.size(), *length), ""};
  buffer_.erase(0, end + kEnd.size() + *length);
  return message;
}

std::string framed(std::string_view body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

}  // namespace opweave::codegen::lsp
