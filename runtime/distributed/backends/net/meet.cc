// Every rank connects to those below it and is called by those above it.
#include "runtime/distributed/backends/net/meet.h"

#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/calls.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/backends/net/link.h"
#include "runtime/distributed/backends/watchful_store.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::net {
namespace {

constexpr const char *kPlace = "place", *kGaveUp = "gave up";
constexpr size_t kToken = 16;
// Who waits to be called looks so often whether that will be.
constexpr Milliseconds kBetweenLooks{200};
// For what is said and asked when there is no time left.
constexpr Milliseconds kMoment{150};
constexpr uint32_t kLongestGreeting = 1 << 16;

// What begins a connection, before the greeting.
struct Introduction {
  char token[kToken];  // of the rank that is called: only its store tells it
  int32_t rank;        // that speaks
  uint32_t nbytes;     // of the greeting
};

// One that has been accepted, and of whose introduction so much has come.
struct Caller {
  Socket socket;
  std::string came;
};

class Party {
 public:
  Party(const BackendContext& context, const Meeting& meeting, const Deadline& deadline)
      : context_(context), meeting_(meeting), deadline_(deadline), met_(size_t(context.size)) {}

  std::vector<Met> run() {
    try {
      publish();
      for (int r = 0; r < context_.rank; ++r) call(r);
      while (!missing().empty()) answer();
    } catch (const std::exception& error) {
      tell_all(error.what());
      throw;
    }
    return std::move(met_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw DistBackendError(str("rank ", context_.rank, " of the group '", context_.group,
                               "' cannot connect to all others ", meeting_.network, ": ", why));
  }

  void publish() {
    if (getrandom(token_, kToken, 0) != kToken) fail("the system has no random numbers");
    listener_ = listen_on(meeting_.address, 0, deadline_);
    publish_value(
        context_, kPlace,
        str(std::string_view(token_, kToken), port_of(listener_.get()), " ", meeting_.address));
  }

  std::string introduce(int rank, const char* token) const {
    const std::string greeting = meeting_.greeting(rank);
    Introduction own{{}, context_.rank, static_cast<uint32_t>(greeting.size())};
    std::memcpy(own.token, token, kToken);
    return std::string(reinterpret_cast<const char*>(&own), sizeof own) + greeting;
  }

  void call(int rank) {
    const std::string place = value_of(context_, kPlace, rank);
    uint16_t port = 0;
    const char* const end = place.data() + place.size();
    const auto [rest, status] =
        std::from_chars(place.data() + std::min(kToken, place.size()), end, port);
    if (status != std::errc() || rest == end) fail(str("rank ", rank, " left no address"));
    const std::string host(rest + 1, end);
    std::string error;
    Socket socket = try_connect(host, port, deadline_, error);
    if (!socket.is_open()) check_given_up(rank);
    if (!socket.is_open())
      fail(str("rank ", rank, " cannot be reached at ", show_address(host, port), ": ", error));
    send_all(socket, introduce(rank, place.data()), rank);
    std::string came;
    while (!read_introduction(came, token_)) receive(socket, came, rank);
    take(rank, std::move(socket), came);
  }

  void send_all(const Socket& socket, std::string_view bytes, int rank) const {
    while (!bytes.empty()) {
      const ssize_t n =
          ::send(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
      if (n < 0 && errno != EAGAIN && errno != EINTR) gone(rank);
      if (n < 0 && !wait_for(socket.get(), POLLOUT, deadline_)) late({rank});
    }
  }

  void receive(const Socket& socket, std::string& came, int rank) const {
    if (!wait_for(socket.get(), POLLIN, deadline_)) late({rank});
    if (!receive_some(socket, came)) gone(rank);
  }

  // False when nothing more will come.
  static bool receive_some(const Socket& socket, std::string& came) {
    char some[4096];
    const ssize_t n = recv(socket.get(), some, sizeof some, MSG_DONTWAIT);
    if (n > 0) came.append(some, static_cast<size_t>(n));
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }

  // Of a connection that broke. Who gives up leaves a word before it closes any.
  [[noreturn]] void gone(int rank) const {
    try {
      check_given_up(rank);
    } catch (const DistBackendError&) {
      throw;
    } catch (const DistError&) {
      // The store does not answer: it may have gone with the rank.
    }
    fail(str("rank ", rank, " has ended"));
  }
  [[noreturn]] void late(const std::vector<int>& ranks) const {
    fail(name_ranks(ranks) + " did not come in time");
  }

  // Whether all of an introduction has come that names a token.
  static bool read_introduction(const std::string& came, const char* token) {
    Introduction said;
    if (came.size() < sizeof said) return false;
    std::memcpy(&said, came.data(), sizeof said);
    return std::memcmp(said.token, token, kToken) == 0 && said.nbytes <= kLongestGreeting &&
           came.size() >= sizeof said + said.nbytes;
  }

  void take(int rank, Socket socket, const std::string& came) {
    Introduction said;
    std::memcpy(&said, came.data(), sizeof said);
    met_[size_t(rank)] = {std::move(socket), came.substr(sizeof said, said.nbytes),
                          came.substr(sizeof said + said.nbytes)};
  }

  std::vector<int> missing() const {
    std::vector<int> ranks;
    for (int r = 0; r < context_.size; ++r) {
      if (r != context_.rank && !met_[size_t(r)].socket.is_open()) ranks.push_back(r);
    }
    return ranks;
  }

  // Waits for whoever calls next, and takes what callers say.
  void answer() {
    std::vector<pollfd> wanted{{listener_.get(), POLLIN, 0}};
    for (const Caller& caller : callers_) wanted.push_back({caller.socket.get(), POLLIN, 0});
    const size_t callers = callers_.size();
    for (const Met& one : met_) wanted.push_back({one.socket.get(), POLLRDHUP, 0});
    const auto slice = std::min(deadline_.remaining(), kBetweenLooks);
    const int ready = poll(wanted.data(), wanted.size(), static_cast<int>(slice.count()));
    check_interrupts();
    if (deadline_.passed()) late(missing());
    if (ready == 0) WatchfulStore::look(*context_.store);
    for (size_t i = 0; i < callers; ++i) {
      if (wanted[1 + i].revents != 0) listen_to(callers_[i]);
    }
    std::erase_if(callers_, [](const Caller& caller) { return !caller.socket.is_open(); });
    for (size_t r = 0; r < met_.size(); ++r) {
      if (wanted[1 + callers + r].revents != 0) last_words(static_cast<int>(r));
    }
    if (wanted[0].revents != 0) accept_one();
  }

  void accept_one() {
    Descriptor made(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!made.is_open()) return;
    prepare_socket(made.get());
    callers_.push_back({Socket(std::move(made)), {}});
  }

  void listen_to(Caller& caller) {
    const bool goes_on = receive_some(caller.socket, caller.came);
    Introduction said{};
    std::memcpy(&said, caller.came.data(), std::min(sizeof said, caller.came.size()));
    const bool whole = read_introduction(caller.came, token_);
    const bool fits = said.rank > context_.rank && said.rank < context_.size;
    if (whole && fits && !met_[size_t(said.rank)].socket.is_open()) {
      send_all(caller.socket, introduce(said.rank, said_token(said.rank).data()), said.rank);
      take(said.rank, std::move(caller.socket), caller.came);
      return;
    }
    // Somebody else, who is turned away.
    if (!goes_on || whole || caller.came.size() > sizeof said + kLongestGreeting ||
        (caller.came.size() >= sizeof said && std::memcmp(said.token, token_, kToken) != 0))
      caller.socket.reset();
  }

  std::string said_token(int rank) { return value_of(context_, kPlace, rank).substr(0, kToken); }

  // Of one that had connected and has closed the connection.
  void last_words(int rank) {
    std::string reason;
    Link link(std::move(met_[size_t(rank)].socket), met_[size_t(rank)].more);
    link.hear([&](Word word, uint64_t, std::string_view text) {
      if (word == Word::unmade) reason = text;
    });
    if (!reason.empty()) fail(str("rank ", rank, " gave up: ", reason));
    gone(rank);
  }

  // One that no longer listens has left a word, if it could.
  void check_given_up(int rank) const {
    const TimeLimitScope moment(kMoment);
    const std::string key = str(kGaveUp, "/", rank);
    if (context_.store->check({key}))
      fail(str("rank ", rank, " gave up: ", context_.store->get(key)));
  }

  void tell_all(const std::string& reason) noexcept {
    try {
      const TimeLimitScope moment(kMoment);
      publish_value(context_, kGaveUp, reason);
    } catch (const std::exception&) {
      // Whoever is connected is told below.
    }
    for (Met& one : met_) {
      if (one.socket.is_open()) Link(std::move(one.socket), {}).say(Word::unmade, 0, reason);
    }
  }

  const BackendContext& context_;
  const Meeting& meeting_;
  const Deadline& deadline_;
  std::vector<Met> met_;
  char token_[kToken] = {};
  Socket listener_;
  std::vector<Caller> callers_;
};

}  // namespace

std::vector<Met> meet(const BackendContext& context, const Meeting& meeting,
                      const Deadline& deadline) {
  return Party(context, meeting, deadline).run();
}

}  // namespace opweave::distributed::net
