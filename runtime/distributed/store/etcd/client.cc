// Connections, logging in, transactions and watches.
#include "runtime/distributed/store/etcd/client.h"

#include <algorithm>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/etcd/attempts.h"
#include "runtime/distributed/store/limits.h"
#include "runtime/distributed/store/secret.h"

namespace opweave::distributed::etcd {
namespace {

constexpr const char* kTransaction = "/v3/kv/txn";
constexpr const char* kWatch = "/v3/watch";
constexpr const char* kLogin = "/v3/auth/authenticate";

// Of one answer. Members give 4 MiB, and by now more.
constexpr size_t kMostBytes = size_t{16} << 20;
// Of a line about a key; one that is longer is about a value that somebody has set.
constexpr size_t kLongestLine = size_t{64} << 10;
constexpr size_t kIdleConnections = 4;
// A watch of a member that was stopped says nothing: after so long the key is looked at again.
constexpr Milliseconds kTrust{5000};
constexpr Milliseconds kAfterBrokenWatch{100};
constexpr Milliseconds kForErasing{500};

// "node0:2379/" becomes "http://node0:2379".
std::string url_of(std::string endpoint) {
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const size_t scheme = endpoint.find("://");
  if (scheme == std::string::npos) endpoint.insert(0, "http://");
  const bool is_http = endpoint.starts_with("http://") || endpoint.starts_with("https://");
  const std::string place = endpoint.substr(endpoint.find("://") + 3);
  const size_t colon = place.rfind(':');
  const bool has_port = colon != std::string::npos && colon > 0 && colon + 1 < place.size() &&
                        place.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  const bool is_plain = place.find_first_of("/@?# \t\r\n") == std::string::npos;
  OW_CHECK_VALUE(
      is_http && has_port && is_plain && place.size() <= 300,
      "EtcdStore expects endpoints such as 'node0:2379' and 'https://node0:2379', but got ",
      quoted(endpoint));
  return endpoint;
}

}  // namespace

std::string random_name() {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (const char byte : make_nonce().substr(0, 8)) {
    name += kDigits[static_cast<unsigned char>(byte) / 16];
    name += kDigits[static_cast<unsigned char>(byte) % 16];
  }
  return name;
}

struct Client::Connection {
  Connection(const EtcdTls& tls, std::string key) : link(tls), tally(std::move(key)) {}
  EtcdLink link;
  std::string tally;
  int64_t writes = 0;
};

struct Client::State {
  const uint32_t forks = fork_count();
  ForkSafeMutex mutex;
  std::vector<std::unique_ptr<Connection>> idle;
  std::string token;
  int made = 0;
  bool has_written = false;
  const std::string name = random_name();
};

// A connection of one's own for a while. Where something was thrown it is not used again: nobody
// knows whether its last write was done.
class Client::Turn {
 public:
  explicit Turn(Client& client) : client_(client), state_(client.state()) {
    const std::lock_guard lock(state_.mutex);
    if (!state_.idle.empty()) {
      connection_ = std::move(state_.idle.back());
      state_.idle.pop_back();
      return;
    }
    connection_ = std::make_unique<Connection>(
        client.options_.tls, str(client.prefix(), "/w/", state_.name, "/", state_.made++));
  }
  ~Turn() {
    if (!is_done_) return;
    const std::lock_guard lock(state_.mutex);
    if (state_.idle.size() < kIdleConnections) state_.idle.push_back(std::move(connection_));
  }
  Connection* operator->() { return connection_.get(); }
  void writes() {
    const std::lock_guard lock(state_.mutex);
    state_.has_written = true;
  }
  void done() { is_done_ = true; }

