// Making and reading JSON-RPC messages.
#include "codegen/lsp/rpc.h"

#include <algorithm>
#include <limits>

namespace opweave::codegen::lsp {

Json make_result(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json make_error(const Json& id, const RpcError& error) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(error.code)}, {"message", error.message}}}};
}

Json make_notification(const char* method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::string dump(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json& member(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end())
    throw RpcError{RpcCode::invalid_params, "'" + std::string(name) + "' is missing"};
  return *found;
}

std::string text_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_string())
    throw RpcError{RpcCode::invalid_params, "'" + std::string(name) + "' is no text"};
  return value.get<std::string>();
}

uint32_t number_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_number_integer() || value < 0)
    throw RpcError{RpcCode::invalid_params, "'" + std::string(name) + "' is no number from 0 on"};
  constexpr uint64_t kLargest = std::numeric_limits<uint32_t>::max();
  return static_cast<uint32_t>(std::min(value.get<uint64_t>(), kLargest));
}

}  // namespace opweave::codegen::lsp
