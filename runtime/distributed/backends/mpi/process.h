// MPI in this process: where mpirun has put it, and MPI's beginning and end. What of MPI waits for
// other processes has no limit of its own: here it runs on a thread, and is waited for as long as
// there is hope.
#pragma once

#include <mpi.h>

#include <functional>
#include <optional>

#include "runtime/distributed/store/waiting.h"

namespace opweave::distributed::mpi {

struct Place {
  int rank = 0, size = 1;
  bool is_one_host = true;  // all processes that mpirun started
};
// Among what mpirun started, or whoever has initialized MPI; nothing outside of that.
std::optional<Place> place();

// Called now and then while something is waited for; throws where that is in vain.
using Look = std::function<void()>;
// Runs a call that waits for others. It goes on without being waited for where `look` throws.
void run_while(const std::function<void()>& call, const Look& look);

// Initializes MPI with all that threads need, once; waits for all processes that mpirun started.
// Whoever has initialized it before finalizes it. DistBackendError where it was without threads.
void initialize(const Look& look);
bool is_running();  // not finalized yet

// Of groups: when the process ends, MPI is finalized, for which all wait for all. That is left out
// where a rank of one is gone, is not waited for where one is still there, and else for the timeout
// of the last one at most.
void note_group_made(Milliseconds timeout);
void note_group_gone(bool is_rank_gone);

// DistBackendError with MPI's words, unless it is MPI_SUCCESS.
void check(int status, const char* what);

}  // namespace opweave::distributed::mpi
