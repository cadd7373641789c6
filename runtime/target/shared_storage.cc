// Mapping of files without a name, and storages that are parts of them.
#include "runtime/target/shared_storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "runtime/core/base/error.h"
#include "runtime/core/base/fork_safe_mutex.h"
#include "runtime/core/devices/devices.h"
#include "runtime/target/memory_file.h"

namespace opweave {
namespace {

constexpr size_t kHugePage = 2 * 1024 * 1024;

// Frees nothing itself: the file goes with the last storage in it.
struct PartOfFile {
  SharedPlace place;
  void operator()(void*) const {}
};

[[noreturn]] void refuse(size_t nbytes, const char* what) {
  const int error = errno;
  const char* hint = error == EMFILE || error == ENFILE
                         ? "; each shared tensor has a file: raise the limit of open files (ulimit "
                           "-n), or share fewer, larger tensors"
                         : "";
  OW_THROW(ErrorKind::kOutOfMemory, "no shared memory of ", nbytes, " bytes: ", what, ": ",
           std::strerror(error), hint);
}

// The files that this process has mapped, by inode: one that arrives again is not mapped twice, and
// a tensor that comes back lies where it lay.
class MappedFiles {
 public:
  static MappedFiles& of_process() {
    static auto* files = new MappedFiles;  // outlives every tensor
    return *files;
  }
  // Null for one that is not mapped, or not so far.
  std::shared_ptr<SharedFile> find(uint64_t inode, size_t nbytes) {
    std::lock_guard lock(mutex_);
    const auto found = files_.find(inode);
    std::shared_ptr<SharedFile> file = found == files_.end() ? nullptr : found->second.lock();
    return file && file->nbytes() >= nbytes ? file : nullptr;
  }
  void add(const std::shared_ptr<SharedFile>& file, uint64_t inode) {
    std::lock_guard lock(mutex_);
    files_[inode] = file;
  }
  void forget(uint64_t inode) noexcept {
    std::lock_guard lock(mutex_);
    const auto found = files_.find(inode);
    if (found != files_.end() && found->second.expired()) files_.erase(found);
  }

 private:
  ForkSafeMutex mutex_;
  std::unordered_map<uint64_t, std::weak_ptr<SharedFile>> files_;
};

uint64_t inode_of(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 ? status.st_ino : 0;
}

}  // namespace

std::shared_ptr<SharedFile> SharedFile::create(size_t nbytes) {
  const int descriptor = make_memory_file("opweave storage", nbytes);
  if (descriptor < 0) refuse(nbytes, "memfd_create");
  std::shared_ptr<SharedFile> file(new SharedFile(descriptor, nbytes));
  file->map();
  // Nobody who has the descriptor can take the pages away from who reads them.
  if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) refuse(nbytes, "fcntl");
  if (nbytes >= kHugePage) ask_for_huge_pages(file->data_, nbytes);
  MappedFiles::of_process().add(file, inode_of(descriptor));
  return file;
}

std::shared_ptr<SharedFile> SharedFile::open(int descriptor, size_t nbytes) {
  std::shared_ptr<SharedFile> file(new SharedFile(descriptor, nbytes));
  struct stat status {};
  OW_CHECK(fstat(descriptor, &status) == 0, "descriptor ", descriptor,
           " is no open file: ", std::strerror(errno));
  OW_CHECK(static_cast<size_t>(status.st_size) >= nbytes, "a shared file of at least ", nbytes,
           " bytes is expected, but descriptor ", descriptor, " is of ", status.st_size);
  const int seals = fcntl(descriptor, F_GET_SEALS);
  OW_CHECK(seals >= 0 && (seals & F_SEAL_SHRINK) != 0, "descriptor ", descriptor,
           " is no shared memory of Opweave: others could cut it off while it is read");
  if (auto mapped = MappedFiles::of_process().find(status.st_ino, nbytes)) return mapped;
  file->map();
  MappedFiles::of_process().add(file, status.st_ino);
  return file;
}

// Large files begin a huge page, which the system can then map at once.
void SharedFile::map() {
  if (nbytes_ == 0) return;
  range_ = nbytes_ < kHugePage ? nbytes_ : nbytes_ + kHugePage;
  void* base = mmap(nullptr, range_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED) refuse(nbytes_, "mmap");
  base_ = static_cast<char*>(base);
  const size_t beyond = reinterpret_cast<uintptr_t>(base_) % kHugePage;
  char* start = nbytes_ < kHugePage || beyond == 0 ? base_ : base_ + (kHugePage - beyond);
  if (mmap(start, nbytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor_, 0) ==
      MAP_FAILED) {
    refuse(nbytes_, "mmap");
  }
  data_ = start;
}

SharedFile::~SharedFile() {
  const uint64_t inode = inode_of(descriptor_);
  if (base_ != nullptr) munmap(base_, range_);
  close(descriptor_);
  if (inode != 0) MappedFiles::of_process().forget(inode);
}

Storage shared_storage(std::shared_ptr<SharedFile> file, size_t offset, size_t nbytes) {
  OW_CHECK(offset <= file->nbytes() && nbytes <= file->nbytes() - offset, "bytes ", offset, " to ",
           offset + nbytes, " are expected in a shared file of ", file->nbytes());
  char* data = file->data() + offset;
  return StorageImpl::wrap(data, nbytes, host_device(),
                           PartOfFile{{.file = std::move(file), .offset = offset}});
}

const SharedPlace* shared_place(const StorageImpl& storage) noexcept {
  const StorageImpl::Deleter* deleter = storage.deleter();
  const auto* part = deleter == nullptr ? nullptr : deleter->target<PartOfFile>();
  return part == nullptr ? nullptr : &part->place;
}

void move_to_shared_memory(StorageImpl& storage) {
  OW_CHECK(devices_of(storage.device().type).kind() == Devices::Kind::kHost,
           "only host memory can be shared between processes, but this storage is on ",
           storage.device());
  if (shared_place(storage) != nullptr) return;
  std::shared_ptr<SharedFile> file = SharedFile::create(storage.nbytes());
  if (storage.nbytes() > 0) std::memcpy(file->data(), storage.data(), storage.nbytes());
  char* data = file->data();
  storage.move_to(data, PartOfFile{{.file = std::move(file), .offset = 0}});
}

}  // namespace opweave
