// Transfer: the messages of one collective, and waiting for them as long as there is hope.
#pragma once

#include "runtime/distributed/backends/exchange/wire.h"
#include "runtime/distributed/backends/net/roll.h"

namespace opweave::distributed::exchange {

// Mixes numbers into slots. Ranks that were called for different things, or have room for another
// size, wait for messages of different slots: nothing is written where it does not belong.
uint64_t mix(uint64_t seed, uint64_t number);

class Transfer {
 public:
  Transfer(Wire& wire, net::Roll& roll, const Collective& collective, const Deadline& deadline);
  // With slots that do not depend on the call.
  Transfer(Wire& wire, net::Roll& roll, const Collective& collective, const Deadline& deadline,
           uint64_t seed);
  virtual ~Transfer() = default;

  const Collective& collective() const { return collective_; }
  // `step` tells the messages between two ranks apart.
  Message send(int to, uint64_t step, const void* data, size_t nbytes);
  Message receive(int from, uint64_t step, void* data, size_t nbytes);
  // DistBackendError, after which the group is over, where it will not come.
  void wait(Message& message);
  void wait(std::vector<Message>& messages);

 protected:
  Message send_in(uint64_t slot, int to, const void* data, size_t nbytes);
  // From any rank where `from` is Message::kAnyRank.
  Message receive_in(uint64_t slot, int from, void* data, size_t nbytes);
  // Now and then while a message of a rank does not come; throws where it will not.
  virtual void look_around(int rank);

  net::Roll& roll_;
  const Collective& collective_;
  const Deadline& deadline_;

 private:
  template <class Start>
  Message start(int rank, Start begin);
  bool has_come(Message& message);

  Wire& wire_;
  const uint64_t seed_;
};

}  // namespace opweave::distributed::exchange
