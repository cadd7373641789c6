// JSON-RPC 2.0: what messages look like, and what goes wrong with them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace opweave::codegen::lsp {

using Json = nlohmann::json;

enum class RpcCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  not_initialized = -32002,
};

// Ends a request with an error.
struct RpcError {
  RpcCode code;
  std::string message;
};

Json make_result(const Json& id, Json result);
Json make_error(const Json& id, const RpcError& error);
Json make_notification(const char* method, Json params);

// One line of text; what is not UTF-8 is replaced.
std::string dump(const Json& message);

// Members of parameters; what is not there or of another kind is an RpcError.
const Json& member(const Json& object, const char* name);
std::string text_member(const Json& object, const char* name);
// A number from 0 on, at most `limit`.
uint32_t number_member(const Json& object, const char* name);

}  // namespace opweave::codegen::lsp
