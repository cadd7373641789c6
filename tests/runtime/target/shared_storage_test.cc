// Storages in shared memory: what they hold, who sees it, forks, and what is refused.
#include "runtime/target/shared_storage.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "runtime/core/base/error.h"
#include "runtime/core/devices/devices.h"
#include "runtime/target/memory_file.h"

namespace opweave {
namespace {

Storage filled(size_t nbytes, char value) {
  Storage storage = StorageImpl::allocate(nbytes, host_device());
  std::memset(storage->data(), value, nbytes);
  return storage;
}
char* bytes(const Storage& storage) { return static_cast<char*>(storage->data()); }

std::string refusal(int descriptor, size_t nbytes) {
  try {
    SharedFile::open(descriptor, nbytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The value that `look` gives in a forked process, which ends with it.
template <class Look>
int in_fork(Look look) {
  const pid_t child = fork();
  if (child == 0) _exit(look());
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_CASE("a storage that is shared holds what it held, whatever its size") {
  for (const size_t nbytes : {0UL, 1UL, 100UL, 5000UL, 3UL << 20}) {
    Storage storage = filled(nbytes, 'a');
    CHECK(shared_place(*storage) == nullptr);
    move_to_shared_memory(*storage);
    REQUIRE(shared_place(*storage) != nullptr);
    CHECK(storage->nbytes() == nbytes);
    CHECK_FALSE(storage->resizable());
    CHECK(std::string(bytes(storage), nbytes) == std::string(nbytes, 'a'));
    const int file = shared_place(*storage)->file->descriptor();
    move_to_shared_memory(*storage);
    CHECK(shared_place(*storage)->file->descriptor() == file);
  }
}

TEST_CASE("a forked process and its parent see what the other writes") {
  Storage storage = filled(10000, 'a');
  move_to_shared_memory(*storage);
  CHECK(in_fork([&] {
          bytes(storage)[9999] = 'b';
          return 0;
        }) == 0);
  CHECK(bytes(storage)[9999] == 'b');
}

TEST_CASE("who looks at the memory that a storage leaves may go on until it dies") {
  int freed = 0;
  char memory[200] = {'x'};
  Storage storage = StorageImpl::wrap(memory, sizeof(memory), host_device(), [&](void* data) {
    CHECK(data == memory);
    ++freed;
  });
  SUBCASE("somebody does") {
    const Storage seen = storage;
    move_to_shared_memory(*storage);
    CHECK(freed == 0);
    CHECK(shared_place(*storage) != nullptr);
  }
  SUBCASE("nobody does") {
    move_to_shared_memory(*storage);
    CHECK(freed == 1);
  }
  CHECK(bytes(storage)[0] == 'x');
  storage = nullptr;
  CHECK(freed == 1);
}

TEST_CASE("a file that arrives twice is mapped once, and its descriptors are closed") {
  Storage storage = filled(100000, 'a');
  move_to_shared_memory(*storage);
  const int first = dup(shared_place(*storage)->file->descriptor());
  auto file = SharedFile::open(first, 100000);
  CHECK(file->data() == storage->data());
  CHECK(fcntl(first, F_GETFD) == -1);
  const int own = shared_place(*storage)->file->descriptor();
  file.reset();
  CHECK(bytes(storage)[99999] == 'a');
  storage = nullptr;
  CHECK(fcntl(own, F_GETFD) == -1);
}

TEST_CASE("parts of a file keep it, and cannot reach beyond it") {
  auto file = SharedFile::create(4096);
  Storage part = shared_storage(file, 64, 100);
  const char* data = file->data();
  file.reset();
  CHECK(part->data() == data + 64);
  CHECK(shared_place(*part)->offset == 64);
  CHECK_THROWS_WITH_AS(
      shared_storage(shared_place(*part)->file, 4000, 97),
      doctest::Contains("bytes 4000 to 4097 are expected in a shared file of 4096"), Error);
  CHECK_THROWS_AS(shared_storage(shared_place(*part)->file, ~size_t{0}, 2), Error);
}

TEST_CASE("what is no shared memory is refused, and its descriptor closed") {
  CHECK(refusal(-1, 10).find("descriptor -1 is no open file") != std::string::npos);
  const int small = dup(SharedFile::create(10)->descriptor());
  CHECK(refusal(small, 11).find("of at least 11 bytes is expected") != std::string::npos);
  CHECK(fcntl(small, F_GETFD) == -1);
  const int unsealed = make_memory_file("test", 100);
  CHECK(refusal(unsealed, 100).find("others could cut it off") != std::string::npos);
}

TEST_CASE("nobody can take the pages away") {
  auto file = SharedFile::create(8192);
  CHECK(ftruncate(file->descriptor(), 4096) == -1);
}

}  // namespace
}  // namespace opweave
