// Where the rows of a tile, and blocks of their elements, lie: what loops over rows and over
// columns ask, whatever the instruction set and the type.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cpu/folds/fold_loops.h"
#include "runtime/core/base/function_ref.h"

namespace opweave::cpu {

// Memory beside operands: a block of each that is staged. Of inputs that are not there it stays
// zero.
class BlockMemory {
 public:
  char* of(int operand, int num_operands, int64_t nbytes) {
    if (memory_ == nullptr) memory_.reset(new char[static_cast<size_t>(num_operands * nbytes)]());
    return &memory_[static_cast<size_t>(operand * nbytes)];
  }

 private:
  std::unique_ptr<char[]> memory_;
};

// Behind the operands are coordinates, which are offsets themselves.
class FoldPlaces {
 public:
  static constexpr int kMost = plans::kMaxFoldOperands;

  explicit FoldPlaces(const FoldRange& range);

  // Calls run() for each tile of the range, with this at it.
  void each_tile(function_ref<void()> run);

  int64_t rows() const { return rows_; }
  int64_t elements() const { return elements_; }
  // The numbers of the rows, in the type of the computation.
  void read_numbers(int operand, void* to) const;
  void write_numbers(int operand, const void* from) const;
  // Of coordinates: of the first element of a row, and from one row to the next.
  int64_t coordinate(int k, int64_t r) const {
    return first_[num_operands_ + k] + r * row_step(num_operands_ + k);
  }
  int64_t coordinate_row_step(int k) const { return row_step(num_operands_ + k); }
  bool is_there(int operand) const { return range_.data[operand] != nullptr; }

 protected:
  bool is_number(int k) const { return range_.spec->is_number(k); }
  int64_t row_step(int k) const { return kept_.stride(k, 0); }
  char* direct(int k, int64_t offset) const {
    return static_cast<char*>(range_.data[k]) + offset * item_;
  }
  void copy_numbers(char* to, int64_t to_step, const char* from, int64_t from_step) const;
  // Of an operand that passes through the stage.
  FoldStage::Place place(int k, int64_t offset, int64_t row_stride, int64_t stride, int64_t rows,
                         int64_t n) const;

  const FoldRange& range_;
  const plans::FoldDims &kept_, &folded_;
  const int first_result_, num_operands_, num_places_;
  const int64_t item_;      // bytes of an element in the type of the computation
  const int64_t elements_;  // of a row
  int64_t rows_ = 0;
  int64_t first_[kMost];  // where the first row begins, in elements of each operand
  // Of results that are staged, all elements of a tile: a later walk may read what an earlier one
  // has written.
  bool is_kept(int k) const { return (kept_results_ >> k & 1) != 0; }
  void keep(int k, int64_t nbytes);
  uint32_t kept_results_ = 0;
  char* kept_memory_[kMost];

 private:
  std::vector<std::unique_ptr<char[]>> owned_;
};

// Rows whose elements lie next to one another, in blocks of at most kFoldBlock.
class RowPlaces : public FoldPlaces {
 public:
  explicit RowPlaces(const FoldRange& range);

  int64_t blocks() const { return blocks_; }
  // Whether every row is one block of operands that are read where they lie: begins at first(k),
  // then by step(k).
  bool is_flat() const { return is_flat_; }
  int64_t count() const { return run_; }
  char* first(int k) const { return direct(k, first_[k]); }
  int64_t step(int k) const { return row_step(k) * item_; }
  // Of coordinates, from one element to the next.
  int64_t coordinate_step(int k) const { return folded_.stride(num_operands_ + k, 0); }
  // Where block b of row r begins, by operand, and its coordinates; returns how many elements it
  // has.
  int64_t locate(int64_t r, int64_t b, BlockMemory& memory, char** places,
                 int64_t* coordinates) const;
  // Results of a block that are elsewhere go where they belong.
  void leave(int64_t r, int64_t b) const;

 private:
  int64_t find(int64_t r, int64_t b, int64_t* offsets) const;
  char* kept_block(int k, int64_t r, int64_t b) const;

  int64_t run_ = 1;                   // elements that lie next to one another
  int64_t per_run_ = 1, blocks_ = 1;  // blocks of a run, and of a row
  bool is_flat_ = false;
};

// Rows that lie side by side, element by element.
class ColumnPlaces : public FoldPlaces {
 public:
  using FoldPlaces::coordinate;

  explicit ColumnPlaces(const FoldRange& range);

  // On the way along the elements.
  struct Cursor {
    int64_t index = 0;   // of the element
    int64_t in_run = 0;  // where in its run
    int64_t offsets[kMost];
  };
  Cursor begin() const;
  // Where at most so many of the next elements of the first row are, by operand, and how far from
  // one to the next, in elements of the computation; returns how many.
  int64_t enter(const Cursor& cursor, int64_t most, char** places, int64_t* pitches);
  // Of coordinates: of an element of the first row, and from one to the next.
  int64_t coordinate(const Cursor& cursor, int k) const {
    return cursor.offsets[num_operands_ + k];
  }
  int64_t coordinate_step(int k) const { return steps_[num_operands_ + k]; }
  // Past `count` elements, whose results that are elsewhere go where they belong.
  void leave(Cursor& cursor, int64_t count) const;
  void skip(Cursor& cursor, int64_t count) const;

  // Elements far from one another are read a few at a time.
  int64_t together() const { return together_; }
  // Elements that are added up in the type of the computation.
  static constexpr int64_t kBlock = 64;

 private:
  int64_t run_ = 1;
  int64_t together_ = kBlock;
  int64_t width_;  // rows of a tile, beside the operands
  int64_t steps_[kMost];
  BlockMemory memory_;
};

}  // namespace opweave::cpu
