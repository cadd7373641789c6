// Requests are written as text, as every part of them is a number or base64; answers are parsed,
// and trusted in nothing.
#include "runtime/distributed/store/etcd/messages.h"

#include <sodium.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "runtime/core/base/error.h"

namespace opweave::distributed::etcd {
namespace {

using Json = nlohmann::json;

// etcd's answers nest a handful of levels; others would cost memory.
constexpr int kDeepest = 16;

std::string encoded(std::string_view bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // its zero
  return text;
}

std::string decoded(const std::string& text) {
  std::string bytes(text.size() / 4 * 3 + 3, '\0');
  size_t size = 0;
  const char* end = nullptr;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, &end, sodium_base64_VARIANT_ORIGINAL) != 0 ||
      end != text.data() + text.size()) {
    throw NotEtcd("a text in its answer is no base64");
  }
  bytes.resize(size);
  return bytes;
}

std::string place(const Span& span) {
  std::string text = str("\"key\":\"", encoded(span.begin), '"');
  if (!span.end.empty()) text += str(",\"range_end\":\"", encoded(span.end), '"');
  return text;
}

std::string shown(Show show) {
  if (show == Show::kAll) return "";
  return show == Show::kKeys ? ",\"keys_only\":true" : ",\"count_only\":true";
}

std::string listed(const Parts& parts) {
  std::string text = "[";
  for (const std::string& part : parts) text.append(text.size() == 1 ? "" : ",").append(part);
  return text + "]";
}

std::string condition(std::string_view key, const char* target, const char* field, int64_t number) {
  return str("{\"key\":\"", encoded(key), "\",\"target\":\"", target, "\",\"result\":\"EQUAL\",\"",
             field, "\":\"", number, "\"}");
}

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

Json parse(std::string_view text) {
  Json json = is_too_deep(text) ? Json(Json::value_t::discarded)
                                : Json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) throw NotEtcd("its answer is no JSON object");
  return json;
}

// A member, or nullptr; of another type it is an error.
const Json* member(const Json& json, const char* name, Json::value_t type) {
  const auto found = json.find(name);
  if (found == json.end()) return nullptr;
  if (found->type() != type) throw NotEtcd(str("'", name, "' in its answer is not what etcd's is"));
  return &*found;
}

// Numbers of 64 bits are texts, and left out where they are 0.
template <class Number>
Number number(const Json& json, const char* name) {
  const Json* found = member(json, name, Json::value_t::string);
  if (found == nullptr) return 0;
  const auto& text = found->get_ref<const std::string&>();
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // So that the next one is a number as well.
  const bool counts_on = std::is_unsigned_v<Number> || value < std::numeric_limits<Number>::max();
  if (error != std::errc() || end != text.data() + text.size() || value < Number(0) || !counts_on) {
    throw NotEtcd(str("'", name, "' in its answer is no number"));
  }
  return value;
}

std::string bytes(const Json& json, const char* name) {
  const Json* found = member(json, name, Json::value_t::string);
  return found == nullptr ? "" : decoded(found->get_ref<const std::string&>());
}

Found read_found(const Json& part) {
  Found found;
  for (const char* kind : {"response_range", "response_put", "response_delete_range"}) {
    const Json* response = member(part, kind, Json::value_t::object);
    if (response == nullptr) continue;
    found.count =
        std::max(number<int64_t>(*response, "count"), number<int64_t>(*response, "deleted"));
    const Json* items = member(*response, "kvs", Json::value_t::array);
    if (items == nullptr) return found;
    for (const Json& item : *items) {
      if (!item.is_object()) throw NotEtcd("a key in its answer is no object");
      found.items.push_back({bytes(item, "key"), bytes(item, "value"),
                             number<int64_t>(item, "mod_revision"),
                             number<int64_t>(item, "version")});
    }
    return found;
  }
  throw NotEtcd("a part of its answer is none of a transaction");
}

}  // namespace

