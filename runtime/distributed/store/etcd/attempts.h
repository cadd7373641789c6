// One call's way through the members of a cluster: what each answered, whom to ask next, when to
// give up and what to say then.
#pragma once

#include <string>
#include <vector>

#include "runtime/distributed/store/etcd/client.h"

namespace opweave::distributed::etcd {

class Client::Attempts {
 public:
  // Where the answer can be had in parts, a TooLarge says that it has to be.
  Attempts(Client& client, const Call& call, Parting parting);

  // Whom to ask.
  size_t member() const { return current_; }
  // When the member that is asked has had its time: the others are to have some as well.
  Deadline deadline() const;
  // What to do about the reply; an error of etcd that will be the same at all members is thrown.
  enum class Next { kRead, kAgain, kLogIn };
  Next judge(const HttpReply& reply);
  // The member's answer is none of etcd.
  void reject(const std::string& why);

 private:
  enum class Hope { kSome, kNone };
  const std::string& endpoint() const { return client_.options_.endpoints[current_]; }
  Next refuse(const Refusal& refusal);
  // Goes to the next member; throws where the time is up, or none is left to hope for.
  void fail(std::string why, Hope hope);
  [[noreturn]] void give_up(const std::string& ending) const;

  struct Member {
    std::string why;
    bool is_hopeless = false;
  };
  Client& client_;
  const Call& call_;
  Parting parting_;
  size_t current_;
  size_t failures_ = 0;
  bool logged_in_ = false;
  std::vector<Member> members_;
};

// "EtcdStore(…): set 'k'"
std::string describe_call(const Client& client, const Call& call);

}  // namespace opweave::distributed::etcd
