// The loop of a TCPStore's server.
#include "runtime/distributed/store/server.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/threads.h"

namespace opweave::distributed {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;
constexpr size_t kKeptOutput = size_t{2} << 20;
constexpr int kEventsAtOnce = 64;
constexpr Milliseconds kHandshakeTime{30'000};
// How long a client that is not served any more may take to read why.
constexpr Milliseconds kFarewellTime{1'000};

// The program's signals are for its own threads.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

Socket make_epoll() {
  Descriptor made(epoll_create1(EPOLL_CLOEXEC));
  if (!made.is_open()) {
    throw DistNetworkError(str("a store's server cannot begin: ", system_error_text(errno)));
  }
  return Socket(std::move(made));
}

}  // namespace

TCPServer::TCPServer(Socket listener, std::string secret)
    : secret_(secret),
      pid_(getpid()),
      listener_(std::move(listener)),
      port_(port_of(listener_.get())),
      epoll_(make_epoll()),
      reserve_(reserve_descriptor()),
      buffer_(std::make_unique<char[]>(kBufferBytes)),
      service_(std::move(secret)) {
  watch(listener_.get(), EPOLLIN, &listener_, EPOLL_CTL_ADD);
  watch(stop_.descriptor(), EPOLLIN, &stop_, EPOLL_CTL_ADD);
  const WithoutSignals without_signals;
  thread_ = begin_thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "opweave-store");
}

TCPServer::~TCPServer() {
  if (pid_ != getpid()) {
    // The thread stayed in the process that was forked.
    thread_.detach();
    return;
  }
  stop_.set();
  thread_.join();
}

void TCPServer::watch(int descriptor, uint32_t events, void* data, int operation) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = data;
  if (epoll_ctl(epoll_.get(), operation, descriptor, &event) != 0) {
    throw DistNetworkError(
        str("a store's server cannot watch a socket: ", system_error_text(errno)));
  }
}

void TCPServer::run() {
  while (!stopped_) {
    try {
      run_once();
    } catch (const std::exception&) {
      // Out of memory while closing or listing: those concerned time out, the others are served.
    }
  }
}

void TCPServer::run_once() {
  std::array<epoll_event, kEventsAtOnce> events;
  Milliseconds time(-1);
  if (!deadlines_.empty()) {
    const auto left = deadlines_.begin()->first - Deadline::Clock::now();
    time = std::max(std::chrono::ceil<Milliseconds>(left), Milliseconds(0));
    time = std::min<Milliseconds>(time, std::chrono::hours(24));
  }
  const int count =
      epoll_wait(epoll_.get(), events.data(), kEventsAtOnce, static_cast<int>(time.count()));
  for (int i = 0; i < count && !stopped_; ++i) serve(events[i]);
  time_out_late_ones();
}

void TCPServer::serve(const epoll_event& event) {
  if (event.data.ptr == &stop_) {
    stopped_ = true;
    return;
  }
  if (event.data.ptr == &listener_) return accept_all();
  auto* connection = static_cast<Connection*>(event.data.ptr);
  // Closed by an event before this one.
  if (!connections_.contains(connection)) return;
  bool goes_on = false;
  try {
    goes_on = (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) == 0 || read(*connection);
    if (goes_on) settle(*connection);
  } catch (const std::exception&) {
    // Out of memory: for this client alone.
    goes_on = false;
  }
  if (!goes_on) close(*connection);
  settle_answered();
}

