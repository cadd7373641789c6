// A language server, apart from how its messages travel: the order of a session, and who answers
// what.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "codegen/lsp/rpc.h"
#include "codegen/lsp/workspace.h"

namespace opweave::codegen::lsp {

class Server {
 public:
  using Send = std::function<void(const Json& message)>;
  // `core`: see run_server().
  explicit Server(Send send, std::string core = "") : send_(std::move(send)) {
    workspace_.core = std::move(core);
  }

  // One message, as it came. Whatever is wrong with it is answered, and costs no other message.
  void receive(std::string_view body);
  // A message whose header makes no sense.
  void receive_error(const std::string& what);
  // No message waits: says what is wrong with the documents as they are now.
  void publish();

  bool exited() const { return exited_; }
  // Of the process: 0 if the client has asked for the end before.
  int status() const { return shut_down_ ? 0 : 1; }

 private:
  void dispatch(const Json& message);
  Json answer(const std::string& method, const Json& params);
  void notice(const std::string& method, const Json& params);

  Send send_;
  Workspace workspace_;
  std::map<std::string, Json> published_;  // by path
  bool changed_ = false;                   // something may be different from what was published
  bool initialized_ = false;
  bool shut_down_ = false;
  bool exited_ = false;
};

}  // namespace opweave::codegen::lsp
