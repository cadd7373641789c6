// Bytes that a client sends: each frame is read or refused with a reason, and does to the server's
// keys what it says, whatever came before it.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "runtime/distributed/store/service.h"

using namespace opweave::distributed;

namespace {

void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", property);
  std::abort();
}

// What is read is written in the same way.
void require_same(const Frame& frame, std::string_view bytes) {
  std::string again;
  append_frame(again, frame.message, frame.number, frame.strings);
  require(again == bytes, "a frame is written as it was read");
}

// As the server does: one request at a time, until the client waits or is refused.
void serve(Service& service, Client& client, std::string_view bytes) {
  Frame frame;
  while (!bytes.empty() && !client.ends && !client.wait) {
    const ParsedFrame parsed = parse_frame(bytes, service.max_frame_bytes(client), frame);
    require((parsed.state == ParsedFrame::kWrong) == !parsed.error.empty(),
            "a refusal has a reason");
    if (parsed.state != ParsedFrame::kWhole) return;
    require(parsed.bytes <= bytes.size(), "a frame ends before the bytes do");
    require_same(frame, bytes.substr(0, parsed.bytes));
    service.handle(client, frame);
    client.output.clear();
    bytes.remove_prefix(parsed.bytes);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Service service("");
  // One that begins with the input, and one that has said hello.
  Client fresh, served;
  served.state = Client::kServed;
  serve(service, fresh, bytes);
  serve(service, served, bytes);
  for (Client* client : {&fresh, &served}) {
    if (client->wait) service.time_out(*client);
    service.forget(*client);
  }
  return 0;
}
