// Mail: sends and receives of the ranks of one host, through a mailbox for each pair of ranks.
//
// A send returns when all of it is in the mailbox, whose other end empties it: it waits for room,
// not for the receive that asks for it. What arrives before it is asked for is kept by the
// receiver.
#pragma once

#include <list>
#include <vector>

#include "runtime/distributed/backends/shm/meeting.h"

namespace opweave::distributed::shm {

class Mail {
 public:
  Mail(Layout layout, Meeting& meeting, int rank, int ranks);

  // From one thread at a time each.
  void send(const Collective& collective, const Deadline& deadline);
  // Returns the rank that it came from.
  int receive(const Collective& collective, const Deadline& deadline);

 private:
  struct Header {
    uint64_t nbytes;
    int32_t tag;
    uint32_t dtype;
  };
  struct Letter {
    int from;
    Header header;
    std::vector<char> bytes;
    size_t arrived = 0;
    bool whole() const { return arrived == bytes.size(); }
  };
  // What has come of a letter that is not whole.
  struct Arriving {
    size_t header_bytes = 0;
    Header header{};
    Letter* letter = nullptr;
  };

  void put(const Collective& collective, const char* data, size_t nbytes, const Deadline& deadline);
  bool has_left(int rank) const;
  bool empty_mailboxes();
  bool empty_mailbox(int from);
  size_t take(int from, char* to, size_t most);
  std::list<Letter>::iterator find(const Collective& collective);
  int open(std::list<Letter>::iterator letter, const Collective& collective);

  const Layout layout_;
  Meeting& meeting_;
  const int rank_, ranks_;
  std::list<Letter> letters_;  // in the order in which they began to arrive
  std::vector<Arriving> arriving_;
};

}  // namespace opweave::distributed::shm
