// Blocks that become files: their contents, their addresses, forks, and giving them back.
#include "runtime/target/shared_blocks.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace opweave {
namespace {

constexpr size_t kMiB = 1024 * 1024;

// Memory as an allocator has it, which tells the blocks before it goes.
class Block {
 public:
  explicit Block(size_t nbytes, char value = 'a') : nbytes_(nbytes) {
    void* data = mmap(nullptr, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(data != MAP_FAILED);
    data_ = static_cast<char*>(data);
    std::memset(data_, value, nbytes);
  }
  Block(const Block&) = delete;
  ~Block() {
    SharedBlocks::of_process().forget(data_);
    munmap(data_, nbytes_);
  }
  char* data() const { return data_; }
  size_t nbytes() const { return nbytes_; }
  std::optional<SharedBlocks::Lent> lend() const {
    return SharedBlocks::of_process().lend(data_, nbytes_);
  }
  // Asked for as often as it takes.
  SharedBlocks::Lent share() const {
    for (int i = 1; i < SharedBlocks::kAsks; ++i) REQUIRE_FALSE(lend().has_value());
    auto lent = lend();
    REQUIRE(lent.has_value());
    return std::move(*lent);
  }

 private:
  char* data_;
  size_t nbytes_;
};

// A file as another process sees it.
class Peer {
 public:
  explicit Peer(const SharedBlocks::File& file) : nbytes_(file.nbytes) {
    const std::string path = "/proc/self/fd/" + std::to_string(file.descriptor);
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(descriptor >= 0);
    void* data = mmap(nullptr, nbytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    REQUIRE(data != MAP_FAILED);
    data_ = static_cast<volatile char*>(data);
  }
  Peer(const Peer&) = delete;
  ~Peer() { munmap(const_cast<char*>(data_), nbytes_); }
  volatile char& operator[](size_t i) const { return data_[i]; }

 private:
  volatile char* data_;
  size_t nbytes_;
};

// What a forked process says of something; it ends at once.
template <class F>
bool in_child(F holds) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0;
}

int mapped_files() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);)
    found += line.find("opweave block") != std::string::npos;
  return found;
}

TEST_CASE("a block that is asked for again and again is shared where it lies") {
  for (const size_t nbytes : {4 * kMiB, 4 * kMiB + 1, 7 * kMiB + 4096}) {
    const Block block(nbytes);
    std::strcpy(block.data() + nbytes - 8, "the end");
    const auto lent = block.share();
    CHECK(block.data()[0] == 'a');
    CHECK(std::string(block.data() + nbytes - 8) == "the end");
    CHECK(lent.file().nbytes >= nbytes);
    const Peer peer(lent.file());
    CHECK(peer[nbytes - 4] == 'e');
    block.data()[5 * kMiB % nbytes] = 'w';
    CHECK(peer[5 * kMiB % nbytes] == 'w');
    CHECK(block.lend()->file().inode == lent.file().inode);
  }
  CHECK(mapped_files() == 0);
}

TEST_CASE("small blocks and such as begin within a page are not shared") {
  const Block small(SharedBlocks::kLeast - 4096), large(2 * SharedBlocks::kLeast);
  auto& blocks = SharedBlocks::of_process();
  for (int i = 0; i < 2 * SharedBlocks::kAsks; ++i) {
    CHECK_FALSE(small.lend().has_value());
    CHECK_FALSE(blocks.lend(large.data() + 64, SharedBlocks::kLeast).has_value());
  }
}

TEST_CASE("a block of which more is asked for moves again") {
  const Block block(10 * kMiB);
  block.data()[9 * kMiB] = 'z';
  auto& blocks = SharedBlocks::of_process();
  for (int i = 0; i < SharedBlocks::kAsks; ++i) blocks.lend(block.data(), 5 * kMiB);
  CHECK(mapped_files() == 1);
  const auto lent = block.lend();
  REQUIRE(lent.has_value());
  CHECK(lent->file().nbytes == 10 * kMiB);
  CHECK(Peer(lent->file())[9 * kMiB] == 'z');
}

