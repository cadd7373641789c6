// Language server sessions: bytes as they may come over the wire, and lines that are one message
// each. Every request gets one answer, what is sent is well-formed, and nothing ends the server but
// `exit`.
#include <map>
#include <set>

#include "codegen/lsp/lines.h"
#include "codegen/lsp/server.h"
#include "codegen/lsp/transport.h"
#include "tests/codegen/fuzz/property.h"

using namespace opweave::codegen;
using namespace opweave::codegen::lsp;

namespace {

class Session {
 public:
  void receive(std::string_view body) {
    answers_ = 0;
    server_.receive(body);
    const Json message = Json::parse(body, nullptr, false);
    const bool request =
        message.is_object() && message.contains("id") && message.contains("method");
    if (request) fuzz::require(answers_ == 1, "a request has one answer", std::string(body));
    fuzz::require(answers_ <= 1, "a message has at most one answer", std::string(body));
    if (++count_ % 4 == 0) server_.publish();
  }
  void finish() { server_.publish(); }

 private:
  void sent(const Json& message) {
    const bool answer = message.contains("result") || message.contains("error");
    answers_ += answer;
    fuzz::require(answer || message["method"] == "textDocument/publishDiagnostics",
                  "answers and diagnostics are sent");
    fuzz::require(!Json::parse(dump(message), nullptr, false).is_discarded(),
                  "what is sent is JSON");
  }

  int answers_ = 0;
  int count_ = 0;
  Server server_{[this](const Json& message) { sent(message); }};
};

void test_stream(std::string_view bytes) {
  Session session;
  MessageReader reader;
  for (size_t at = 0; at < bytes.size(); at += 97) {
    reader.feed(bytes.substr(at, 97));
    while (const auto message = reader.next()) {
      fuzz::require(message->error.empty() || message->body.empty(), "an error has no body");
      if (message->error.empty()) session.receive(message->body);
    }
  }
  session.finish();
}

void test_lines(std::string_view text) {
  Session session;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    session.receive(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  session.finish();
}

void test_places(std::string_view text) {
  const Lines lines(text);
  for (uint32_t i = 0; i <= text.size(); ++i) {
    const Place place = lines.place(i);
    // A place in the middle of a character is behind it.
    fuzz::require(lines.offset(place) < i + 4, "a place is near");
    fuzz::require(lines.place(lines.offset(place)) == place, "a place is where it says");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  test_stream(bytes);
  test_lines(bytes);
  if (size < 2000) test_places(bytes);
  return 0;
}
