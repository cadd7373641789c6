// The client of a TCPStore: each method is a request.
#include "runtime/distributed/store/tcp_store.h"

#include <array>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/process.h"
#include "runtime/distributed/store/server.h"
#include "runtime/distributed/store/shared_servers.h"

namespace opweave::distributed {
namespace {

// The server tells when a wait is over; where it does not, it is gone.
constexpr Milliseconds kGrace{500};
constexpr size_t kIdleChannels = 4;

// Not to wait for keys is to wait for the server.
TimeLimit of_answer(const TimeLimit& limit) {
  return limit.timeout.count() < 0 ? TimeLimit::after(kGrace) : limit;
}

std::vector<std::string_view> views(const Store::Keys& keys) { return {keys.begin(), keys.end()}; }

}  // namespace

class TCPStore::Turn {
 public:
  Turn(TCPStore& store, const TimeLimit& limit) : store_(store), limit_(of_answer(limit)) {
    // Another thread has it for as long as the server takes to answer.
    if (!store.turns_.take(limit_.deadline)) {
      throw DistNetworkError(str(store.describe(), ": another thread's request is not answered"));
    }
    if (store.forks_ == fork_count()) return;
    // A forked process has none of its parent's connections.
    store.forks_ = fork_count();
    store.main_.reset();
    const std::lock_guard lock(store.mutex_);
    store.idle_.clear();
  }
  ~Turn() {
    // After an error nobody knows which answer comes next.
    if (!is_done_) store_.main_.reset();
    store_.turns_.give_back();
  }
  Channel& channel() {
    if (!store_.main_) store_.main_ = Channel::open(store_.address_, limit_, false);
    return *store_.main_;
  }
  const Deadline& deadline() const { return limit_.deadline; }
  void done() { is_done_ = true; }

 private:
  TCPStore& store_;
  const TimeLimit limit_;
  bool is_done_ = false;
};

TCPStore::TCPStore(TCPStoreOptions options)
    : Store(options.timeout),
      address_{options.host, options.port, options.secret},
      forks_(fork_count()) {
  OW_CHECK_VALUE(options.world_size != 0, "TCPStore world size cannot be 0");
  OW_CHECK_VALUE(options.is_master || options.port != 0,
                 "TCPStore expects the port of its server, but got 0: only the master chooses one");
  if (options.is_master) {
    server_ = begin_or_share_server(options);
    address_.port = server_->port();
  }
  const TimeLimit limit = Store::limit(options.timeout);
  main_ = Channel::open(address_, limit, true);
  if (options.wait_for_workers && options.world_size.value_or(-1) > 0) {
    join(*options.world_size, limit, options.is_master);
  }
}

TCPStore::TCPStore(const TCPStore& other, Milliseconds timeout)
    : Store(timeout), address_(other.address_), server_(other.server_), forks_(fork_count()) {
  main_ = Channel::open(address_, limit(), true);
}

TCPStore::~TCPStore() = default;

std::shared_ptr<Store> TCPStore::clone() {
  return std::shared_ptr<Store>(new TCPStore(*this, timeout()));
}

void TCPStore::join(int64_t world_size, const TimeLimit& limit, bool waits) {
  const std::string who = own_process();
  place_ = ask(Message::join, world_size, std::array<std::string_view, 1>{who}, limit).number;
  if (!waits || place_ >= world_size) return;
  const std::unique_ptr<Channel> channel = take_waiting_channel(limit);
  const Deadline deadline = limit.deadline;
  const Question question{Message::joined, world_size, {}};
  channel->send(question, deadline);
  try {
    channel->receive(question, deadline);
  } catch (const DistNetworkError&) {
    if (!deadline.passed()) throw;
    // Of a world of none all have joined: the answer comes at once.
    const int64_t now = ask(Message::joined, 0, {}, TimeLimit::after(kGrace)).number;
    throw DistStoreError(str(describe(), ": timed out after ", limit.timeout.count(),
                             "ms waiting for clients. ", now, "/", world_size, " clients joined."));
  }
}

void TCPStore::tell(Message message, Strings strings) {
  const Question question{message, 0, strings};
  Turn turn(*this, limit());
  Channel& channel = turn.channel();
  channel.check_alive(question, Deadline::Clock::now());
  channel.send(question, turn.deadline());
  turn.done();
}

Answer TCPStore::ask(Message message, int64_t number, Strings strings, const TimeLimit& limit) {
  const Question question{message, number, strings};
  Turn turn(*this, limit);
  Channel& channel = turn.channel();
  channel.send(question, turn.deadline());
  try {
    Answer answer = channel.receive(question, turn.deadline());
    turn.done();
    return answer;
  } catch (const DistError&) {
    throw;
  } catch (const Error&) {
    // What was asked for is wrong, the connection is not.
    turn.done();
    throw;
  }
}

std::unique_ptr<Channel> TCPStore::take_waiting_channel(const TimeLimit& limit) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Channel> channel = std::move(idle_.back());
      idle_.pop_back();
      return channel;
    }
  }
  return Channel::open(address_, limit, false);
}

