// Each message of messages.def, answered.
#include "runtime/distributed/store/service.h"

#include "runtime/core/base/error.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/secret.h"

namespace opweave::distributed {
namespace {

// Of the keys that are not there.
constexpr size_t kNamedKeys = 8;

const std::string kJoined = std::string(kReserved) + "joined";

void answer(Client& client, int64_t number = 0) {
  append_frame(client.output, Message::done, number);
}
void answer(Client& client, int64_t number, std::string_view string) {
  append_frame(client.output, Message::done, number, string);
}

}  // namespace

void Service::refuse(Client& client, std::string_view reason) {
  append_frame(client.output, Message::refused, 0, reason);
  client.ends = true;
}

void Service::handle(Client& client, const Frame& frame) try {
  if (!format_of(frame.message).is_request)
    return refuse(client, "an answer was sent as a request");
  if (client.state != Client::kServed) {
    return client.state == Client::kNew ? greet(client, frame) : prove_back(client, frame);
  }
  switch (frame.message) {
    case Message::set:
    case Message::append:
    case Message::add:
    case Message::delete_key:
    case Message::queue_push:
      return change(client, frame);
    case Message::compare_set:
      return compare_set(client, frame);
    case Message::join:
      return join(client, frame);
    case Message::get:
    case Message::wait:
    case Message::queue_pop:
    case Message::joined:
      return begin_wait(client, frame);
    default:
      return look(client, frame);
  }
} catch (const Error& error) {
  const MessageFormat& format = format_of(frame.message);
  const bool is_value = error.kind() == ErrorKind::kValue;
  const std::string text = format.is_answered
                               ? error.message()
                               : str("an earlier ", format.name, " failed: ", error.message());
  append_frame(client.output, is_value ? Message::wrong_value : Message::failed, 0, text);
  // Nobody waits for an answer to a silent request: whoever comes next on this connection reads it.
  client.ends = !format.is_answered;
}

void Service::greet(Client& client, const Frame& frame) {
  if (frame.message != Message::hello) return refuse(client, "a client begins with a hello");
  if (frame.number != kProtocolVersion) {
    return refuse(client, str("the client speaks version ", frame.number,
                              " of the store's protocol, the server version ", kProtocolVersion));
  }
  client.client_nonce = frame.strings[0];
  client.server_nonce = make_nonce();
  client.state = secret_.empty() ? Client::kServed : Client::kChallenged;
  if (client.state == Client::kServed) client.deadline = Deadline::never();
  append_frame(client.output, Message::challenge, secret_.empty() ? 0 : 1, client.server_nonce);
}

void Service::prove_back(Client& client, const Frame& frame) {
  if (frame.message != Message::prove) {
    return refuse(client, "the store asks for a secret, and the client has none");
  }
  const std::string expected =
      prove(secret_, Side::kClient, client.client_nonce, client.server_nonce);
  if (!same_proof(expected, frame.strings[0])) {
    return refuse(client, "the client's secret is not the store's");
  }
  client.state = Client::kServed;
  client.deadline = Deadline::never();
  answer(client, 0, prove(secret_, Side::kServer, client.client_nonce, client.server_nonce));
}

void Service::set(const std::string& key, std::string_view value) {
  check_key(key);
  table_.set(key, value);
  wake(key);
}

void Service::change(Client& client, const Frame& frame) {
  const auto string = [&](size_t i) { return std::string(frame.strings[i]); };
  if (frame.message == Message::set) {
    for (size_t i = 0; i < frame.strings.size(); i += 2) set(string(i), frame.strings[i + 1]);
    return;
  }
  const std::string key = string(0);
  check_key(key);
  if (frame.message == Message::append) {
    set(key, table_.appended(key, frame.strings[1]));
    answer(client);
  } else if (frame.message == Message::queue_push) {
    table_.push(key, string(1));
    wake(key);
  } else if (frame.message == Message::delete_key) {
    answer(client, table_.erase(key) ? 1 : 0);
  } else {
    const std::string sum = table_.added(key, frame.number);
    set(key, sum);
    answer(client, to_number(sum));
  }
}

void Service::compare_set(Client& client, const Frame& frame) {
  const std::string key(frame.strings[0]);
  check_key(key);
  if (table_.compares(key, frame.strings[1])) set(key, frame.strings[2]);
  answer(client, 0, table_.after_compare(key, frame.strings[1]));
}

void Service::look(Client& client, const Frame& frame) {
  if (frame.message == Message::check) {
    size_t there = 0;
    while (there < frame.strings.size() && table_.has(frame.strings[there])) ++there;
    return answer(client, there == frame.strings.size() ? 1 : 0);
  }
  if (frame.message == Message::num_keys) {
    return answer(client, static_cast<int64_t>(table_.num_keys()));
  }
  if (frame.message == Message::queue_len) {
    return answer(client, static_cast<int64_t>(table_.queue_len(frame.strings[0])));
  }
  if (frame.message == Message::list_keys) {
    const std::vector<std::string> keys = table_.list_keys();
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    return append_frame(client.output, Message::done, 0, views);
  }
  refuse(client, str("a message '", format_of(frame.message).name, "' out of place"));
}

int64_t Service::joined() const {
  const std::string* count = table_.find(kJoined);
  return count == nullptr ? 0 : to_number(*count);
}

// Those that come when all are there are of a world of its own.
void Service::join(Client& client, const Frame& frame) {
  const std::string who(frame.strings[0]);
  if (is_whole()) {
    world_size_ = frame.number;
    first_to_join_ = who;
    disagreement_.clear();
  } else if (frame.number != world_size_) {
    disagree(str("the ranks disagree on the world size: ", who, " was started for a world of ",
                 frame.number, ", ", first_to_join_, " for one of ", world_size_));
  }
  table_.set(kJoined, std::to_string(joined() + 1));
  answer(client, joined());
  wake(kJoined);
}

// Who waits for all to join would wait in vain, and hears of it as well.
void Service::disagree(const std::string& why) {
  disagreement_ = why;
  for (Client* client : waiters_.of(kJoined)) {
    append_frame(client->output, Message::failed, 0, why);
    forget(*client);
    answered_.push_back(client);
  }
  throw DistStoreError(why);
}

void Service::begin_wait(Client& client, const Frame& frame) {
  client.wait = Client::Wait{frame.message, {frame.strings.begin(), frame.strings.end()}};
  client.wait->number = frame.number;
  if (try_answer(client)) return;
  if (frame.message == Message::joined && !disagreement_.empty()) {
    client.wait.reset();
    throw DistStoreError(disagreement_);
  }
  // Who waits for others to join ends that wait itself.
  const Milliseconds timeout(frame.message == Message::joined ? 0 : frame.number);
  if (timeout.count() < 0) return time_out(client);
  client.deadline = Deadline::after(timeout);
  waiters_.add(client.wait->key, &client);
}

void Service::time_out(Client& client) {
  if (!client.wait) return refuse(client, "the client did not say in time who it is");
  std::vector<std::string_view> missing;
  int64_t count = 0;
  for (const std::string& key : client.wait->keys) {
    const bool is_there =
        client.wait->message == Message::get ? table_.find(key) != nullptr : table_.has(key);
    if (is_there) continue;
    if (++count <= static_cast<int64_t>(kNamedKeys)) missing.push_back(key);
  }
  append_frame(client.output, Message::missing, count, missing);
  forget(client);
}

void Service::forget(Client& client) {
  if (client.wait) waiters_.remove(client.wait->key, &client);
  client.wait.reset();
  client.deadline = Deadline::never();
}

void Service::wake(const std::string& key) {
  for (Client* client : waiters_.of(key)) {
    if (try_answer(*client)) {
      waiters_.remove(key, client);
      answered_.push_back(client);
    } else if (client->wait->key != key) {
      waiters_.remove(key, client);
      waiters_.add(client->wait->key, client);
    }
  }
}

// Answers with the values of all keys, where none was deleted in the meantime.
bool Service::answer_values(Client& client) {
  Client::Wait& wait = *client.wait;
  std::vector<std::string_view> values;
  values.reserve(wait.keys.size());
  for (size_t i = 0; i < wait.keys.size(); ++i) {
    const std::string* value = table_.find(wait.keys[i]);
    if (value == nullptr) {
      wait.key = wait.keys[wait.next = i];
      return false;
    }
    values.push_back(*value);
  }
  try {
    append_frame(client.output, Message::done, 0, values);
  } catch (const Error& error) {
    append_frame(client.output, Message::wrong_value, 0, error.message());
  }
  return true;
}

bool Service::try_answer(Client& client) {
  Client::Wait& wait = *client.wait;
  if (wait.message == Message::joined) {
    wait.key = kJoined;
    if (joined() < wait.number) return false;
    answer(client, joined());
  } else if (wait.message == Message::queue_pop) {
    wait.key = wait.keys[0];
    const std::optional<std::string> value = table_.pop(wait.key);
    if (!value) return false;
    answer(client, 0, *value);
  } else {
    const bool is_get = wait.message == Message::get;
    const auto is_there = [&](const std::string& key) {
      return is_get ? table_.find(key) != nullptr : table_.has(key);
    };
    while (wait.next < wait.keys.size() && is_there(wait.keys[wait.next])) ++wait.next;
    if (wait.next < wait.keys.size()) {
      wait.key = wait.keys[wait.next];
      return false;
    }
    if (is_get && !answer_values(client)) return false;
    if (!is_get) answer(client);
  }
  client.wait.reset();
  client.deadline = Deadline::never();
  return true;
}

}  // namespace opweave::distributed
