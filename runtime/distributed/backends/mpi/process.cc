// Initializing, finalizing, and threads for what may hang.
#include "runtime/distributed/backends/mpi/process.h"

#include <dlfcn.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>

#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/base/str.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed::mpi {
namespace {

// How long a process that ends waits for the others where it has groups still: they may wait for
// it in a collective, and shall hear soon that it has ended.
constexpr Milliseconds kShortEnd{500};

// A call on a thread. Both hold it: the call may go on after nobody waits for it.
struct Task {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
  std::exception_ptr error;

  bool wait_for(Milliseconds limit) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, limit, [&] { return is_done; });
  }
};

std::shared_ptr<Task> begin(std::function<void()> call) {
  auto task = std::make_shared<Task>();
  std::thread([task, call = std::move(call)] {
    std::exception_ptr error;
    try {
      call();
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(task->mutex);
    task->is_done = true, task->error = error;
    task->changed.notify_all();
  }).detach();
  return task;
}

void wait(Task& task, const Look& look) {
  while (!task.wait_for(Milliseconds(20))) look();
  if (task.error) std::rethrow_exception(task.error);
}

struct State {
  ForkSafeMutex mutex;
  std::shared_ptr<Task> initializing;
  int groups = 0;
  bool is_rank_gone = false;
  Milliseconds timeout{};
};

State& state() {
  static auto& s = *new State;
  return s;
}

bool is_initialized() {
  int is = 0;
  MPI_Initialized(&is);
  return is != 0;
}

void finalize() {
  Milliseconds limit;
  {
    const std::lock_guard lock(state().mutex);
    if (!is_running() || state().is_rank_gone) return;
    limit = state().groups > 0 ? std::min(kShortEnd, state().timeout) : state().timeout;
  }
  begin([] { MPI_Finalize(); })->wait_for(limit);
}

void start_mpi() {
  // OpenMPI's components look for it among what all see.
  dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
  int provided = MPI_THREAD_SINGLE;
  if (is_initialized()) {
    MPI_Query_thread(&provided);
  } else {
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    std::atexit(finalize);
  }
  if (provided != MPI_THREAD_MULTIPLE)
    throw DistBackendError(
        "MPI was initialized without MPI_THREAD_MULTIPLE, which collectives of several threads "
        "need: initialize it so (mpi4py does), or leave it to init_process_group");
}

std::optional<int> number_of(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? std::nullopt : std::optional<int>(std::atoi(text));
}

}  // namespace

bool is_running() {
  int is_over = 0;
  if (is_initialized()) MPI_Finalized(&is_over);
  return is_initialized() && is_over == 0;
}

void check(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw DistBackendError(str(what, ": ", text));
}

std::optional<Place> place() {
  const auto rank = number_of("OMPI_COMM_WORLD_RANK"), size = number_of("OMPI_COMM_WORLD_SIZE");
  if (rank && size) return Place{*rank, *size, number_of("OMPI_COMM_WORLD_LOCAL_SIZE") == size};
  if (!is_running()) return std::nullopt;
  Place here;
  MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &here.size);
  here.is_one_host = here.size == 1;
  return here;
}

void run_while(const std::function<void()>& call, const Look& look) { wait(*begin(call), look); }

void initialize(const Look& look) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(state().mutex);
    if (state().initializing == nullptr) state().initializing = begin(start_mpi);
    task = state().initializing;
  }
  wait(*task, look);
}

void note_group_made(Milliseconds timeout) {
  const std::lock_guard lock(state().mutex);
  ++state().groups;
  state().timeout = timeout;
}

void note_group_gone(bool is_rank_gone) {
  const std::lock_guard lock(state().mutex);
  --state().groups;
  state().is_rank_gone |= is_rank_gone;
}

}  // namespace opweave::distributed::mpi
