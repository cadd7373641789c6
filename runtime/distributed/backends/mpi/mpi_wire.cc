// Pieces, and waiting for them.
#include "runtime/distributed/backends/mpi/mpi_wire.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/exchange/transfer.h"
#include "runtime/distributed/backends/mpi/process.h"
#include "runtime/distributed/store/threads.h"

namespace opweave::distributed::mpi {
namespace {

using exchange::Message;

constexpr size_t kPiece = 512 * 1024;
constexpr size_t kUnderWay = 4;  // pieces of a message
// What MPI still has when the wire goes is waited for so long.
constexpr Milliseconds kLastWait{100};

// Looks again at once, then lets others run, and then sleeps between looks.
class Patience {
 public:
  void pause() {
    ++times_;
    if (times_ < 200) return;
    if (times_ < 1000) return std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(times_ < 3000 ? 50 : 500));
  }
  bool is_long() const { return times_ == 200; }

 private:
  int times_ = 0;
};

std::string text_of(int status) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  return text;
}

}  // namespace

void MpiWire::open(MPI_Comm communicator) {
  communicator_ = communicator;
  int* most = nullptr;
  int is_there = 0;
  check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&most), &is_there),
        "MPI_TAG_UB");
  tags_ = is_there != 0 ? *most : 32767;
  mover_ = begin_thread([this] { move_unattended(); });
}

MpiWire::~MpiWire() {
  close();
  if (mover_.joinable()) mover_.join();
  if (communicator_ == MPI_COMM_NULL || !is_running()) {
    for (Piece& piece : pieces_) [[maybe_unused]] auto* stays = piece.memory.release();
    return;
  }
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < pieces_.size(); ++i) {
    pieces_[i].parcel->is_given_up = true;
    cancel(i);
  }
  const Deadline limit = Deadline::after(kLastWait);
  while (!pieces_.empty() && !limit.passed()) move();
  if (pieces_.empty()) {
    MPI_Comm_free(&communicator_);
    return;
  }
  // MPI may write there yet.
  for (Piece& piece : pieces_) [[maybe_unused]] auto* stays = piece.memory.release();
}

Message MpiWire::send(int to, uint64_t slot, const void* data, size_t nbytes) {
  return post(to, slot, const_cast<void*>(data), nbytes, true);
}

Message MpiWire::receive(int from, uint64_t slot, void* data, size_t nbytes) {
  return post(from, slot, data, nbytes, false);
}

Message MpiWire::receive_from_any(uint64_t slot, void* data, size_t nbytes) {
  return post(MPI_ANY_SOURCE, slot, data, nbytes, false);
}

Message MpiWire::post(int rank, uint64_t slot, void* data, size_t nbytes, bool sends) {
  Message message;
  if (nbytes == 0) return message;
  auto parcel = std::make_shared<Parcel>(rank, slot, static_cast<char*>(data), nbytes, sends);
  message.rank = rank == MPI_ANY_SOURCE ? Message::kAnyRank : rank;
  message.sends = sends;
  {
    const std::lock_guard lock(mutex_);
    if (closed_.load()) throw std::runtime_error("it is closed");
    parcels_.push_back(parcel);
    begin_pieces(parcel);
  }
  message.parcel = std::shared_ptr<void>(parcel.get(), [this, parcel](void*) { give_up(parcel); });
  return message;
}

void MpiWire::give_up(const std::shared_ptr<Parcel>& parcel) noexcept {
  const std::lock_guard lock(mutex_);
  if (parcel->is_given_up) return;
  parcel->is_given_up = true;
  parcels_.remove(parcel);
  if (!is_running()) return;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].parcel == parcel) cancel(i);
  }
}

// What is not expected any more. What was sent cannot be taken back.
void MpiWire::cancel(size_t at) {
  if (pieces_[at].parcel->sends || pieces_[at].is_cancelled) return;
  pieces_[at].is_cancelled = true;
  MPI_Cancel(&requests_[at]);
}

// Messages of one slot follow one another in all their pieces.
bool MpiWire::comes_first(const Parcel& parcel) const {
  for (const auto& other : parcels_) {
    if (other.get() == &parcel) return true;
    if (other->rank == parcel.rank && other->slot == parcel.slot && other->sends == parcel.sends &&
        other->begun < other->nbytes)
      return false;
  }
  return true;
}

void MpiWire::begin_pieces(const std::shared_ptr<Parcel>& parcel) {
  while (parcel->begun < parcel->nbytes && parcel->error.empty() &&
         parcel->begun < parcel->done + kUnderWay * kPiece &&
         (parcel->begun < kUnderWay * kPiece || comes_first(*parcel)))
    begin_piece(parcel);
}