Answer TCPStore::ask_waiting(Message message, Strings strings, const TimeLimit& limit) {
  const TimeLimit with_grace{limit.timeout, limit.deadline.later_by(kGrace)};
  std::unique_ptr<Channel> channel = take_waiting_channel(with_grace);
  // What is left, of which zero would be for ever.
  const bool is_never = limit.deadline.is_never();
  const int64_t left = is_never ? 0 : std::max(limit.deadline.remaining(), Milliseconds(1)).count();
  const Question question{message, left, strings};
  channel->send(question, with_grace.deadline);
  Answer answer = channel->receive(question, with_grace.deadline);
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kIdleChannels) idle_.push_back(std::move(channel));
  return answer;
}

Answer TCPStore::ask_patiently(Message message, Strings strings, const TimeLimit& limit) {
  const bool waits = limit.timeout.count() >= 0;
  // The shortest wait takes as long as the server needs to say that nothing is there.
  const TimeLimit first{limit.timeout, limit.deadline.later_by(kGrace)};
  const Answer answer = ask(message, -1, strings, waits ? first : this->limit());
  const bool is_over = !waits || answer.message != Message::missing;
  return is_over ? answer : ask_waiting(message, strings, limit);
}

Answer TCPStore::await_keys(Message message, const char* method, const Keys& keys,
                            const TimeLimit& limit) {
  check_keys(keys);
  const std::vector<std::string_view> strings = views(keys);
  Answer answer = ask_patiently(message, strings, limit);
  if (answer.message != Message::missing) return answer;
  throw_timeout(method, limit.timeout, answer.strings, static_cast<size_t>(answer.number),
                keys.size());
}

void TCPStore::set(const std::string& key, const std::string& value) {
  check_key(key);
  check_value(key, value);
  tell(Message::set, std::array<std::string_view, 2>{key, value});
}

std::string TCPStore::get(const std::string& key) {
  return std::move(await_keys(Message::get, "get", {key}, limit()).strings.at(0));
}

int64_t TCPStore::add(const std::string& key, int64_t amount) {
  check_key(key);
  return ask(Message::add, amount, std::array<std::string_view, 1>{key}).number;
}

std::string TCPStore::compare_set(const std::string& key, const std::string& expected,
                                  const std::string& desired) {
  check_key(key);
  check_value(key, expected);
  check_value(key, desired);
  const std::array<std::string_view, 3> strings{key, expected, desired};
  return std::move(ask(Message::compare_set, 0, strings).strings.at(0));
}

bool TCPStore::delete_key(const std::string& key) {
  check_key(key);
  return ask(Message::delete_key, 0, std::array<std::string_view, 1>{key}).number != 0;
}

bool TCPStore::check(const Keys& keys) {
  check_keys(keys);
  return ask(Message::check, 0, views(keys)).number != 0;
}

int64_t TCPStore::num_keys() { return ask(Message::num_keys, 0, {}).number; }

void TCPStore::wait(const Keys& keys, Milliseconds timeout) {
  await_keys(Message::wait, "wait", keys, limit(timeout));
}

void TCPStore::append(const std::string& key, const std::string& value) {
  check_key(key);
  check_value(key, value);
  ask(Message::append, 0, std::array<std::string_view, 2>{key, value});
}

Store::Values TCPStore::multi_get(const Keys& keys) {
  return await_keys(Message::get, "multi_get", keys, limit()).strings;
}

void TCPStore::multi_set(const Keys& keys, const Values& values) {
  check_pairs(keys.size(), values.size());
  check_keys(keys);
  std::vector<std::string_view> strings;
  strings.reserve(2 * keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    check_key(keys[i]);
    check_value(keys[i], values[i]);
    strings.push_back(keys[i]);
    strings.push_back(values[i]);
  }
  tell(Message::set, strings);
}

Store::Keys TCPStore::list_keys() { return ask(Message::list_keys, 0, {}).strings; }

void TCPStore::queue_push(const std::string& key, const std::string& value) {
  check_key(key);
  check_value(key, value);
  tell(Message::queue_push, std::array<std::string_view, 2>{key, value});
}

std::string TCPStore::queue_pop(const std::string& key, bool block) {
  check_key(key);
  const std::array<std::string_view, 1> strings{key};
  const TimeLimit limit = this->limit();
  Answer answer = block ? ask_patiently(Message::queue_pop, strings, limit)
                        : ask(Message::queue_pop, -1, strings, limit);
  if (answer.message == Message::missing && !block) throw_empty_queue(key);
  if (answer.message == Message::missing) throw_timeout("queue_pop", limit.timeout, {key}, 1);
  return std::move(answer.strings.at(0));
}

int64_t TCPStore::queue_len(const std::string& key) {
  check_key(key);
  return ask(Message::queue_len, 0, std::array<std::string_view, 1>{key}).number;
}

}  // namespace opweave::distributed
