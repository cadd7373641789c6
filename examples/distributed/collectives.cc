// Every collective, in a few processes: collectives [processes]. What collectives.py does, in C++.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "opweave/ow.h"
#include "runtime/distributed/backends/groups/make_group.h"
#include "runtime/distributed/store/file_store.h"

namespace {

using namespace opweave::distributed;  // NOLINT
using Kind = CollectiveKind;

std::string shown(const opweave::Tensor& t) {
  std::string text = "[";
  for (int64_t i = 0; i < t.numel(); ++i) {
    char number[32];
    if (t.dtype() == opweave::kLong)
      std::snprintf(number, sizeof number, "%ld", static_cast<const int64_t*>(t.raw_data())[i]);
    else
      std::snprintf(number, sizeof number, "%.1f", static_cast<const float*>(t.raw_data())[i]);
    text += (i > 0 ? ", " : "") + std::string(number);
  }
  return text + "]";
}

class Program {
 public:
  Program(int rank, int size, const std::string& meeting)
      : rank_(rank),
        size_(size),
        group_(init_process_group(std::make_shared<FileStore>(meeting, size), rank, size,
                                  {.backend = "gloo", .timeout = Milliseconds(60'000)})) {}

  void run() {
    // What one has, all get.
    opweave::Tensor x = full(2, rank_);
    group_->start({.kind = Kind::kBroadcast, .inputs = {x}, .outputs = {x}, .root = 1});
    show("broadcast", shown(x));

    // Together: on all, on one, and a part on each.
    x = full(2, rank_ + 1);
    group_->start({.kind = Kind::kAllReduce, .inputs = {x}, .outputs = {x}});
    show("all_reduce", shown(x));
    x = full(2, rank_ + 1);
    group_->start({.kind = Kind::kReduce, .inputs = {x}, .outputs = {x}, .op = ReduceOp::kMax});
    if (rank_ == 0) show("reduce", shown(x));
    const std::vector<ow::Tensor> blocks = ow::chunk(ow::arange(2.0 * size_), size_);
    const opweave::Tensor part = full(2, 0);
    group_->start({.kind = Kind::kReduceScatter,
                   .inputs = {blocks.begin(), blocks.end()},
                   .outputs = {part}});
    show("reduce_scatter", shown(part));

    // One behind the other: on all, on one, and shared out again.
    const opweave::Tensor mine = pair(rank_, rank_ * 10);
    group_->start({.kind = Kind::kAllGather, .inputs = {mine}, .outputs = rooms()});
    show("all_gather", all_of(rooms_));
    const auto at_root = [&](std::vector<opweave::Tensor> list) {
      return rank_ == 0 ? std::move(list) : std::vector<opweave::Tensor>();
    };
    group_->start({.kind = Kind::kGather, .inputs = {mine}, .outputs = at_root(rooms())});
    if (rank_ == 0) show("gather", all_of(rooms_));
    const opweave::Tensor share = pair(0, 0);
    group_->start({.kind = Kind::kScatter, .inputs = at_root(rooms_), .outputs = {share}});
    show("scatter", shown(share));

    // Something else for everyone.
    std::vector<opweave::Tensor> given;
    for (int to = 0; to < size_; ++to) given.push_back(pair(rank_, to));
    group_->start({.kind = Kind::kAllToAll, .inputs = given, .outputs = rooms()});
    std::string rows;
    for (const opweave::Tensor& row : rooms_) rows += (rows.empty() ? "" : ", ") + shown(row);
    show("all_to_all", "[" + rows + "]");

    // From one to another, without waiting.
    const opweave::Tensor token = full(1, 0);
    const WorkPtr sent = group_->start({.kind = Kind::kSend,
                                        .inputs = {full(1, rank_)},
                                        .root = (rank_ + 1) % size_,
                                        .async = true});
    group_->start({.kind = Kind::kRecv, .outputs = {token}, .root = (rank_ + size_ - 1) % size_});
    sent->wait();
    show("send and recv", shown(token));

    // Started now, done later.
    x = full(3, 1);
    const WorkPtr work =
        group_->start({.kind = Kind::kAllReduce, .inputs = {x}, .outputs = {x}, .async = true});
    work->wait();
    show("all_reduce, later", shown(x));
    group_->start({.kind = Kind::kBarrier});
  }

 private:
  static opweave::Tensor full(int64_t n, double value) {
    return ow::full({n}, value, opweave::kFloat);
  }
  static opweave::Tensor pair(int64_t a, int64_t b) {
    ow::Tensor t = ow::zeros({2}, opweave::kLong);
    static_cast<int64_t*>(t.raw_data())[0] = a;
    static_cast<int64_t*>(t.raw_data())[1] = b;
    return t;
  }
  const std::vector<opweave::Tensor>& rooms() {
    rooms_.clear();
    for (int r = 0; r < size_; ++r) rooms_.push_back(pair(0, 0));
    return rooms_;
  }
  static std::string all_of(const std::vector<opweave::Tensor>& list) {
    std::vector<ow::Tensor> tensors(list.begin(), list.end());
    return shown(ow::cat(tensors));
  }
  void show(const char* name, const std::string& value) const {
    const std::string line = "rank " + std::to_string(rank_) + ": " + name + ": " + value + "\n";
    std::fputs(line.c_str(), stdout);
    std::fflush(stdout);
  }

  const int rank_, size_;
  const ProcessGroupPtr group_;
  std::vector<opweave::Tensor> rooms_;
};

}  // namespace

int main(int count, char** arguments) {
  const int size = count > 1 ? std::atoi(arguments[1]) : 2;
  if (size < 2 || size > 4) {
    std::fprintf(stderr, "collectives: expected 2 to 4 processes, got %s\n", arguments[1]);
    return 2;
  }
  char folder[] = "/tmp/collectives_XXXXXX";
  if (mkdtemp(folder) == nullptr) return perror("mkdtemp"), 2;
  for (int rank = 0; rank < size; ++rank) {
    if (fork() != 0) continue;
    try {
      Program(rank, size, std::string(folder) + "/meeting").run();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      return 1;
    }
    return 0;
  }
  int failed = 0, status = 0;
  while (wait(&status) > 0) failed += status != 0;
  rmdir(folder);
  return failed;
}
