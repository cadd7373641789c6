// Sessions: initialize, notifications and requests, shutdown, exit.
#include "codegen/lsp/server.h"

#include "codegen/lsp/convert.h"
#include "codegen/lsp/features.h"
#include "codegen/lsp/publish.h"

namespace opweave::codegen::lsp {
namespace {

// Only such an id can be sent back.
bool is_id(const Json& id) { return id.is_string() || id.is_number_integer() || id.is_null(); }

Json id_of(const Json& message) {
  const auto found = message.is_object() ? message.find("id") : message.end();
  const bool there = message.is_object() && found != message.end();
  return there && is_id(*found) ? *found : Json(nullptr);
}

}  // namespace

void Server::receive(std::string_view body) {
  const Json message = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (message.is_discarded()) {
    send_(make_error(nullptr, {RpcCode::parse_error, "this is not JSON"}));
    return;
  }
  try {
    dispatch(message);
  } catch (const RpcError& error) {
    send_(make_error(id_of(message), error));
  } catch (const std::exception& error) {
    send_(make_error(id_of(message), {RpcCode::internal_error, error.what()}));
  }
}

void Server::receive_error(const std::string& what) {
  send_(make_error(nullptr, {RpcCode::parse_error, what}));
}

void Server::dispatch(const Json& message) {
  if (!message.is_object()) throw RpcError{RpcCode::invalid_request, "a message is an object"};
  const bool is_request = message.contains("id");
  const auto method = message.find("method");
  if (method == message.end()) {
    // The answer to a request; we make none.
    if (message.contains("result") || message.contains("error")) return;
    throw RpcError{RpcCode::invalid_request, "a message has a method"};
  }
  if (!method->is_string() || (is_request && !is_id(message["id"])))
    throw RpcError{RpcCode::invalid_request, "the method or the id is none"};
  const Json params = message.contains("params") ? message["params"] : Json::object();
  if (!is_request) {
    try {
      notice(method->get<std::string>(), params);
    } catch (const RpcError&) {
      // Nobody waits for an answer: what makes no sense is left alone.
    }
    return;
  }
  send_(make_result(id_of(message), answer(method->get<std::string>(), params)));
}

Json Server::answer(const std::string& method, const Json& params) {
  if (method == "initialize") {
    if (initialized_) throw RpcError{RpcCode::invalid_request, "this session has begun"};
    initialized_ = true;
    return {{"capabilities", capabilities()}, {"serverInfo", {{"name", "opweave"}}}};
  }
  if (!initialized_) throw RpcError{RpcCode::not_initialized, "'initialize' comes first"};
  if (shut_down_) throw RpcError{RpcCode::invalid_request, "this session has ended"};
  if (method == "shutdown") {
    shut_down_ = true;
    return nullptr;
  }
  const Feature feature = find_feature(method);
  if (feature == nullptr)
    throw RpcError{RpcCode::method_not_found, "there is no method '" + method + "'"};
  workspace_.refresh();
  return feature(workspace_, params);
}

void Server::notice(const std::string& method, const Json& params) {
  if (method == "exit") exited_ = true;
  if (!initialized_ || shut_down_) return;
  if (method == "textDocument/didOpen") {
    workspace_.documents.open(params);
  } else if (method == "textDocument/didChange") {
    if (!workspace_.documents.change(params)) return;
  } else if (method == "textDocument/didClose") {
    workspace_.documents.close(params);
  } else if (method != "textDocument/didSave" && method != "workspace/didChangeWatchedFiles") {
    return;
  }
  workspace_.touch();
  changed_ = true;
}

void Server::publish() {
  if (!changed_) return;
  changed_ = false;
  workspace_.refresh();
  std::map<std::string, Json> now = diagnostics_by_file(workspace_);
  for (const auto& [path, before] : published_) {
    if (now.contains(path) || before["diagnostics"].empty()) continue;
    send_(make_notification("textDocument/publishDiagnostics",
                            {{"uri", before["uri"]}, {"diagnostics", Json::array()}}));
  }
  for (const auto& [path, params] : now) {
    const auto before = published_.find(path);
    const bool known = before != published_.end() && before->second == params;
    const bool silent =
        before == published_.end() && !params.contains("version") && params["diagnostics"].empty();
    if (!known && !silent) send_(make_notification("textDocument/publishDiagnostics", params));
  }
  published_ = std::move(now);
}

}  // namespace opweave::codegen::lsp
