// Roll: what a rank knows of the others of its group on other hosts: who has left or ended, what
// each was called for, and whether the group goes on. A thread listens to all of them, and answers
// them whatever the program does.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/distributed/backends/calls.h"
#include "runtime/distributed/backends/net/link.h"
#include "runtime/distributed/backends/net/meet.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::net {

// The ranks called different things, and know it in time: the group goes on.
class Unlike : public DistBackendError {
 public:
  using DistBackendError::DistBackendError;
};

class Roll {
 public:
  // What the thread calls, for whoever waits for data: to look around at once, or whoever has
  // waited for a while; returns whether anybody waits. And for a letter that was taken.
  struct Hooks {
    std::function<bool(bool all)> nudge;
    std::function<void(int rank, uint64_t number)> taken;
  };
  // `who` names each rank's process: "process 4711 on node7".
  Roll(int rank, std::vector<Met> met, std::vector<std::string> who, std::string network);
  ~Roll();
  void start(Hooks hooks);
  // Returns when every rank has connected to all. That holds also where one that knows it already
  // ends the group: only what is called next fails, as it does on all other ranks.
  void wait_until_ready(const Deadline& deadline, const std::string& what);
  // This rank's part in making the group is done: what it fails of from now on comes afterwards.
  void note_made() noexcept { made_.store(true); }
  // Why the group cannot be made; empty while it can, and where another rank has made it.
  std::string why_unmade() const;

  // --- of the collective that runs
  void begin(const Collective& collective);
  void finish(const Collective& collective);
  // Throws if the group is over, this rank has left it, or another will not come to this
  // collective.
  void check(const Collective& collective);
  // For who waits long: asks the others what they were called for, now and then, and ends the group
  // where that does not go together, or the deadline has passed.
  void look_around(const Collective& collective, const Deadline& deadline);
  // Waits until all have been called for this number; throws Unlike where what for does not go
  // together. For ranks that compare before they begin.
  void compare(const Collective& collective, const Deadline& deadline);
  // Of a connection for data that broke: waits a little for the reason, and ends the group.
  [[noreturn]] void lose_data(const Collective& collective, int rank, const std::string& error);
  [[noreturn]] void give_up(const Collective& collective, const std::string& why);

  // Also from other threads.
  void abort(const std::string& reason) noexcept;
  // How long who leaves waits for others, in a group of a timeout.
  static Deadline leaving(Milliseconds timeout);
  // Says so to the others, and waits until those that answer need nothing more of this rank.
  void leave(const Deadline& deadline) noexcept;
  // Waits until it is done with every rank that takes part still, and has answered within the last
  // so many milliseconds.
  void await(const Deadline& deadline, Milliseconds silence,
             const std::function<bool(int rank)>& is_done) noexcept;
  bool has_left(int rank) const;
  bool have_all_left() const;  // but for this one
  // Whether all others have left, or answer; waits for that not for a second.
  bool are_all_there() noexcept;
  // The ranks that have ended without leaving, and what their processes are.
  std::map<int, std::string> lost() const;
  std::string failure() const;  // why it is over; empty while it goes on
  // Not while this rank has collectives to finish that whoever ended the group had finished.
  bool is_over() const;
  void say(int rank, Word word, uint64_t number) noexcept;
  // Somebody waits from now on: the thread shall not sleep.
  void wake() noexcept;

 private:
  // What a rank was called for.
  struct Record {
    Call call{};
    std::vector<uint64_t> sizes;  // given, then taken
    bool is_known = false;
  };
  struct Other {
    Link link;
    std::string who;
    bool is_ready = false, has_left = false, has_ended = false, needs_nothing = false;
    bool is_silent = false;                  // who waited for it has given it up; until it speaks
    Deadline::Clock::time_point heard = {};  // of it, whatever it said
    uint64_t done = 0;                       // how many collectives, when it left
    uint64_t answered = ~0ull;               // for this number
    bool has_begun = false;
    Record record;                // empty where it has done it long ago
    std::optional<Call> in = {};  // another one, in which it was when it answered
  };
  // How many are remembered for those that come late.
  static constexpr size_t kRemembered = 64;

  void listen();
  bool hear_from(int rank);  // false when nothing more will come
  void hear(int rank, Word word, uint64_t number, std::string_view text);
  void heed(int rank, Word word, uint64_t number, std::string_view text);
  void answer(int rank, uint64_t number);
  void read_answer(Other& other, Word word, uint64_t number, std::string_view text);
  void lose(int rank, const std::string& why);
  bool ended() const { return over_.load() && done_ >= over_from_; }  // under the mutex
  // Collectives from this number on: those before had been finished by who ended the group, and
  // nothing of what they need is lacking.
  void end(std::string reason, int by, uint64_t from) noexcept;
  std::vector<int> not_ready() const;  // under the mutex
  bool can_be_made() const;            // likewise
  // Its parts: false where that is no news, and whoever waits looks.
  bool set_over(std::string reason, int by, uint64_t from) noexcept;
  void wake_all() noexcept;
  // Who left before they had a part in it.
  std::vector<int> leavers_before(const Collective& collective) const;
  // Where all has been said and does not fit.
  std::string unlike_calls(uint64_t number, bool all);
  std::vector<int> missing(uint64_t number) const;
  bool has_begun(const Other& other, uint64_t number) const;
  bool all_heard_since(Deadline::Clock::time_point time) const;
  // Who is the cause of it that a collective is not done in time, as far as they say.
  std::string why_late(uint64_t number) const;
  void await(const Deadline& deadline, Milliseconds silence,
             const std::function<bool(int rank)>& is_done, bool until_over) noexcept;
  std::vector<int> awaited(const std::function<bool(int rank)>& is_done) const;
  bool give_up_silent(const std::vector<int>& ranks, Deadline::Clock::time_point since,
                      Milliseconds silence);
  Said said(const Record& record) const;
  Said own_said(uint64_t number) const;

  const int rank_, ranks_;
  const std::string network_;
  std::vector<std::unique_ptr<Other>> others_;  // by rank; this one has no link
  Hooks hooks_;
  mutable std::mutex mutex_;  // of all below and of the others
  std::condition_variable changed_;
  std::string reason_;
  int by_ = -1;
  uint64_t begun_ = 0, done_ = 0;
  uint64_t over_from_ = 0;  // if it is over
  std::array<Record, kRemembered> records_;
  uint64_t heard_ = 0;  // so many words
  Deadline::Clock::time_point asked_{}, first_asked_{}, last_round_{};
  uint64_t asked_for_ = ~0ull;
  Milliseconds interval_{};

  std::atomic<bool> over_ = false, gone_ = false, somebody_left_ = false, sleeps_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> made_ = false, made_by_another_ = false;
  Event event_;
  std::thread thread_;
};

}  // namespace opweave::distributed::net
