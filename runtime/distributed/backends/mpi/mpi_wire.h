// MpiWire: MPI_Issend and MPI_Irecv, on a communicator of the group's ranks alone. No collectives
// of MPI: ours are the same on every wire, so that results are equal to the bit, all dtypes are
// there, and ranks that were called for different things hear so.
//
// Bytes go in pieces, through memory of the wire's own: MPI cannot be told to keep off a program's
// memory once a message is under way and its sender has stopped. Each piece begins with what it is
// of: tags have fewer bits than slots.
#pragma once

#include <mpi.h>

#include <atomic>
#include <condition_variable>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/distributed/backends/exchange/wire.h"

namespace opweave::distributed::mpi {

class MpiWire final : public exchange::Wire {
 public:
  MpiWire() = default;
  ~MpiWire() override;
  // Before the first message.
  void open(MPI_Comm communicator);

  exchange::Message send(int to, uint64_t slot, const void* data, size_t nbytes) override;
  exchange::Message receive(int from, uint64_t slot, void* data, size_t nbytes) override;
  exchange::Message receive_from_any(uint64_t slot, void* data, size_t nbytes) override;
  void start() override;
  bool wait(exchange::Message& message) override;
  bool nudge(bool all) noexcept override;
  void close() noexcept override;

 private:
  struct Head {
    uint64_t slot, offset;
  };
  // A message, and how far it is.
  struct Parcel {
    int rank;
    uint64_t slot;
    char* data;
    size_t nbytes;
    bool sends;
    size_t begun = 0, done = 0;  // bytes
    std::string error = {};
    bool is_given_up = false;
    bool is_over() const { return done == nbytes || !error.empty(); }
  };
  // What MPI has. Its request stands in requests_ at the same place.
  struct Piece {
    std::shared_ptr<Parcel> parcel;
    std::unique_ptr<char[]> memory;
    size_t offset, nbytes;
    bool is_cancelled = false;
  };
  struct Waiting {
    int nudges = 0;  // since it began
    std::atomic<bool> shall_look = false;
  };

  exchange::Message post(int rank, uint64_t slot, void* data, size_t nbytes, bool sends);
  void give_up(const std::shared_ptr<Parcel>& parcel) noexcept;
  // All that follows with the lock.
  void begin_pieces(const std::shared_ptr<Parcel>& parcel);
  void begin_piece(const std::shared_ptr<Parcel>& parcel);
  void cancel(size_t at);
  bool comes_first(const Parcel& parcel) const;
  void move();
  void take(Piece& piece, const MPI_Status& status);
  bool any_sends() const;
  void move_unattended();

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int tags_ = 0;
  std::mutex mutex_;
  std::list<std::shared_ptr<Parcel>>
      parcels_;  // in the order of their posting, until they are over
  std::vector<Piece> pieces_;
  std::vector<MPI_Request> requests_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;

  std::mutex waiting_mutex_;
  std::vector<Waiting*> waiting_;
  std::atomic<bool> closed_ = false;

  // Moves what was sent and is not waited for.
  std::thread mover_;
  std::condition_variable changed_;
  bool is_unattended_ = false;
};

}  // namespace opweave::distributed::mpi
