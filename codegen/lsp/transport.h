// The base protocol of language servers: each message is a header with its length, and a body.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace opweave::codegen::lsp {

// Takes bytes as they come, gives messages. A header that makes no sense costs that message alone.
class MessageReader {
 public:
  struct Message {
    std::string body;
    std::string error;  // what is wrong with the header; then there is no body
  };

  void feed(std::string_view bytes);
  // The next message, if all of it has come.
  std::optional<Message> next();

 private:
  std::optional<Message> bad_header(const char* why);

  std::string buffer_;
  size_t skip_ = 0;    // bytes of a body that was refused
  bool lost_ = false;  // after a bad header: what comes next may be its body
};

// With its header.
std::string framed(std::string_view body);

}  // namespace opweave::codegen::lsp
