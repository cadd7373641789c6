// How rows are shared out: everything once, by the shape alone, and little in float32.
#include "kernels/blocks/plan.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace opweave::blocks {
namespace {

constexpr int64_t kSizes[] = {0,    1,     8,      64,      65,        1000,
                              1025, 65536, 100000, 1 << 20, 123456789, int64_t{3} << 32};

// Calls `check` with shapes of all kinds and their plans.
template <class Check>
void each_shape(Check&& check) {
  for (const int64_t size : kSizes) {
    for (const int64_t rows : kSizes) {
      if (rows == 0) continue;
      for (const bool is_adjacent : {false, true}) {
        for (const bool has_sums : {false, true}) {
          for (const int dims : {1, 2}) {
            const BlockShape shape{size, rows, is_adjacent, has_sums, dims};
            CAPTURE(size);
            CAPTURE(rows);
            check(shape, plan_blocks(shape));
          }
        }
      }
    }
  }
}

TEST_CASE("every row has one group of lanes, and every element one part") {
  each_shape([](const BlockShape& shape, const BlockPlan& plan) {
    const int64_t each = plan.rows_each * plan.how().rows;
    CHECK(plan.row_blocks * each >= shape.rows);
    CHECK((plan.row_blocks - 1) * each < shape.rows);
    CHECK(plan.parts * plan.part_size >= shape.size);
    CHECK((plan.parts == 1 || (plan.parts - 1) * plan.part_size < shape.size));
    CHECK(plan.blocks() < (int64_t{1} << 31));  // that CUDA has
  });
}

TEST_CASE("a schedule is for the layout, and splits rows where there are parts") {
  each_shape([](const BlockShape& shape, const BlockPlan& plan) {
    CHECK(plan.how().dims == shape.dims);
    CHECK(plan.how().is_adjacent == (shape.is_adjacent && shape.dims == 1));
    CHECK(plan.how().is_split == (plan.parts > 1));
    CHECK(plan.phases(2) == (plan.parts > 1 ? 3 : 1));
    CHECK(plan.scratch(shape, 1) == (plan.parts > 1 ? shape.rows * plan.parts * 8 : 0));
  });
}

TEST_CASE("few rows are added up in float32, and what is left of them is known") {
  each_shape([](const BlockShape& shape, const BlockPlan& plan) {
    if (shape.has_sums && shape.rows < int64_t{1} << 32) CHECK(plan.rows_each <= 64);
    CHECK(plan.sums(shape) <= plan.row_blocks * plan.how().rows);
    CHECK(plan.sums(shape) * plan.rows_each >= shape.rows);
    CHECK(plan.sums(shape) <= shape.rows);
  });
  const BlockShape shape{100, 1001, false, true};
  const BlockPlan plan = plan_blocks(shape);
  CHECK(plan.how().name == "lanes32");
  CHECK(plan.sums(shape) == 1001);
  const BlockShape sums = shape_of_sums(shape, plan);
  CHECK(sums.size == 1001);
  CHECK(sums.rows == 100);
  CHECK(sums.is_adjacent);
}

TEST_CASE("every schedule has its shapes") {
  std::set<std::string> chosen;
  each_shape([&](const BlockShape&, const BlockPlan& plan) {
    chosen.insert(std::string(plan.how().name));
  });
  CHECK(chosen.size() == std::size(kSchedules));
  CHECK(plan_blocks({70000, 1, false, false}).how().name == "split");
  CHECK(plan_blocks({70000, 1000, false, false}).how().name == "block");
  CHECK(plan_blocks({50, 1000, false, false}).how().name == "lanes8");
  CHECK(plan_blocks({4096, 64, true, false}).how().name == "columns_split");
}

}  // namespace
}  // namespace opweave::blocks