void MpiWire::begin_piece(const std::shared_ptr<Parcel>& parcel) {
  const size_t offset = parcel->begun, nbytes = std::min(kPiece, parcel->nbytes - offset);
  Piece piece{parcel, std::unique_ptr<char[]>(new char[sizeof(Head) + nbytes]), offset, nbytes};
  const uint64_t mixed = exchange::mix(parcel->slot, offset);
  const int tag = static_cast<int>(mixed % (static_cast<uint64_t>(tags_) + 1));
  const auto count = static_cast<int>(sizeof(Head) + nbytes);
  MPI_Request request = MPI_REQUEST_NULL;
  int status;
  if (parcel->sends) {
    const Head head{parcel->slot, offset};
    std::memcpy(piece.memory.get(), &head, sizeof head);
    std::memcpy(piece.memory.get() + sizeof head, parcel->data + offset, nbytes);
    // It is sent when the other end takes it: who only gives is to hear of it, too, where the ranks
    // were called for different things.
    status =
        MPI_Issend(piece.memory.get(), count, MPI_BYTE, parcel->rank, tag, communicator_, &request);
  } else {
    status =
        MPI_Irecv(piece.memory.get(), count, MPI_BYTE, parcel->rank, tag, communicator_, &request);
  }
  parcel->begun += nbytes;
  if (status != MPI_SUCCESS) {
    parcel->error = text_of(status);
    return;
  }
  pieces_.push_back(std::move(piece));
  requests_.push_back(request);
}

void MpiWire::take(Piece& piece, const MPI_Status& status) {
  Parcel& parcel = *piece.parcel;
  if (parcel.is_given_up) return;
  parcel.done += piece.nbytes;
  if (parcel.sends) return;
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  Head head{};
  std::memcpy(&head, piece.memory.get(), sizeof head);
  if (static_cast<size_t>(count) != sizeof head + piece.nbytes || head.slot != parcel.slot ||
      head.offset != piece.offset) {
    parcel.error = "a message of another call came in place of the one that was expected";
    return;
  }
  parcel.rank = status.MPI_SOURCE;
  std::memcpy(parcel.data + piece.offset, piece.memory.get() + sizeof head, piece.nbytes);
}

void MpiWire::move() {
  if (pieces_.empty()) return;
  indices_.resize(pieces_.size()), statuses_.resize(pieces_.size());
  int count = 0;
  const int outcome = MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                                   indices_.data(), statuses_.data());
  if (count == MPI_UNDEFINED || count == 0) return;
  std::vector<std::shared_ptr<Parcel>> moved;
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(indices_[static_cast<size_t>(i)]);
    const MPI_Status& status = statuses_[static_cast<size_t>(i)];
    Piece& piece = pieces_[at];
    if (outcome == MPI_ERR_IN_STATUS && status.MPI_ERROR != MPI_SUCCESS)
      piece.parcel->error = text_of(status.MPI_ERROR);
    else
      take(piece, status);
    requests_[at] = MPI_REQUEST_NULL;
    moved.push_back(std::move(piece.parcel));
  }
  std::erase_if(pieces_, [](const Piece& piece) { return piece.parcel == nullptr; });
  std::erase(requests_, MPI_REQUEST_NULL);
  for (const auto& parcel : moved) {
    if (parcel->is_over())
      parcels_.remove(parcel);
    else if (!parcel->is_given_up)
      begin_pieces(parcel);
  }
}

bool MpiWire::any_sends() const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [](const Piece& piece) { return piece.parcel->sends; });
}

void MpiWire::move_unattended() {
  std::unique_lock lock(mutex_);
  while (!closed_.load()) {
    changed_.wait(lock, [&] { return is_unattended_ || closed_.load(); });
    is_unattended_ = false;
    for (int times = 0; any_sends() && !closed_.load(); ++times) {
      move();
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::microseconds(times < 1000 ? 200 : 5000));
      lock.lock();
    }
  }
}

void MpiWire::start() {
  const std::lock_guard lock(mutex_);
  is_unattended_ = true;
  changed_.notify_all();
}

bool MpiWire::wait(Message& message) {
  if (message.parcel == nullptr) return true;
  auto& parcel = *static_cast<Parcel*>(message.parcel.get());
  Waiting own;
  {
    const std::lock_guard lock(waiting_mutex_);
    waiting_.push_back(&own);
  }
  const auto leave = [this](Waiting* one) {
    const std::lock_guard lock(waiting_mutex_);
    std::erase(waiting_, one);
  };
  const std::unique_ptr<Waiting, decltype(leave)> listed(&own, leave);
  Patience patience;
  while (true) {
    if (closed_.load()) throw std::runtime_error("it is closed");
    {
      const std::lock_guard lock(mutex_);
      move();
      if (!parcel.error.empty()) throw std::runtime_error(parcel.error);
      if (parcel.is_over()) {
        message.rank = parcel.rank;
        break;
      }
    }
    if (own.shall_look.load()) return false;
    patience.pause();
    if (patience.is_long() && begun_) begun_();
  }
  message.parcel.reset();
  return true;
}

bool MpiWire::nudge(bool all) noexcept {
  const std::lock_guard lock(waiting_mutex_);
  for (Waiting* one : waiting_) {
    if (all || one->nudges++ > 0) one->shall_look.store(true);
  }
  return !waiting_.empty();
}

void MpiWire::close() noexcept {
  if (closed_.exchange(true)) return;
  nudge(true);
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

}  // namespace opweave::distributed::mpi
