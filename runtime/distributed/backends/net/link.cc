// Short messages on sockets that never block.
#include "runtime/distributed/backends/net/link.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::net {
namespace {

constexpr const char* kNonsense = "what came was nothing that a rank says";

}  // namespace

void Link::say(Word word, uint64_t number, std::string_view text) noexcept {
  const Letterhead head{word, static_cast<uint32_t>(text.size()), number};
  iovec parts[] = {{const_cast<Letterhead*>(&head), sizeof head},
                   {const_cast<char*>(text.data()), text.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = text.empty() ? 1 : 2;
  const std::lock_guard lock(saying_);
  if (!is_open()) return;
  const ssize_t sent = sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  // A part of a message would make nonsense of the next.
  if (sent <= 0 || static_cast<size_t>(sent) == sizeof head + text.size()) return;
  is_full_.store(true);
  shutdown(socket_.get(), SHUT_RDWR);
}

std::string Link::hear(const Heard& heard) {
  char some[4096];
  if (!pass_on(heard)) return kNonsense;
  while (true) {
    const ssize_t n = recv(socket_.get(), some, sizeof some, MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return {};
    if (n < 0 && errno != ECONNRESET) return system_error_text(errno);
    if (n <= 0) return is_full_.load() ? "it does not read what it is told" : "ended";
    coming_.append(some, static_cast<size_t>(n));
    if (!pass_on(heard)) return kNonsense;
  }
}

bool Link::pass_on(const Heard& heard) {
  size_t at = 0;
  Letterhead head;
  while (coming_.size() - at >= sizeof head) {
    std::memcpy(&head, coming_.data() + at, sizeof head);
    if (static_cast<uint32_t>(head.word) >= kWords || head.nbytes > kLongestText) return false;
    if (coming_.size() - at - sizeof head < head.nbytes) break;
    heard(head.word, head.number, std::string_view(coming_).substr(at + sizeof head, head.nbytes));
    at += sizeof head + head.nbytes;
  }
  coming_.erase(0, at);
  return true;
}

}  // namespace opweave::distributed::net
