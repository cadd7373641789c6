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
// Larger strings are sent from where they are.
constexpr size_t kCopiedBytes = size_t{32} << 10;
constexpr Milliseconds kLookInterval{10};

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

std::unique_ptr<Channel> Channel::open(const ServerAddress& address, const TimeLimit& limit,
                                       bool retries) {
  const Deadline& deadline = limit.deadline;
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
                             limit.timeout.count(), "ms while trying to connect, ", attempts,
                             attempts == 1 ? " attempt" : " attempts", ": ", error));
}

void Channel::greet(const Deadline& deadline) {
  const std::string nonce = make_nonce();
  const std::string_view nonce_view = nonce;
  const Question hello{Message::hello, kProtocolVersion, {&nonce_view, 1}};
  send(hello, deadline);
  const Answer challenge = receive(hello, deadline);
  if (challenge.message != Message::challenge) fail(hello, "the answer is no challenge");
  const std::string& secret = address_.secret;
  if (secret.empty() && challenge.number == 0) return;
  if (secret.empty()) {
    throw DistStoreError(
        str(address_.describe(), ": the server asks for a secret, and none was given"));
  }
  if (challenge.number == 0) {
    throw DistStoreError(str(address_.describe(),
                             ": a secret was given, but the server asks for "
                             "none: it may be somebody else's"));
  }
  const std::string& server_nonce = challenge.strings[0];
  const std::string own = prove(secret, Side::kClient, nonce, server_nonce);
  const std::string_view own_view = own;
  const Question proof{Message::prove, 0, {&own_view, 1}};
  send(proof, deadline);
  const Answer answer = receive(proof, deadline);
  const bool is_proof = answer.message == Message::done && answer.strings.size() == 1;
  if (!is_proof ||
      !same_proof(answer.strings[0], prove(secret, Side::kServer, nonce, server_nonce))) {
    throw DistStoreError(str(address_.describe(), ": the server does not know the secret"));
  }
}

std::string Question::describe() const {
  const MessageFormat& format = format_of(message);
  std::string text = format.name;
  // A nonce or a proof says nothing to people.
  if (!strings.empty() && format.strings != Strings::kToken) text += " " + quoted(strings[0]);
  return text;
}

void Channel::fail(const Question& question, const std::string& reason) const {
  throw DistNetworkError(str(address_.describe(), ": ", question.describe(), ": ", reason));
}

void Channel::send(const Question& question, const Deadline& deadline) {
  output_.clear();
  append_frame_head(output_, question.message, question.number, question.strings);
  for (const std::string_view& string : question.strings) {
    append_string_length(output_, string);
    if (string.size() < kCopiedBytes) {
      output_.append(string);
      continue;
    }
    const bool is_last = &string == &question.strings.back();
    send_all(output_, true, question, deadline);
    send_all(string, !is_last, question, deadline);
    output_.clear();
  }
  send_all(output_, false, question, deadline);
}

void Channel::send_all(std::string_view bytes, bool more, const Question& question,
                       const Deadline& deadline) {
  const int flags = MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0);
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), flags);
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN || errno == EINTR) {
      if (!wait_for(socket_.get(), POLLOUT, deadline))
        fail(question, "the server takes no requests");
    } else {
      const int error = errno;
      // It may have said why.
      look_for_end(question);
      fail(question, str("the connection to the server is lost: ", system_error_text(error)));
    }
  }
}

bool Channel::receive_some(const Question& question, const Deadline& deadline) {
  char* to = input_.room(kInputBytes);
  while (true) {
    if (!is_ready(socket_.get(), POLLIN, deadline)) return false;
    const ssize_t count = recv(socket_.get(), to, input_.free_room(), 0);
    if (count > 0) {
      input_.grown(static_cast<size_t>(count));
      return true;
    }
    if (count == 0) fail(question, "the server closed the connection; it has ended or died");
    if (errno != EAGAIN && errno != EINTR) {
      fail(question, str("the connection to the server is lost: ", system_error_text(errno)));
    }
    check_interrupts();
    if (deadline.passed()) return false;
  }
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

Answer Channel::receive(const Question& question, const Deadline& deadline) {
  Frame frame;
  while (true) {
    const ParsedFrame parsed = parse_frame(input_.view(), kMaxFrameBytes, frame);
    if (parsed.state == ParsedFrame::kWrong) {
      throw DistStoreError(
          str(address_.describe(), ": what answers there is no store: ", parsed.error));
    }
    if (parsed.state == ParsedFrame::kWhole) {
      Answer answer{frame.message, frame.number, {frame.strings.begin(), frame.strings.end()}};
      input_.consume(parsed.bytes);
      if (answer.message != Message::done) check_answer(answer);
      return answer;
    }
    if (!receive_some(question, deadline)) fail(question, "the server did not answer in time");
  }
}

void Channel::check_alive(const Question& question, Deadline::Clock::time_point now) {
  if (now - looked_ < kLookInterval) return;
  looked_ = now;
  look_for_end(question);
}

void Channel::look_for_end(const Question& question) {
  char byte = 0;
  const ssize_t count = recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // Nothing is asked, so it is an error, or the end.
  receive(question, Deadline::after(kInterruptInterval));
}

}  // namespace opweave::distributed
