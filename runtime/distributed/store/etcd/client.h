// A client of an etcd cluster: it asks one member and turns to the next when that one fails, writes
// exactly once whatever fails, and watches keys.
//
// Each connection counts its writes in a key of its own, its tally, in the same transaction. A
// write whose answer was lost is sent again, on condition that the tally is still what it was: if
// it is not, the write was done.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/distributed/store/etcd/link.h"
#include "runtime/distributed/store/etcd/messages.h"

namespace opweave::distributed {

struct EtcdOptions {
  // "host:port", "http://host:port" or "https://host:port".
  std::vector<std::string> endpoints;
  // What all keys begin with.
  std::string prefix;
  // Those of etcd, where it has any.
  std::string user;
  std::string password;
  EtcdTls tls;
};

namespace etcd {

// What is asked for, as errors say it, and until when.
struct Call {
  const char* method;
  // nullptr where the call is about none.
  const std::string* key;
  Milliseconds timeout;
  // Nothing is tried again after it.
  Deadline deadline;
  // What is tried then may take until here.
  Deadline last_answer;
};

// Whether what is asked for can be had in parts instead; then TooLarge says that it is too much.
enum class Parting { kCannot, kCan };
class TooLarge {};

// One that nobody else has.
std::string random_name();

class Client {
 public:
  explicit Client(EtcdOptions options);
  // Erases the tallies, if that is done at once.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const std::string& prefix() const { return options_.prefix; }
  // "EtcdStore(http://node0:2379, '/run')"
  std::string describe() const;

  // Transactions that write nothing.
  Answer read(const Call& call, const Parts& parts, Parting parting = Parting::kCannot);
  // Writes where the conditions hold. Otherwise nothing is written, and `otherwise` is read.
  struct Written {
    bool is_done = false;
    // Of `otherwise`.
    std::vector<Found> parts;
  };
  Written write(const Call& call, const Parts& conditions, const Parts& then,
                const Parts& otherwise = {});
  // Returns when one of the keys was written since the revision, or may have been. It does not
  // trust a member for longer than some seconds, and returns then as well.
  void watch(const Call& call, const std::vector<Span>& spans, int64_t revision,
             const Deadline& deadline);

 private:
  struct Connection;
  struct State;
  class Turn;
  class Attempts;

  State& state();
  std::string token();
  // The answer to one request that was given, by whichever member gives one.
  template <class Read>
  auto ask(EtcdLink& link, const Call& call, const char* path, const std::string& body,
           Parting parting, Read&& read);
  // With as many parts as were asked for.
  Answer ask_answer(EtcdLink& link, const Call& call, const Transaction& transaction,
                    Parting parting = Parting::kCannot);
  void log_in(EtcdLink& link, const Call& call);
  // A member is asked for nothing before it has said that it is of the same cluster as the others.
  std::string greeting() const;
  void meet(size_t member, uint64_t cluster);

  EtcdOptions options_;
  std::string id_;
  // The member that is asked, counted on when one fails.
  std::atomic<size_t> member_{0};
  std::atomic<uint64_t> cluster_{0};
  // By member: whether it is known to be of the cluster.
  std::unique_ptr<std::atomic<bool>[]> is_known_;
  // A forked process makes its own, and leaves its parent's alone.
  std::atomic<State*> state_;
};

}  // namespace etcd
}  // namespace opweave::distributed
