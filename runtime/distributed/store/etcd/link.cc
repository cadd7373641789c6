// libcurl's transfers, driven by a loop that sees deadlines and signals.
#include "runtime/distributed/store/etcd/link.h"

#include <sys/socket.h>

#include <algorithm>

#include "runtime/core/base/no_fork.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

// Where a request is answered without a member of a cluster that has a leader, an error comes
// instead of a wait.
constexpr const char* kHeaders[] = {
    "Content-Type: application/json",
    "Expect:",
    "Grpc-Metadata-hasleader: true",
};

class Headers {
 public:
  explicit Headers(const std::string& token) {
    for (const char* header : kHeaders) add(header);
    if (!token.empty()) add(("Authorization: " + token).c_str());
  }
  ~Headers() { curl().slist_free_all(list_); }
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  curl_slist* get() const { return list_; }

 private:
  void add(const char* header) {
    curl_slist* longer = curl().slist_append(list_, header);
    if (longer == nullptr) throw std::bad_alloc();
    list_ = longer;
  }
  curl_slist* list_ = nullptr;
};

}  // namespace

// One request on its way. Whatever ends it, the link is free afterwards.
class EtcdLink::Transfer {
 public:
  Transfer(EtcdLink& link, const HttpRequest& request)
      : link_(link), request_(request), headers_(request.token) {
    CURL* easy = link.easy_;
    const auto& set = curl().easy_setopt;
    link.error_[0] = '\0';
    set(easy, CURLOPT_URL, request.url.c_str());
    set(easy, CURLOPT_HTTPHEADER, headers_.get());
    set(easy, CURLOPT_POSTFIELDS, request.body.data());
    set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(easy, CURLOPT_WRITEDATA, this);
    set(easy, CURLOPT_WRITEFUNCTION, &Transfer::take);
    curl().multi_add_handle(link.multi_, easy);
  }
  ~Transfer() { curl().multi_remove_handle(link_.multi_, link_.easy_); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  HttpReply run(const Deadline& deadline) {
    while (!step()) {
      if (deadline.passed()) {
        reply_.end = HttpReply::End::kTimedOut;
        break;
      }
      const Milliseconds slice = std::min(deadline.remaining(), kInterruptInterval);
      int ready = 0;
      curl().multi_poll(link_.multi_, nullptr, 0, static_cast<int>(slice.count()), &ready);
      if (ready == 0) check_interrupts();
    }
    return std::move(reply_);
  }

 private:
  // Whether it is over.
  bool step() {
    int running = 0;
    if (const CURLMcode code = curl().multi_perform(link_.multi_, &running); code != CURLM_OK) {
      reply_.problem = curl().multi_strerror(code);
      return true;
    }
    int left = 0;
    const CURLMsg* message = curl().multi_info_read(link_.multi_, &left);
    if (message == nullptr || message->msg != CURLMSG_DONE) return false;
    reply_.code = message->data.result;
    curl().easy_getinfo(link_.easy_, CURLINFO_RESPONSE_CODE, &reply_.status);
    const bool stopped =
        reply_.end == HttpReply::End::kEnough || reply_.end == HttpReply::End::kTooLong;
    if (!stopped && reply_.code == CURLE_OK) reply_.end = HttpReply::End::kAnswered;
    if (!stopped && reply_.code != CURLE_OK) reply_.problem = link_.problem_of(reply_.code);
    return true;
  }

  // Called by libcurl, which no exception may go through.
  static size_t take(char* data, size_t, size_t size, void* self) noexcept {
    auto* transfer = static_cast<Transfer*>(self);
    HttpReply& reply = transfer->reply_;
    try {
      if (reply.body.size() + size > transfer->request_.most_bytes) {
        reply.end = HttpReply::End::kTooLong;
        return 0;
      }
      reply.body.append(data, size);
      const auto& is_enough = transfer->request_.is_enough;
      if (!is_enough || !is_enough(reply.body)) return size;
      reply.end = HttpReply::End::kEnough;
    } catch (...) {
      reply.problem = "no memory for the answer";
    }
    return 0;
  }

  EtcdLink& link_;
  const HttpRequest& request_;
  Headers headers_;
  HttpReply reply_;
};

EtcdLink::EtcdLink(const EtcdTls& tls) : forks_(fork_count()), multi_(curl().multi_init()) {
  easy_ = curl().easy_init();
  if (multi_ == nullptr || easy_ == nullptr) throw std::bad_alloc();
  set_constant_options();
  set_tls(tls);
}

EtcdLink::~EtcdLink() {
  if (forks_ != fork_count()) return;
  curl().easy_cleanup(easy_);
  curl().multi_cleanup(multi_);
}

void EtcdLink::set_constant_options() {
  const auto& set = curl().easy_setopt;
  set(easy_, CURLOPT_ERRORBUFFER, error_);
  set(easy_, CURLOPT_NOSIGNAL, 1L);
  set(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
  // Members are hosts of the cluster: variables that name a proxy are about others.
  set(easy_, CURLOPT_PROXY, "");
  set(easy_, CURLOPT_OPENSOCKETFUNCTION, &EtcdLink::open_socket);
  set(easy_, CURLOPT_OPENSOCKETDATA, this);
  set(easy_, CURLOPT_CLOSESOCKETFUNCTION, &EtcdLink::close_socket);
  set(easy_, CURLOPT_CLOSESOCKETDATA, this);
}

void EtcdLink::set_tls(const EtcdTls& tls) {
  const auto& set = curl().easy_setopt;
  if (!tls.ca_cert.empty()) set(easy_, CURLOPT_CAINFO, tls.ca_cert.c_str());
  if (!tls.cert.empty()) set(easy_, CURLOPT_SSLCERT, tls.cert.c_str());
  if (!tls.key.empty()) set(easy_, CURLOPT_SSLKEY, tls.key.c_str());
}

HttpReply EtcdLink::post(const HttpRequest& request, const Deadline& deadline) {
  return Transfer(*this, request).run(deadline);
}

std::string EtcdLink::problem_of(CURLcode code) const {
  long number = 0;
  curl().easy_getinfo(easy_, CURLINFO_OS_ERRNO, &number);
  if (code == CURLE_COULDNT_CONNECT && number != 0) {
    return system_error_text(static_cast<int>(number));
  }
  return error_[0] != '\0' ? error_ : curl().easy_strerror(code);
}

curl_socket_t EtcdLink::open_socket(void* link, curlsocktype, curl_sockaddr* address) {
  const int number = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (number < 0) return CURL_SOCKET_BAD;
  try {
    static_cast<EtcdLink*>(link)->sockets_.emplace_back(Descriptor(number));
  } catch (...) {
    return CURL_SOCKET_BAD;
  }
  return number;
}

int EtcdLink::close_socket(void* link, curl_socket_t number) {
  std::erase_if(static_cast<EtcdLink*>(link)->sockets_,
                [&](const Socket& socket) { return socket.get() == number; });
  return 0;
}

}  // namespace opweave::distributed