TEST_CASE("parent and forked process do not see what the other writes") {
  const Block block(6 * kMiB);
  const uint64_t inode = block.share().file().inode;
  int pipes[2];
  REQUIRE(pipe(pipes) == 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte;
    const bool told = read(pipes[0], &byte, 1) == 1;  // the parent has written
    const bool right = block.data()[0] == 'a' && block.data()[5 * kMiB] == 'a';
    block.data()[1] = 'c';
    _exit(told && right ? 0 : 1);
  }
  block.data()[0] = 'p';
  SUBCASE("") {}
  SUBCASE("also where the block is shared anew") {
    CHECK(block.share().file().inode != inode);
    block.data()[5 * kMiB] = 'p';
  }
  SUBCASE("also where it is given back") { SharedBlocks::of_process().forget(block.data()); }
  REQUIRE(write(pipes[1], "x", 1) == 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(block.data()[1] != 'c');
  close(pipes[0]);
  close(pipes[1]);
}

TEST_CASE("what is lent during a fork stays shared, and no forked process writes to it") {
  const Block block(6 * kMiB);
  const auto lent = block.share();
  const Peer peer(lent.file());
  CHECK(in_child([&] {
    block.data()[3] = 'c';
    return block.data()[4] == 'a' && fcntl(lent.file().descriptor, F_GETFD) == -1;
  }));
  CHECK(peer[3] == 'a');
  block.data()[3] = 'p';
  CHECK(peer[3] == 'p');
}

TEST_CASE("what was lent during a fork is private once it is no longer lent") {
  const Block block(6 * kMiB);
  int pipes[2];
  REQUIRE(pipe(pipes) == 0);
  pid_t child = -1;
  {
    const auto lent = block.share();
    child = fork();
    if (child == 0) {
      char byte;
      const bool told = read(pipes[0], &byte, 1) == 1;  // the parent has written
      _exit(told && block.data()[4 * kMiB] == 'a' ? 0 : 1);
    }
  }
  block.data()[4 * kMiB] = 'p';
  REQUIRE(write(pipes[1], "x", 1) == 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  close(pipes[0]);
  close(pipes[1]);
}

TEST_CASE("a forked process shares blocks of its own") {
  const Block block(6 * kMiB);
  block.share();
  CHECK(in_child([&] {
    for (int i = 1; i < SharedBlocks::kAsks; ++i) block.lend();
    const auto lent = block.lend();
    if (!lent) return false;
    const Peer peer(lent->file());
    block.data()[0] = 'c';
    return peer[0] == 'c' && peer[1] == 'a';
  }));
  CHECK(block.data()[0] == 'a');
}

TEST_CASE("a block that is given back is private, and takes no memory where it is still mapped") {
  Block block(6 * kMiB);
  const auto file = block.share().file();
  const Peer peer(file);
  SharedBlocks::of_process().forget(block.data());
  block.data()[0] = 'n';
  CHECK(peer[0] == 0);
  CHECK(fcntl(file.descriptor, F_GETFD) == -1);
}

TEST_CASE("what is revoked keeps what it has, whatever others write later") {
  const Block block(6 * kMiB + 1);
  {
    auto lent = block.share();
    const Peer peer(lent.file());
    peer[6 * kMiB] = 'w';
    CHECK(block.data()[6 * kMiB] == 'w');
    lent.revoke();
    peer[6 * kMiB] = 'l';
    peer[3] = 'l';
    CHECK(block.data()[6 * kMiB] == 'w');
    CHECK(block.data()[3] == 'a');
    CHECK(fcntl(lent.file().descriptor, F_GETFD) == -1);
    lent.revoke();  // twice
  }
  CHECK(mapped_files() == 1);  // of which the block has a copy of its own
  const auto again = block.share();
  CHECK(Peer(again.file())[6 * kMiB] == 'w');
}

TEST_CASE("what is revoked by one is still read by those to whom another lends it") {
  const Block block(6 * kMiB);
  auto first = block.share();
  const auto second = block.lend();
  REQUIRE(second.has_value());
  const Peer peer(second->file());
  first.revoke();
  block.data()[3] = 'n';
  CHECK(peer[3] == 'a');
}

TEST_CASE("what is given back while it is lent is lent anew once nobody has it") {
  const Block block(6 * kMiB);
  {
    auto before = block.share();
    SharedBlocks::of_process().forget(block.data());
    for (int i = 0; i < 2 * SharedBlocks::kAsks; ++i) CHECK_FALSE(block.lend().has_value());
    before.revoke();
  }
  const auto lent = block.share();
  CHECK(in_child([] { return true; }));  // what is not lent would be private from here on
  block.data()[3] = 'n';
  CHECK(Peer(lent.file())[3] == 'n');
}

// Of private memory that can be written to: files that are shared do not count.
void allow_no_more_memory() {
  const rlimit none{0, 0};
  REQUIRE(setrlimit(RLIMIT_DATA, &none) == 0);
  void* data = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(data == MAP_FAILED);
}

TEST_CASE("what is revoked without memory for a private copy is out of the others' reach as well") {
  CHECK(in_child([] {
    const Block block(6 * kMiB);
    auto lent = block.share();
    const Peer peer(lent.file());
    peer[4] = 'w';
    allow_no_more_memory();
    lent.revoke();
    peer[3] = 'l';
    return block.data()[3] == 'a' && block.data()[4] == 'w';
  }));
}

TEST_CASE(
    "without memory for a private copy a forked process does not see what its parent writes") {
  CHECK(in_child([] {
    const Block block(6 * kMiB);
    block.share();
    allow_no_more_memory();
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      std::signal(SIGSEGV, SIG_DFL);  // and not the one of the test's program
      block.data()[3] = 'c';
      _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV && block.data()[3] == 'a' &&
           !block.lend();
  }));
}

TEST_CASE("what is given back without memory for it is nobody else's either") {
  CHECK(in_child([] {
    const Block block(6 * kMiB);
    const auto lent = block.share();
    const Peer peer(lent.file());
    allow_no_more_memory();
    SharedBlocks::of_process().forget(block.data());
    peer[3] = 'l';
    const bool own = block.data()[3] == 0;
    block.data()[3] = 'n';
    const bool in_fork = in_child([&] {
      std::signal(SIGSEGV, SIG_DFL);
      return block.data()[3] == 'n';
    });
    return own && peer[3] == 'l' && !in_fork && block.data()[3] == 'n';
  }));
}

TEST_CASE("without descriptors or memory for it a block stays what it is") {
  const Block block(6 * kMiB);
  std::vector<int> all;
  for (int d = 0; (d = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) all.push_back(d);
  for (int i = 0; i < 2 * SharedBlocks::kAsks; ++i) CHECK_FALSE(block.lend().has_value());
  for (const int d : all) close(d);
  CHECK(block.data()[0] == 'a');
}

}  // namespace
}  // namespace opweave
