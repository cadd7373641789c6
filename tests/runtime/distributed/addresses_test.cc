// Hosts with several addresses, of which some do not answer.
#include "runtime/distributed/store/addresses.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <vector>

#include "runtime/distributed/store/socket.h"

using namespace opweave::distributed;
using namespace std::chrono_literals;

namespace {

// A port of this host that takes no connection, as its queue is full.
class DeadPort {
 public:
  DeadPort() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    listen(listener_.get(), 0);
    address.sin_port = htons(port());
    for (int i = 0; i < 4; ++i) {
      waiting_.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      connect(waiting_.back().get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
    pause_for(50ms, Deadline::never());
  }
  uint16_t port() const { return port_of(listener_.get()); }

 private:
  Descriptor listener_;
  std::vector<Descriptor> waiting_;
};

// Several addresses as the system tells them: one behind the other.
class Host {
 public:
  explicit Host(const std::vector<uint16_t>& ports) : numbers_(ports.size()), all_(ports.size()) {
    for (size_t i = 0; i < ports.size(); ++i) {
      numbers_[i].sin_family = AF_INET;
      numbers_[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      numbers_[i].sin_port = htons(ports[i]);
      all_[i].ai_family = AF_INET;
      all_[i].ai_socktype = SOCK_STREAM;
      all_[i].ai_addr = reinterpret_cast<sockaddr*>(&numbers_[i]);
      all_[i].ai_addrlen = sizeof numbers_[i];
      if (i > 0) all_[i - 1].ai_next = &all_[i];
    }
  }
  const addrinfo& first() const { return all_.front(); }

 private:
  std::vector<sockaddr_in> numbers_;
  std::vector<addrinfo> all_;
};

uint16_t closed_port() {
  const Socket free = listen_on("127.0.0.1", 0);
  return port_of(free.get());
}

struct Outcome {
  bool is_made;
  std::string error;
  Deadline::Clock::duration took;
};

Outcome connect_within(Milliseconds timeout, const std::vector<uint16_t>& ports) {
  const Host host(ports);
  const auto began = Deadline::Clock::now();
  std::string error;
  const Descriptor made = connect_to_any(host.first(), Deadline::after(timeout), error);
  return {made.is_open(), error, Deadline::Clock::now() - began};
}

}  // namespace

TEST_CASE("an address that does not answer keeps no other from being tried") {
  const DeadPort dead, dead_too;
  const Socket listener = listen_on("127.0.0.1", 0);
  const uint16_t good = port_of(listener.get());
  const Outcome behind = connect_within(20s, {dead.port(), good});
  CHECK(behind.is_made);
  CHECK(behind.took < 1s);
  const Outcome third = connect_within(20s, {dead.port(), dead_too.port(), good});
  CHECK(third.is_made);
  CHECK(third.took < 2s);
}

TEST_CASE("one that refuses gives way to the next at once") {
  const Socket listener = listen_on("127.0.0.1", 0);
  const Outcome made = connect_within(20s, {closed_port(), closed_port(), port_of(listener.get())});
  CHECK(made.is_made);
  CHECK(made.took < 200ms);
}

TEST_CASE("where none answers the deadline holds, and the error is of the last") {
  const DeadPort dead;
  const Outcome late = connect_within(400ms, {dead.port(), dead.port()});
  CHECK_FALSE(late.is_made);
  CHECK(late.took >= 400ms);
  CHECK(late.took < 1400ms);
  CHECK(late.error == "Connection timed out");
  const Outcome refused = connect_within(20s, {closed_port()});
  CHECK_FALSE(refused.is_made);
  CHECK(refused.took < 1s);
  CHECK(refused.error == "Connection refused");
}

TEST_CASE("names and numbers are looked up") {
  std::string error;
  CHECK(find_addresses("127.0.0.1", 1, Deadline::after(1s), error) != nullptr);
  CHECK(find_addresses("localhost", 1, Deadline::after(10s), error) != nullptr);
  CHECK(find_addresses("no.such.host.invalid", 1, Deadline::after(20s), error) == nullptr);
  CHECK(error.starts_with("the host 'no.such.host.invalid' is not found: "));
}
