// Link: a connection to one other rank on which the two tell one another what goes beside the data.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime/distributed/store/socket.h"

namespace opweave::distributed::net {

enum class Word : uint32_t {
  ready,   // has connected to all
  ask,     // what were you called for, under this number?
  called,  // for this
  not_yet,
  done,    // long ago
  abort,   // the group is over, for this reason
  left,    // takes part no more; has done so many
  bye,     // needs nothing more of one that left
  taken,   // a letter of this number
  knock,   // is anybody there?
  here,    // yes
  unmade,  // the group cannot be made, for this reason
};
// What a rank says is less than this; above it is nonsense.
inline constexpr auto kWords = static_cast<uint32_t>(Word::unmade) + 1;

struct Letterhead {
  Word word;
  uint32_t nbytes;  // of the text behind it
  uint64_t number;
};
inline constexpr uint32_t kLongestText = 1 << 20;

class Link {
 public:
  Link() = default;
  // `come` has come before.
  Link(Socket socket, std::string come) { open(std::move(socket), std::move(come)); }
  void open(Socket socket, std::string come) {
    socket_ = std::move(socket);
    coming_ = std::move(come);
  }

  bool is_open() const { return socket_.is_open(); }
  int descriptor() const { return socket_.get(); }
  // Waits for nothing: a rank that does not read misses what does not fit, and is given up where
  // a part of it does. From any thread.
  void say(Word word, uint64_t number, std::string_view text) noexcept;

  using Heard = std::function<void(Word, uint64_t number, std::string_view text)>;
  // All that has come. Empty, or why nothing more will come. From one thread.
  std::string hear(const Heard& heard);

 private:
  // What is whole of what has come.
  bool pass_on(const Heard& heard);

  Socket socket_;
  std::mutex saying_;
  std::atomic<bool> is_full_ = false;  // the other reads nothing, and was given up
  std::string coming_;
};

}  // namespace opweave::distributed::net
