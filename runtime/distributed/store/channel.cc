// Connecting, proving the secret, sending requests and receiving answers.
#include "runtime/distributed/store/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>

#include "runtime/distributed/store/errors.h"
#include "runtime/distributed/store/secret.h"

namespace opweave::distributed {
namespace {

constexpr Milliseconds kFirstPause{10};
constexpr Milliseconds kLongestPause{500};
constexpr size_t kInputBytes = size_t{4} << 10;
constexpr size_t kMostInputBytes = size_t{4} << 20;

// Calls of the socket return after this time, so that signals are seen.
void block_for(int socket, Milliseconds time) {
  fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK);
  timeval value{};
  value.tv_sec = time.count() / 1000;
  value.tv_usec = time.count() % 1000 * 1000;
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
}

// Ready within the deadline. Where that is far away the call itself waits, which saves asking.
bool is_ready(int socket, short events, const Deadline& deadline) {
  return deadline.remaining() >= kInterruptInterval || wait_for(socket, events, deadline);
}

}  // namespace

Channel::Channel(const ServerAddress& address, Socket socket)
    : address_(address), socket_(std::move(socket)) {
  block_for(socket_.get(), kInterruptInterval);
}

std::unique_ptr<Channel> Channel::open(const ServerAddress& address, Milliseconds timeout,
                                       bool retries) {
  const Deadline deadline = Deadline::after(timeout);
  std::string error = "no attempt was made";
  int attempts = 0;
  for (Milliseconds pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    ++attempts;
    Socket socket = try_connect(address.host, address.port, deadline, error);
    try {
      if (socket.is_open()) {
        std::unique_ptr<Channel> channel(new Channel(address, std::move(socket)));
        channel->greet(deadline);
        return channel;
      }
    } catch (const DistNetworkError& failure) {
      // The server ended, or had no room for another client.
      error = failure.message();
    }
    if (!retries || deadline.passed()) break;
    pause_for(pause, deadline);
  }
  if (!retries) throw DistNetworkError(str(address.describe(), ": cannot connect: ", error));
  throw DistNetworkError(str(address.describe(), ": the client socket has timed out after ",
                             timeout.count(), "ms while trying to connect, ", attempts,
                             attempts == 1 ? " attempt" : " attempts", ": ", error));
}

void Channel::greet(const Deadline& deadline) {
  const std::string nonce = make_nonce();
  std::string frame;
  append_frame(frame, Message::hello, kProtocolVersion, nonce);
  send(frame, deadline, "hello");
  const Answer challenge = receive(deadline, "hello");
  if (challenge.message != Message::challenge) fail("hello", "the answer is no challenge");
  if (address_.secret.empty() && challenge.number != 0) {
    throw DistStoreError(
        str(address_.describe(), ": the server asks for a secret, and none was given"));
  }
  if (address_.secret.empty()) return;
  if (challenge.number == 0) {
    throw DistStoreError(str(address_.describe(),
                             ": a secret was given, but the server asks for "
                             "none: it may be somebody else's"));
  }
  frame.clear();
  append_frame(frame, Message::prove, 0,
               prove(address_.secret, Side::kClient, nonce, challenge.strings[0]));
  send(frame, deadline, "the proof of the secret");
  const Answer proof = receive(deadline, "the proof of the secret");
  const bool is_proof = proof.message == Message::done && proof.strings.size() == 1;
  if (!is_proof || !same_proof(proof.strings[0], prove(address_.secret, Side::kServer, nonce,
                                                       challenge.strings[0]))) {
    throw DistStoreError(str(address_.describe(), ": the server does not know the secret"));
  }
}

void Channel::fail(const std::string& what, const std::string& reason) const {
  throw DistNetworkError(str(address_.describe(), ": ", what, ": ", reason));
}

void Channel::send(std::string_view frames, const Deadline& deadline, const std::string& what) {
  while (!frames.empty()) {
    if (!is_ready(socket_.get(), POLLOUT, deadline)) fail(what, "the server takes no requests");
    const ssize_t count = ::send(socket_.get(), frames.data(), frames.size(), MSG_NOSIGNAL);
    if (count > 0) {
      frames.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN || errno == EINTR) {
      check_interrupts();
    } else {
      // It may have said why.
      check_alive(what);
      fail(what, str("the connection to the server is lost: ", system_error_text(errno)));
    }
  }
}

bool Channel::receive_some(const Deadline& deadline, const std::string& what) {
  const size_t before = input_.size();
  input_.resize(before + std::clamp(before, kInputBytes, kMostInputBytes));
  while (true) {
    if (!is_ready(socket_.get(), POLLIN, deadline)) break;
    const ssize_t count = recv(socket_.get(), input_.data() + before, input_.size() - before, 0);
    if (count > 0) {
      input_.resize(before + static_cast<size_t>(count));
      return true;
    }
    if (count == 0) fail(what, "the server closed the connection; it has ended or died");
    if (errno != EAGAIN && errno != EINTR) {
      fail(what, str("the connection to the server is lost: ", system_error_text(errno)));
    }
    check_interrupts();
    if (deadline.passed()) break;
  }
  input_.resize(before);
  return false;
}

void Channel::check_answer(const Answer& answer) const {
  const std::string text = answer.strings.empty() ? "no reason is given" : answer.strings[0];
  switch (answer.message) {
    case Message::refused:
      throw DistStoreError(str(address_.describe(), ": the server refuses: ", text));
    case Message::failed:
      throw DistStoreError(str(address_.describe(), ": ", text));
    case Message::wrong_value:
      throw_error(ErrorKind::kValue, text);
    default:
      return;
  }
}

Answer Channel::receive(const Deadline& deadline, const std::string& what) {
  Frame frame;
  while (true) {
    const ParsedFrame parsed = parse_frame(input_, kMaxFrameBytes, frame);
    if (parsed.state == ParsedFrame::kWrong) {
      throw DistStoreError(
          str(address_.describe(), ": what answers there is no store: ", parsed.error));
    }
    if (parsed.state == ParsedFrame::kWhole) {
      Answer answer{frame.message, frame.number, {frame.strings.begin(), frame.strings.end()}};
      input_.erase(0, parsed.bytes);
      check_answer(answer);
      return answer;
    }
    if (!receive_some(deadline, what)) fail(what, "the server did not answer in time");
  }
}

void Channel::check_alive(const std::string& what) {
  char byte = 0;
  const ssize_t count = recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // Nothing is asked, so it is an error, or the end.
  receive(Deadline::after(kInterruptInterval), what);
}

}  // namespace opweave::distributed
