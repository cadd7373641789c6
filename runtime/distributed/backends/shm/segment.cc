// Anonymous memory, reached through the process that made it.
#include "runtime/distributed/backends/shm/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/core/base/str.h"
#include "runtime/distributed/backends/host.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

constexpr const char* kPlace = "shm/segment";
constexpr int kMaker = 0;

[[noreturn]] void fail(const BackendContext& context, const char* what, size_t nbytes, int error) {
  throw DistBackendError(str("shm: rank ", context.rank, " of the group '", context.group,
                             "' cannot ", what, " ", nbytes,
                             " bytes of shared memory: ", system_error_text(error)));
}

Descriptor make(const BackendContext& context, size_t nbytes) {
  Descriptor memory(memfd_create("opweave", MFD_CLOEXEC));
  if (!memory.is_open()) fail(context, "make", nbytes, errno);
  if (ftruncate(memory.get(), static_cast<off_t>(nbytes)) != 0)
    fail(context, "make", nbytes, errno);
  return memory;
}

// Taken up by every rank before the one that made it lets it go.
Descriptor take_up(const BackendContext& context, size_t nbytes) {
  const std::string path = value_of(context, kPlace, kMaker, false);
  Descriptor memory(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!memory.is_open()) fail(context, ("open " + path + ":").c_str(), nbytes, errno);
  return memory;
}

}  // namespace

Segment::Segment(const BackendContext& context, size_t nbytes) {
  const bool makes = context.rank == kMaker;
  const Descriptor memory = makes ? make(context, nbytes) : take_up(context, nbytes);
  if (makes) publish_value(context, kPlace, str("/proc/", getpid(), "/fd/", memory.get()));
  void* data = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  if (data == MAP_FAILED) fail(context, "map", nbytes, errno);
  data_ = {static_cast<char*>(data), Unmap{nbytes}};
  wait_for_all(context, "shm/mapped");
}

void Segment::Unmap::operator()(char* data) const noexcept { munmap(data, nbytes); }

}  // namespace opweave::distributed
