// Letters: sends and receives between two ranks. A head says what the letter is; then comes its
// body. Short ones are kept until they have been taken, and their sender goes on.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "runtime/distributed/backends/exchange/transfer.h"

namespace opweave::distributed::exchange {

class Letters {
 public:
  Letters(Wire& wire, net::Roll& roll, int ranks);

  // From one thread at a time each.
  void send(const Collective& collective, const Deadline& deadline);
  // Returns the rank that it came from.
  int receive(const Collective& collective, const Deadline& deadline);

  // A letter was taken; from the roll's thread.
  void taken(int rank, uint64_t number);
  // Waits until all that was sent has been taken, by ranks that still can.
  void flush(const Deadline& deadline) noexcept;

 private:
  struct Head {
    uint64_t nbytes;
    uint64_t number;  // by which it is told that it has been taken
    uint32_t dtype;
    uint32_t unused = 0;
  };
  struct Kept {
    Head head;
    std::vector<char> body;
    Message sent_head, sent_body;
  };
  struct Outbox {
    // Whoever sends one has it as well, until the wire has its messages; null of those of which
    // nothing is kept.
    std::map<uint64_t, std::shared_ptr<Kept>> letters;
    size_t nbytes = 0;
  };
  class Carrier;

  // The number of a letter of which nothing is kept.
  uint64_t await_taking(int rank);
  bool was_taken(int rank, uint64_t number);
  bool keep(Carrier& carrier, const Collective& collective);
  // Null where there is no room.
  std::shared_ptr<Kept> copy_of(const Collective& collective);

  Wire& wire_;
  net::Roll& roll_;
  std::mutex mutex_;
  std::vector<Outbox> outboxes_;  // by rank
  uint64_t numbers_ = 0;
};

}  // namespace opweave::distributed::exchange
