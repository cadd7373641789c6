// Collectives on NCCL's backend: which calls they become, and what comes of them.
#include "tests/runtime/distributed/nccl/support.h"

using namespace opweave;                     // NOLINT
using namespace opweave::distributed;        // NOLINT
using namespace opweave::distributed::test;  // NOLINT

TEST_CASE("reductions of every dtype that NCCL has, of several tensors") {
  for (const ScalarType dtype :
       {kByte, kChar, kInt, kLong, kUInt32, kUInt64, kHalf, kBFloat16, kFloat, kDouble}) {
    all_well(run([&](int rank, Group& group) {
      const Tensor a = full({3}, rank + 1, rank, dtype), b = full({2, 2}, 2, rank, dtype);
      group.start({.kind = CollectiveKind::kAllReduce, .inputs = {a, b}, .outputs = {a, b}});
      CHECK(values(a) == Doubles(3, 10));
      CHECK(values(b) == Doubles(4, 8));
      all_reduce(group, a, ReduceOp::kMax);
      all_reduce(group, b, ReduceOp::kProduct);
      CHECK(values(a) == Doubles(3, 10));
      const double product = dtype == kByte || dtype == kChar ? 0 : 4096;
      CHECK(values(b) == Doubles(4, product));
    }));
  }
}

TEST_CASE("sums of bools are whether any is, as PyTorch has it; averages") {
  all_well(run([](int rank, Group& group) {
    const Tensor one = full({2}, rank == 2, rank, kBool), average = full({2}, rank, rank);
    all_reduce(group, one);
    CHECK(values(one) == Doubles(2, 1));
    all_reduce(group, one, ReduceOp::kBand);
    CHECK(values(one) == Doubles(2, 1));
    all_reduce(group, average, ReduceOp::kAvg);
    CHECK(values(average) == Doubles(2, 1.5));
  }));
}

TEST_CASE("what moves tensors, of a dtype that NCCL has not") {
  all_well(run([](int rank, Group& group) {
    const auto mine = [&](double value) { return full({2}, value, rank, kShort); };
    const Tensor a = mine(rank);
    group.start({.kind = CollectiveKind::kBroadcast, .inputs = {a}, .outputs = {a}, .root = 2});
    CHECK(values(a) == Doubles(2, 2));

    std::vector<Tensor> all, given;
    for (int r = 0; r < kRanks; ++r) {
      all.push_back(mine(-1));
      given.push_back(mine(10 * rank + r));
    }
    group.start({.kind = CollectiveKind::kAllGather, .inputs = {mine(rank)}, .outputs = all});
    for (int r = 0; r < kRanks; ++r) CHECK(values(all[size_t(r)]) == Doubles(2, r));
    group.start({.kind = CollectiveKind::kAllToAll, .inputs = given, .outputs = all});
    for (int r = 0; r < kRanks; ++r) CHECK(values(all[size_t(r)]) == Doubles(2, 10 * r + rank));

    const std::vector<Tensor> none;
    group.start({.kind = CollectiveKind::kGather,
                 .inputs = {mine(rank)},
                 .outputs = rank == 1 ? all : none,
                 .root = 1});
    if (rank == 1) {
      for (int r = 0; r < kRanks; ++r) CHECK(values(all[size_t(r)]) == Doubles(2, r));
    }
    group.start({.kind = CollectiveKind::kScatter,
                 .inputs = rank == 3 ? given : none,
                 .outputs = {a},
                 .root = 3});
    CHECK(values(a) == Doubles(2, 30 + rank));
  }));
}

namespace {

// Parts of one tensor, which lie behind one another.
std::vector<Tensor> parts(const Tensor& whole) {
  std::vector<Tensor> all;
  for (int r = 0; r < kRanks; ++r)
    all.push_back(Tensor(make_intrusive<TensorImpl>(whole.storage(), kFloat, whole.device(),
                                                    IntList{1}, IntList{1}, int64_t{r})));
  return all;
}

}  // namespace

TEST_CASE("parts of one size are one call, wherever they lie on this rank or another") {
  for (const int together : {0, 1, kRanks}) {  // so many ranks have parts of one tensor
    all_well(run([&](int rank, Group& group) {
      const auto list = [&](const std::function<double(int)>& value) {
        std::vector<Tensor> all;
        for (int r = 0; r < kRanks; ++r) all.push_back(full({1}, value(r), rank));
        if (rank >= together) return all;
        const std::vector<Tensor> one = parts(full({kRanks}, 0, rank));
        for (size_t r = 0; r < one.size(); ++r) {
          Tensor part = one[r];
          ops::copy_::call(part, all[r], false);
        }
        return one;
      };
      const std::vector<Tensor> room = list([](int) { return -1; });
      group.start(
          {.kind = CollectiveKind::kAllGather, .inputs = {full({1}, rank, rank)}, .outputs = room});
      for (int r = 0; r < kRanks; ++r) CHECK(values(room[size_t(r)]) == Doubles{double(r)});
      const Tensor sum = full({1}, 0, rank);
      group.start({.kind = CollectiveKind::kReduceScatter,
                   .inputs = list([&](int r) { return rank + 10 * r; }),
                   .outputs = {sum}});
      CHECK(values(sum) == Doubles{6.0 + 40 * rank});
    }));
    const std::string made = calls();
    CHECK(count(made, "ncclAllGather 4 of") == kRanks);
    CHECK(count(made, "ncclReduceScatter 1 of") == kRanks);
    CHECK(count(made, "ncclBroadcast") + count(made, "ncclReduce ") == 0);
  }
}

TEST_CASE("parts of unlike sizes") {
  all_well(run([](int rank, Group& group) {
    std::vector<Tensor> apart, room;
    for (int r = 0; r < kRanks; ++r) {
      apart.push_back(full({r + 1}, rank + r, rank));
      room.push_back(full({r + 1}, -1, rank));
    }
    const Tensor sum = full({rank + 1}, 0, rank);
    group.start({.kind = CollectiveKind::kReduceScatter, .inputs = apart, .outputs = {sum}});
    CHECK(values(sum) == Doubles(size_t(rank) + 1, 6 + 4 * rank));
    group.start({.kind = CollectiveKind::kAllGather, .inputs = {sum}, .outputs = room});
    for (int r = 0; r < kRanks; ++r)
      CHECK(values(room[size_t(r)]) == Doubles(size_t(r) + 1, 6 + 4 * r));
  }));
}