 private:
  Client& client_;
  State& state_;
  std::unique_ptr<Connection> connection_;
  bool is_done_ = false;
};

Client::Client(EtcdOptions options) : options_(std::move(options)), state_(nullptr) {
  OW_CHECK_VALUE(!options_.endpoints.empty(), "EtcdStore expects at least one endpoint");
  for (std::string& endpoint : options_.endpoints) endpoint = url_of(std::move(endpoint));
  while (options_.prefix.ends_with('/')) options_.prefix.pop_back();
  check_key(options_.prefix);
  is_known_ = std::make_unique<std::atomic<bool>[]>(options_.endpoints.size());
  state_.store(new State);
}

Client::~Client() {
  State* state = state_.load();
  // What a parent holds is the parent's.
  if (state->forks != fork_count()) return;
  if (state->has_written) try {
      const Deadline deadline = Deadline::after(kForErasing);
      const Call call{"~EtcdStore", nullptr, kForErasing, deadline, deadline};
      const Span tallies = beginning_with(str(prefix(), "/w/", state->name, "/"));
      Turn turn(*this);
      ask_answer(turn->link, call, {{}, {erase(tallies)}, {}});
    } catch (...) {
      // The tallies stay; they harm nobody.
    }
  delete state;
}

Client::State& Client::state() {
  State* state = state_.load();
  while (state->forks != fork_count()) {
    auto own = std::make_unique<State>();
    if (state_.compare_exchange_strong(state, own.get())) return *own.release();
  }
  return *state;
}

std::string Client::describe() const {
  std::string members;
  for (const std::string& endpoint : options_.endpoints) {
    members += (members.empty() ? "" : ",") + endpoint;
  }
  return str("EtcdStore(", members, ", ", quoted(prefix()), ")");
}

std::string Client::token() {
  State& own = state();
  const std::lock_guard lock(own.mutex);
  return own.token;
}

template <class Read>
auto Client::ask(EtcdLink& link, const Call& call, const char* path, const std::string& body,
                 Parting parting, Read&& read) {
  Attempts attempts(*this, call, parting);
  const bool logs_in = path == kLogin;
  const std::string hello = greeting();
  while (true) {
    const size_t member = attempts.member();
    const bool is_known = logs_in || is_known_[member].load();
    const HttpReply reply = link.post({.url = options_.endpoints[member] + path,
                                       .body = std::string_view(is_known ? body : hello),
                                       .token = logs_in ? "" : token(),
                                       .most_bytes = kMostBytes},
                                      attempts.deadline());
    const Attempts::Next next = attempts.judge(reply);
    if (next == Attempts::Next::kLogIn) log_in(link, call);
    if (next != Attempts::Next::kRead) continue;
    try {
      if (is_known) return read(reply.body);
      meet(member, read_answer(reply.body).cluster);
    } catch (const NotEtcd& error) {
      attempts.reject(error.why());
    }
  }
}

void Client::log_in(EtcdLink& link, const Call& call) {
  const std::string body = login_request(options_.user, options_.password);
  std::string token = ask(link, call, kLogin, body, Parting::kCannot, read_token);
  State& own = state();
  const std::lock_guard lock(own.mutex);
  own.token = std::move(token);
}

std::string Client::greeting() const {
  return Transaction{{}, {look_up(prefix() + "/w", Show::kCount)}, {}}.text();
}

void Client::meet(size_t member, uint64_t cluster) {
  uint64_t known = 0;
  if (!cluster_.compare_exchange_strong(known, cluster) && known != cluster) {
    throw NotEtcd("it is a member of another cluster than the others");
  }
  is_known_[member].store(true);
}

Answer Client::ask_answer(EtcdLink& link, const Call& call, const Transaction& transaction,
                          Parting parting) {
  if (!options_.user.empty() && token().empty()) log_in(link, call);
  // Others came between, again and again.
  if (call.last_answer.passed()) {
    throw DistNetworkError(str(describe_call(*this, call), ": not done within ",
                               call.timeout.count(), "ms, though all that was asked was answered"));
  }
  return ask(link, call, kTransaction, transaction.text(), parting, [&](const std::string& text) {
    Answer answer = read_answer(text);
    const Parts& asked = answer.succeeded ? transaction.then : transaction.otherwise;
    const bool is_right = answer.succeeded || !transaction.conditions.empty();
    if (!is_right || answer.parts.size() != asked.size()) {
      throw NotEtcd("its answer has not as many parts as it was asked for");
    }
    return answer;
  });
}

Answer Client::read(const Call& call, const Parts& parts, Parting parting) {
  Turn turn(*this);
  Answer answer = ask_answer(turn->link, call, {{}, parts, {}}, parting);
  turn.done();
  return answer;
}

Client::Written Client::write(const Call& call, const Parts& conditions, const Parts& then,
                              const Parts& otherwise) {
  Turn turn(*this);
  turn.writes();
  Transaction transaction{conditions, then, otherwise};
  transaction.conditions.push_back("");
  transaction.then.push_back(put(turn->tally, ""));
  transaction.otherwise.push_back(look_up(turn->tally, Show::kKeys));
  while (true) {
    transaction.conditions.back() = is_version(turn->tally, turn->writes);
    Answer answer = ask_answer(turn->link, call, transaction);
    const std::vector<Item>& tally = answer.parts.back().items;
    const int64_t writes = tally.empty() ? 0 : tally.front().version;
    const bool was_done = !answer.succeeded && writes == turn->writes + 1;
    // Somebody erased the tally.
    const bool is_lost = !answer.succeeded && !was_done && writes != turn->writes;
    turn->writes = answer.succeeded ? turn->writes + 1 : writes;
    if (is_lost) continue;
    turn.done();
    answer.parts.pop_back();
    return {answer.succeeded || was_done, std::move(answer.parts)};
  }
}

void Client::watch(const Call& call, const std::vector<Span>& spans, int64_t revision,
                   const Deadline& deadline) {
  const Milliseconds left = std::min(deadline.remaining(), kTrust);
  if (left.count() <= 0) return;
  std::string broken;
  const auto happened = [&](std::string& so_far) {
    for (size_t end; (end = so_far.find('\n')) != std::string::npos; so_far.erase(0, end + 1)) {
      if (read_event(std::string_view(so_far).substr(0, end))) return true;
    }
    return so_far.size() > kLongestLine;
  };
  const auto sees = [&](std::string& so_far) {
    try {
      return happened(so_far);
    } catch (const NotEtcd& error) {
      broken = error.why();
      return true;
    }
  };
  Turn turn(*this);
  const size_t member = member_.load();
  const std::string body = watch_request(spans, revision);
  const HttpReply reply =
      turn->link.post({.url = options_.endpoints[member % options_.endpoints.size()] + kWatch,
                       .body = body,
                       .token = token(),
                       .most_bytes = kMostBytes,
                       .is_enough = sees},
                      Deadline::after(left));
  turn.done();
  using End = HttpReply::End;
  if (reply.end == End::kTimedOut || (reply.end == End::kEnough && broken.empty())) return;
  // What is wrong with the member the next look at the key says, and then asks another.
  size_t expected = member;
  member_.compare_exchange_strong(expected, member + 1);
  pause_for(kAfterBrokenWatch, call.deadline);
}

}  // namespace opweave::distributed::etcd
