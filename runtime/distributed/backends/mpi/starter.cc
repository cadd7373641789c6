// The address of the store, by MPI's own messages.
#include "runtime/distributed/backends/mpi/starter.h"

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/mpi/process.h"
#include "runtime/distributed/backends/net/interfaces.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::mpi {
namespace {

constexpr int kTag = 0x6f77;
using Letter = std::array<char, 1024>;

// False where its time is over; then MPI has it still.
bool finish(MPI_Request& request, const Deadline& deadline) {
  int is_done = 0;
  while (true) {
    check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_done != 0) return true;
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

std::string hear(const Place& own, const Deadline& deadline) {
  auto letter = std::make_unique<Letter>();
  MPI_Request request;
  check(MPI_Irecv(letter->data(), static_cast<int>(letter->size()), MPI_BYTE, 0, kTag,
                  MPI_COMM_WORLD, &request),
        "MPI_Irecv");
  if (finish(request, deadline)) return letter->data();
  MPI_Cancel(&request);
  letter.release();  // MPI may write there yet
  throw DistBackendError(str("mpi: rank ", own.rank, " of ", own.size,
                             " has not heard in time from rank 0 where its store is"));
}

void tell(const Place& own, const std::string& text, const Deadline& deadline) {
  static auto& letter = *new Letter;  // sent by MPI also after the deadline
  std::memcpy(letter.data(), text.c_str(), std::min(text.size() + 1, letter.size()));
  for (int rank = 1; rank < own.size; ++rank) {
    MPI_Request request;
    check(MPI_Isend(letter.data(), static_cast<int>(letter.size()), MPI_BYTE, rank, kTag,
                    MPI_COMM_WORLD, &request),
          "MPI_Isend");
    if (!finish(request, deadline))
      throw DistBackendError(str("mpi: rank ", rank, " has not heard in time where the store is"));
  }
}

}  // namespace

StartPlace start_place() {
  const Place own = place().value_or(Place{});
  return {own.rank, own.size, net::choose_interface("GLOO_SOCKET_IFNAME", own.is_one_host).address};
}

std::string spread(const std::string& text, const Deadline& deadline) {
  const Place own = place().value_or(Place{});
  if (own.size == 1) return text;
  initialize([&] {
    if (!deadline.passed()) return;
    throw DistBackendError(str("mpi: rank ", own.rank, " of the ", own.size,
                               " processes that mpirun started: MPI_Init, which waits for all of "
                               "them, has not returned in time: not all have called "
                               "init_process_group"));
  });
  if (own.rank != 0) return hear(own, deadline);
  tell(own, text, deadline);
  return text;
}

}  // namespace opweave::distributed::mpi