Span beginning_with(std::string text) {
  std::string end = text;
  ++end.back();
  return {std::move(text), std::move(end)};
}

std::string put(std::string_view key, std::string_view value) {
  return str("{\"request_put\":{\"key\":\"", encoded(key), "\",\"value\":\"", encoded(value),
             "\"}}");
}

std::string look_up(std::string_view key, Show show) {
  return find({std::string(key), ""}, 0, show);
}

std::string find(const Span& span, int64_t limit, Show show) {
  return str("{\"request_range\":{", place(span), ",\"limit\":\"", limit, '"', shown(show), "}}");
}

std::string find_oldest(const Span& span) {
  return str("{\"request_range\":{", place(span),
             ",\"limit\":\"1\",\"sort_target\":\"CREATE\",\"sort_order\":\"ASCEND\"}}");
}

std::string erase(const Span& span) {
  return str("{\"request_delete_range\":{", place(span), "}}");
}

std::string is_version(std::string_view key, int64_t version) {
  return condition(key, "VERSION", "version", version);
}

std::string is_revision(std::string_view key, int64_t revision) {
  return condition(key, "MOD", "mod_revision", revision);
}

std::string Transaction::text() const {
  return str("{\"compare\":", listed(conditions), ",\"success\":", listed(then),
             ",\"failure\":", listed(otherwise), '}');
}

std::string watch_request(const std::vector<Span>& spans, int64_t revision) {
  std::string text;
  for (const Span& span : spans) {
    text += str("{\"create_request\":{", place(span), ",\"start_revision\":\"", revision,
                "\",\"filters\":[\"NODELETE\"]}}");
  }
  return text;
}

std::string login_request(std::string_view user, std::string_view password) {
  const Json json = {{"name", user}, {"password", password}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Answer read_answer(std::string_view text) {
  const Json json = parse(text);
  const Json* header = member(json, "header", Json::value_t::object);
  if (header == nullptr) throw NotEtcd("its answer has no header");
  Answer answer;
  answer.cluster = number<uint64_t>(*header, "cluster_id");
  answer.revision = number<int64_t>(*header, "revision");
  const Json* succeeded = member(json, "succeeded", Json::value_t::boolean);
  answer.succeeded = succeeded != nullptr && succeeded->get<bool>();
  if (const Json* parts = member(json, "responses", Json::value_t::array)) {
    for (const Json& part : *parts) {
      if (!part.is_object()) throw NotEtcd("a part of its answer is no object");
      answer.parts.push_back(read_found(part));
    }
  }
  return answer;
}

std::string read_token(std::string_view text) {
  const Json json = parse(text);
  const Json* token = member(json, "token", Json::value_t::string);
  if (token == nullptr) throw NotEtcd("its answer has no token");
  auto value = token->get<std::string>();
  // It becomes a line of a request.
  for (const char c : value) {
    if (c <= ' ' || c > '~') throw NotEtcd("its token holds what no token holds");
  }
  return value;
}

Refusal read_refusal(std::string_view text) {
  try {
    const Json json = parse(text);
    const Json* code = member(json, "code", Json::value_t::number_unsigned);
    const Json* message = member(json, "message", Json::value_t::string);
    if (code == nullptr || message == nullptr || *code > 16) return {};
    return {code->get<int>(), message->get<std::string>()};
  } catch (const NotEtcd&) {
    return {};
  }
}

bool read_event(std::string_view line) {
  const Json json = parse(line);
  if (const Json* error = member(json, "error", Json::value_t::object)) {
    const Json* message = member(*error, "message", Json::value_t::string);
    throw NotEtcd(message == nullptr ? "a watch ended" : message->get<std::string>());
  }
  const Json* result = member(json, "result", Json::value_t::object);
  if (result == nullptr) throw NotEtcd("an event is none of a watch");
  return result->contains("events") || result->contains("canceled");
}

}  // namespace opweave::distributed::etcd
