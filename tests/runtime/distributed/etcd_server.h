// A member of etcd for tests, which ends with them.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "runtime/core/base/error.h"
#include "runtime/distributed/store/socket.h"

namespace opweave::distributed {

class EtcdServer {
 public:
  EtcdServer() {
    if (!is_installed()) return;
    const char* folder = std::getenv("TEST_TMPDIR");
    folder_ = str(folder != nullptr ? folder : "/tmp", "/etcd-", getpid());
    port_ = free_port();
    const std::string client = str("http://127.0.0.1:", port_);
    const std::string peer = str("http://127.0.0.1:", free_port());
    process_ = fork();
    if (process_ == 0) run(client, peer);
  }
  ~EtcdServer() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  EtcdServer(const EtcdServer&) = delete;
  EtcdServer& operator=(const EtcdServer&) = delete;

  // "127.0.0.1:4711"; empty where there is no etcd (Debian's package etcd-server has it).
  std::string endpoint() const { return process_ > 0 ? str("127.0.0.1:", port_) : ""; }
  void send(int signal) const { kill(process_, signal); }

 private:
  static bool is_installed() {
    return std::filesystem::exists("/usr/bin/etcd") ||
           std::filesystem::exists("/usr/local/bin/etcd");
  }
  static uint16_t free_port() {
    const Socket socket = listen_on("127.0.0.1", 0);
    return port_of(socket.get());
  }
  [[noreturn]] void run(const std::string& client, const std::string& peer) const {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    const std::string options[] = {
        "--name=only",
        "--data-dir=" + folder_,
        "--listen-client-urls=" + client,
        "--advertise-client-urls=" + client,
        "--listen-peer-urls=" + peer,
        "--initial-advertise-peer-urls=" + peer,
        "--initial-cluster=only=" + peer,
        "--heartbeat-interval=50",
        "--election-timeout=500",
    };
    char* arguments[std::size(options) + 2] = {const_cast<char*>("etcd")};
    for (size_t i = 0; i < std::size(options); ++i) {
      arguments[i + 1] = const_cast<char*>(options[i].c_str());
    }
    execvp("etcd", arguments);
    _exit(127);
  }

  std::string folder_;
  uint16_t port_ = 0;
  pid_t process_ = -1;
};

}  // namespace opweave::distributed