void TCPServer::accept_all() {
  while (true) {
    Descriptor accepted(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!accepted.is_open()) {
      if (errno == EMFILE || errno == ENFILE) refuse_one();
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    prepare_socket(accepted.get());
    auto made = std::make_unique<Connection>(Socket(std::move(accepted)));
    made->deadline = Deadline::after(kHandshakeTime);
    Connection& connection = *made;
    watch(connection.socket.get(), EPOLLIN, &connection, EPOLL_CTL_ADD);
    connections_.emplace(&connection, std::move(made));
    settle(connection);
  }
}

// A client that is left in the queue would wake this thread for ever.
void TCPServer::refuse_one() {
  reserve_.reset();
  Descriptor refused(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  refused.reset();
  reserve_ = reserve_descriptor();
  errno = EAGAIN;
}

bool TCPServer::read(Connection& connection) {
  Buffer& input = connection.input;
  // Mostly whole frames come, which are read where they are; the rest of one goes behind its begin.
  const bool is_rest = !input.empty();
  char* to = is_rest ? input.room(kBufferBytes) : buffer_.get();
  const ssize_t count =
      recv(connection.socket.get(), to, is_rest ? input.free_room() : kBufferBytes, 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  if (count == 0) return false;
  if (connection.ends) return true;
  size_t used = 0;
  if (is_rest) {
    input.grown(static_cast<size_t>(count));
    const bool goes_on = process(connection, input.view(), used);
    input.consume(used);
    return goes_on;
  }
  const std::string_view bytes(to, static_cast<size_t>(count));
  const bool goes_on = process(connection, bytes, used);
  input.append(bytes.substr(used));
  return goes_on;
}

bool TCPServer::process(Connection& connection, std::string_view bytes, size_t& used) {
  Frame frame;
  while (used < bytes.size() && !connection.ends) {
    if (connection.wait || !connection.output.empty()) {
      service_.forget(connection);
      service_.refuse(connection, "a request came before the answer to the one before it");
      break;
    }
    const ParsedFrame parsed =
        parse_frame(bytes.substr(used), service_.max_frame_bytes(connection), frame);
    if (parsed.state == ParsedFrame::kPartial) break;
    if (parsed.state == ParsedFrame::kWrong) {
      service_.refuse(connection, parsed.error);
      break;
    }
    service_.handle(connection, frame);
    used += parsed.bytes;
    // Who waited hears of it first: the one who asked may be the host, and end with its answer.
    settle_answered();
    if (!connection.output.empty() && !send(connection)) return false;
  }
  return true;
}

bool TCPServer::send(Connection& connection) {
  while (connection.sent < connection.output.size()) {
    const ssize_t count =
        ::send(connection.socket.get(), connection.output.data() + connection.sent,
               connection.output.size() - connection.sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return true;
    if (count <= 0) return false;
    connection.sent += static_cast<size_t>(count);
  }
  connection.sent = 0;
  // Large answers are rare.
  if (connection.output.capacity() > kKeptOutput) {
    connection.output = std::string();
  } else {
    connection.output.clear();
  }
  if (connection.ends) {
    // Closed at once, with requests unread, the reason might never arrive.
    shutdown(connection.socket.get(), SHUT_WR);
    connection.deadline = Deadline::after(kFarewellTime);
  }
  return true;
}

void TCPServer::settle(Connection& connection) {
  if (!connection.output.empty() && !send(connection)) return close(connection);
  if (connection.awaits_room == connection.output.empty()) {
    connection.awaits_room = !connection.output.empty();
    const uint32_t events = EPOLLIN | (connection.awaits_room ? uint32_t{EPOLLOUT} : 0);
    watch(connection.socket.get(), events, &connection, EPOLL_CTL_MOD);
  }
  if (connection.listed.at() == connection.deadline.at()) return;
  deadlines_.erase({connection.listed.at(), &connection});
  connection.listed = connection.deadline;
  if (!connection.deadline.is_never()) deadlines_.insert({connection.deadline.at(), &connection});
}

void TCPServer::settle_answered() {
  for (Client* client : service_.take_answered()) {
    auto* connection = static_cast<Connection*>(client);
    if (connections_.contains(connection)) settle(*connection);
  }
}

void TCPServer::time_out_late_ones() {
  while (!deadlines_.empty() && deadlines_.begin()->first <= Deadline::Clock::now()) {
    Connection& connection = *deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    connection.deadline = connection.listed = Deadline::never();
    if (connection.ends) {
      close(connection);
      continue;
    }
    service_.time_out(connection);
    settle(connection);
  }
}

void TCPServer::close(Connection& connection) {
  service_.forget(connection);
  deadlines_.erase({connection.listed.at(), &connection});
  connections_.erase(&connection);
}

}  // namespace opweave::distributed
