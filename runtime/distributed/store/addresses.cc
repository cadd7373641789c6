// Looking up on a thread, and connecting to several addresses at once.
#include "runtime/distributed/store/addresses.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/limits.h"

namespace opweave::distributed {
namespace {

// Before the next address is tried as well.
constexpr Milliseconds kHeadStart{250};

Addresses look_up(const std::string& host, uint16_t port, int flags, std::string& error) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* all = nullptr;
  const int status = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &all);
  if (status == 0)
    return {all, [](const addrinfo* own) { freeaddrinfo(const_cast<addrinfo*>(own)); }};
  error = str("the host ", quoted_whole(host), " is not found: ",
              status == EAI_SYSTEM ? system_error_text(errno) : gai_strerror(status));
  return nullptr;
}

// One question to whoever knows names, which several callers may wait for.
struct Lookup {
  Lookup(std::string name, uint16_t number) : host(std::move(name)), port(number) {}

  const std::string host;
  const uint16_t port;
  const uint32_t forks = fork_count();
  Event done;
  // What the event says to the system, to memory.
  std::atomic<bool> is_done{false};
  // Of what is done.
  Addresses found;
  std::string error;

  void run() {
    found = look_up(host, port, 0, error);
    is_done.store(true, std::memory_order_release);
    done.set();
  }
};

// A thread cannot be called off: who asks again while it runs waits for the same answer.
std::shared_ptr<Lookup> begin_lookup(const std::string& host, uint16_t port) {
  static ForkSafeMutex mutex;
  static auto& running = *new std::map<std::pair<std::string, uint16_t>, std::weak_ptr<Lookup>>;
  const std::lock_guard lock(mutex);
  std::erase_if(running, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<Lookup>& known = running[{host, port}];
  // The thread holds it while it runs.
  if (auto lookup = known.lock(); lookup != nullptr && lookup->forks == fork_count()) return lookup;
  const auto lookup = std::make_shared<Lookup>(host, port);
  known = lookup;
  try {
    std::thread([lookup] { lookup->run(); }).detach();
  } catch (const std::system_error&) {
    lookup->run();  // where there are no more threads
  }
  return lookup;
}

// 0, or the error of a connection that is made.
int error_of(int socket) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

// A port of one's own host that is free may be given to the client itself: then it talks to itself.
bool is_own_end(int socket) {
  sockaddr_storage own{}, other{};
  socklen_t own_size = sizeof own, other_size = sizeof other;
  getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size);
  getpeername(socket, reinterpret_cast<sockaddr*>(&other), &other_size);
  return own_size == other_size &&
         std::string_view(reinterpret_cast<char*>(&own), own_size) ==
             std::string_view(reinterpret_cast<char*>(&other), other_size);
}

class Attempts {
 public:
  Attempts(const addrinfo& addresses, const Deadline& deadline)
      : next_(&addresses), deadline_(deadline) {}

  Descriptor run(std::string& error) {
    while (next_ != nullptr || !pending_.empty()) {
      if (next_ != nullptr && (pending_.empty() || next_at_.passed())) begin_next();
      if (!pending_.empty() && !made_.is_open()) look();
      if (made_.is_open()) break;
      if (deadline_.passed()) {
        if (!pending_.empty()) failure_ = ETIMEDOUT;
        break;
      }
    }
    if (!made_.is_open()) error = system_error_text(failure_);
    return std::move(made_);
  }

 private:
  void begin_next() {
    const addrinfo& address = *next_;
    next_ = address.ai_next;
    next_at_ = Deadline::after(kHeadStart);
    Descriptor begun = open_socket(address);
    if (!begun.is_open()) return fail(errno);
    if (connect(begun.get(), address.ai_addr, address.ai_addrlen) == 0) return finish(begun);
    if (errno != EINPROGRESS) return fail(errno);
    pending_.push_back(std::move(begun));
  }

  // Waits until one of them is made or fails, or until it is time for the next.
  void look() {
    std::vector<pollfd> wanted;
    for (const Descriptor& one : pending_) wanted.push_back({one.get(), POLLOUT, 0});
    Milliseconds slice = std::min(deadline_.remaining(), kInterruptInterval);
    if (next_ != nullptr) slice = std::min(slice, next_at_.remaining());
    poll(wanted.data(), wanted.size(), static_cast<int>(slice.count()));
    check_interrupts();
    for (size_t i = wanted.size(); i-- > 0;) {
      if (wanted[i].revents == 0) continue;
      Descriptor ready = std::move(pending_[i]);
      pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(i));
      finish(ready);
    }
  }

  void finish(Descriptor& ready) {
    int failure = error_of(ready.get());
    if (failure == 0 && is_own_end(ready.get())) failure = ECONNREFUSED;
    if (failure != 0) return fail(failure);
    made_ = std::move(ready);
  }

  void fail(int failure) {
    failure_ = failure;
    next_at_ = Deadline::after(Milliseconds(-1));  // the next one at once
  }

  const addrinfo* next_;
  const Deadline deadline_;
  Deadline next_at_ = Deadline::never();
  std::vector<Descriptor> pending_;
  Descriptor made_;
  int failure_ = ETIMEDOUT;
};

}  // namespace

Addresses find_addresses(const std::string& host, uint16_t port, const Deadline& deadline,
                         std::string& error) {
  // An address that is given as numbers is nobody's to know.
  if (Addresses numeric = look_up(host, port, AI_NUMERICHOST, error)) return numeric;
  const auto lookup = begin_lookup(host, port);
  if (!lookup->done.wait(deadline) || !lookup->is_done.load(std::memory_order_acquire)) {
    error = str("the host ", quoted_whole(host), " is not found: what knows names did not answer");
    return nullptr;
  }
  error = lookup->error;
  return lookup->found;
}

Descriptor open_socket(const addrinfo& address) {
  return Descriptor(
      socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, address.ai_protocol));
}

Descriptor connect_to_any(const addrinfo& addresses, const Deadline& deadline, std::string& error) {
  return Attempts(addresses, deadline).run(error);
}

}  // namespace opweave::distributed
