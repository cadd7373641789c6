// Reading and writing.
#include "codegen/lsp/run.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "codegen/lsp/server.h"
#include "codegen/lsp/transport.h"

namespace opweave::codegen::lsp {
namespace {

void write_all(int output, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(output, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody listens; the end of the input will follow
    text.remove_prefix(static_cast<size_t>(written));
  }
}

bool has_more(int input) {
  pollfd waiting{input, POLLIN, 0};
  return poll(&waiting, 1, 0) > 0;
}

// False at the end of the input.
bool read_some(int input, MessageReader& reader) {
  char buffer[1 << 16];
  ssize_t count = 0;
  do {
    count = read(input, buffer, sizeof(buffer));
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return false;
  reader.feed({buffer, static_cast<size_t>(count)});
  return true;
}

}  // namespace

int run_server(int input, int output, const std::string& core) {
  Server server([&](const Json& message) { write_all(output, framed(dump(message))); }, core);
  MessageReader reader;
  while (!server.exited()) {
    if (const auto message = reader.next()) {
      if (message->error.empty()) {
        server.receive(message->body);
      } else {
        server.receive_error(message->error);
      }
      continue;
    }
    // Typing is faster than checking a large file: only the last state is checked.
    if (!has_more(input)) server.publish();
    if (!read_some(input, reader)) break;
  }
  return server.status();
}

}  // namespace opweave::codegen::lsp
