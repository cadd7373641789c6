// The backend 'mpi': the ranks meet as they do for every wire, agree that all are there, and only
// then call what of MPI waits for all.
#include <algorithm>
#include <string>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/exchange/wire_backend.h"
#include "runtime/distributed/backends/mpi/mpi_wire.h"
#include "runtime/distributed/backends/mpi/process.h"
#include "runtime/distributed/backends/mpi/starter.h"
#include "runtime/distributed/backends/registry/registry.h"

namespace opweave::distributed {
namespace {

// The same for all ranks of a group, and as good as sure another for another group.
int tag_of(const std::string& group) {
  uint64_t mixed = 0;
  for (const char c : group) mixed = exchange::mix(mixed, static_cast<unsigned char>(c));
  return static_cast<int>(mixed % 32768);
}

mpi::Place own_place(const BackendContext& context) {
  const auto place = mpi::place();
  if (!place && context.size == 1) return {};
  if (!place)
    throw DistBackendError(str("this process was not started by mpirun, and the group '",
                               context.group, "' has ", context.size,
                               " ranks: start the program with 'mpirun -n ", context.size, "'"));
  if (place->size < context.size)
    throw DistBackendError(str("mpirun has started ", place->size, " processes, and the group '",
                               context.group, "' has ", context.size, " ranks"));
  return *place;
}

class MpiBackend final : public exchange::WireBackend {
 public:
  MpiBackend(const BackendContext& context, const mpi::Place& own)
      : WireBackend(context, "GLOO_SOCKET_IFNAME") {
    try {
      std::vector<std::string> places = meet(wire_, [&](int) { return std::to_string(own.rank); });
      places[static_cast<size_t>(context.rank)] = std::to_string(own.rank);
      wait_until_ready();
      connect(places);
    } catch (...) {
      end();
      throw;
    }
    begin();
    mpi::note_group_made(context.timeout);
  }

  ~MpiBackend() override {
    leave();
    const bool are_all_there = roll_->are_all_there();
    end();
    mpi::note_group_gone(!are_all_there);
  }

  std::string_view name() const override { return "mpi"; }
  // Calls of MPI return when it likes.
  bool keeps_deadlines() const override { return false; }

 private:
  // `places` are the ranks in MPI_COMM_WORLD.
  void connect(const std::vector<std::string>& places) {
    const auto look = [this] { check_connecting(); };
    mpi::initialize(look);
    std::vector<int> ranks;
    for (const std::string& place : places) ranks.push_back(std::stoi(place));
    const auto made = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
    mpi::run_while(
        [made, ranks, tag = tag_of(context_.group)] {
          MPI_Group all = MPI_GROUP_NULL, own = MPI_GROUP_NULL;
          MPI_Comm_group(MPI_COMM_WORLD, &all);
          mpi::check(MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &own),
                     "MPI_Group_incl");
          mpi::check(MPI_Comm_create_group(MPI_COMM_WORLD, own, tag, made.get()),
                     "MPI_Comm_create_group");
          MPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN);
          MPI_Group_free(&own);
          MPI_Group_free(&all);
        },
        look);
    wire_.open(*made);
  }

  void check_connecting() {
    if (const std::string why = roll_->why_unmade(); !why.empty()) throw DistBackendError(why);
    if (!deadline_.passed()) return;
    const std::string why =
        str(what(),
            ": MPI has not come up in time; MPI_Init waits for all processes that mpirun "
            "started, and not all of them may have called it");
    roll_->abort(why);
    throw DistBackendError(why);
  }

  mpi::MpiWire wire_;
};

std::shared_ptr<Backend> make_mpi_backend(const BackendContext& context) {
  try {
    return std::make_shared<MpiBackend>(context, own_place(context));
  } catch (const DistBackendError& error) {
    throw DistBackendError(str("mpi: ", error.message()));
  }
}

}  // namespace
}  // namespace opweave::distributed

extern "C" void opweave_register_backend() {
  using namespace opweave::distributed;
  register_backend("mpi", make_mpi_backend);
  register_starter("mpi", {mpi::start_place, mpi::spread});
}
