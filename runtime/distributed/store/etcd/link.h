// Requests over HTTP, one after another over connections that stay open.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/distributed/store/etcd/curl_library.h"
#include "runtime/distributed/store/socket.h"
#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed {

// Files in PEM; where no authority is given, those that the system trusts.
struct EtcdTls {
  std::string ca_cert;
  std::string cert;
  std::string key;
};

struct HttpRequest {
  std::string url;
  std::string_view body;
  // What etcd gave for a user and a password; may be empty.
  std::string token;
  size_t most_bytes = 0;
  // Sees what came of the answer after each part; true when that is all that is wanted, and the
  // rest is not waited for.
  std::function<bool(std::string& so_far)> is_enough = nullptr;
};

struct HttpReply {
  enum class End {
    kAnswered,
    kEnough,
    kTooLong,
    kTimedOut,
    kFailed,
  };
  End end = End::kFailed;
  CURLcode code = CURLE_OK;
  long status = 0;
  std::string body;
  // What the system says of a failure: "Connection refused".
  std::string problem;
};

// It belongs to one thread at a time, and to the process that made it: a forked one lets go of it,
// as ending it would end what the parent still uses.
class EtcdLink {
 public:
  explicit EtcdLink(const EtcdTls& tls);
  ~EtcdLink();
  EtcdLink(const EtcdLink&) = delete;
  EtcdLink& operator=(const EtcdLink&) = delete;

  // Throws only what check_interrupts() throws; the link can be used after that as well.
  HttpReply post(const HttpRequest& request, const Deadline& deadline);

 private:
  class Transfer;

  void set_constant_options();
  void set_tls(const EtcdTls& tls);
  std::string problem_of(CURLcode code) const;
  static curl_socket_t open_socket(void* link, curlsocktype purpose, curl_sockaddr* address);
  static int close_socket(void* link, curl_socket_t number);

  uint32_t forks_;
  std::vector<Socket> sockets_;
  CURLM* multi_ = nullptr;
  CURL* easy_ = nullptr;
  char error_[CURL_ERROR_SIZE] = "";
};

}  // namespace opweave::distributed
