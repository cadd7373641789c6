// Where tiles, rows and blocks lie.
#include "kernels/cpu/folds/fold_places.h"

#include <algorithm>

#include "kernels/plans/divide_up.h"

namespace opweave::cpu {

FoldPlaces::FoldPlaces(const FoldRange& range)
    : range_(range),
      kept_(range.plan->kept),
      folded_(range.plan->folded),
      first_result_(range.spec->first_result()),
      num_operands_(range.spec->num_operands()),
      num_places_(range.spec->num_places()),
      item_(range.stage->computed_item()),
      elements_(folded_.numel()) {}

void FoldPlaces::each_tile(function_ref<void()> run) {
  const int64_t inner = kept_.ndim() == 0 ? 1 : kept_.sizes[0];
  const int64_t tiles = plans::divide_up(inner, range_.tile);
  for (int64_t i = range_.begin; i < range_.end; ++i) {
    const int64_t outer = i / tiles, from = (i - outer * tiles) * range_.tile;
    for (int k = 0; k < num_places_; ++k) first_[k] = from * row_step(k);
    if (kept_.ndim() > 1) kept_.add_offsets(outer, num_places_, first_, /*first=*/1);
    rows_ = std::min(range_.tile, inner - from);
    run();
  }
}

FoldStage::Place FoldPlaces::place(int k, int64_t offset, int64_t row_stride, int64_t stride,
                                   int64_t rows, int64_t n) const {
  char* const begin = static_cast<char*>(range_.data[k]);
  return {begin == nullptr ? nullptr : begin + offset * range_.stage->item(k), row_stride, stride,
          rows, n};
}

void FoldPlaces::keep(int k, int64_t nbytes) {
  owned_.emplace_back(new char[static_cast<size_t>(nbytes)]);
  kept_memory_[k] = owned_.back().get();
  kept_results_ |= 1u << k;
}

void FoldPlaces::read_numbers(int operand, void* to) const {
  const int64_t offset = first_[operand], step = row_step(operand);
  if (range_.is_staged(operand))
    return range_.stage->read(operand, place(operand, offset, 0, step, 1, rows_), to, 0, 1);
  copy_numbers(static_cast<char*>(to), 1, direct(operand, offset), step);
}

void FoldPlaces::write_numbers(int operand, const void* from) const {
  const int64_t offset = first_[operand], step = row_step(operand);
  if (range_.is_staged(operand))
    return range_.stage->write(operand, place(operand, offset, 0, step, 1, rows_), from, 0, 1);
  copy_numbers(direct(operand, offset), step, static_cast<const char*>(from), 1);
}

// A few, mostly: less than a call of what copies many.
void FoldPlaces::copy_numbers(char* to, int64_t to_step, const char* from,
                              int64_t from_step) const {
  const auto copy = [&]<class Word>(Word) {
    for (int64_t r = 0; r < rows_; ++r)
      reinterpret_cast<Word*>(to)[r * to_step] = reinterpret_cast<const Word*>(from)[r * from_step];
  };
  item_ == 4 ? copy(uint32_t()) : copy(uint64_t());
}

// --- rows ---------------------------------------------------------------------------------------

RowPlaces::RowPlaces(const FoldRange& range) : FoldPlaces(range) {
  if (folded_.ndim() > 0) run_ = folded_.sizes[0];
  per_run_ = plans::divide_up(run_, kFoldBlock);
  blocks_ = run_ == 0 ? 0 : elements_ / run_ * per_run_;
  is_flat_ = blocks_ == 1;
  for (int k = 0; k < num_operands_; ++k) {
    if (!range.is_staged(k) || is_number(k)) continue;
    is_flat_ = false;
    if (k < first_result_ || range.data[k] == nullptr) continue;
    keep(k, range.tile * blocks_ * kFoldBlock * item_);
  }
}

int64_t RowPlaces::find(int64_t r, int64_t b, int64_t* offsets) const {
  for (int k = 0; k < num_places_; ++k) offsets[k] = first_[k] + r * row_step(k);
  if (blocks_ <= 1) return run_;
  const int64_t run = b / per_run_, begin = (b - run * per_run_) * kFoldBlock;
  for (int k = 0; k < num_places_; ++k) offsets[k] += begin * folded_.stride(k, 0);
  if (run != 0) folded_.add_offsets(run, num_places_, offsets, /*first=*/1);
  return std::min(kFoldBlock, run_ - begin);
}

int64_t RowPlaces::locate(int64_t r, int64_t b, BlockMemory& memory, char** places,
                          int64_t* coordinates) const {
  int64_t offsets[kMost];
  const int64_t count = find(r, b, offsets);
  std::copy(offsets + num_operands_, offsets + num_places_, coordinates);
  for (int k = 0; k < num_operands_; ++k) {
    if (is_number(k)) {
      places[k] = nullptr;
      continue;
    }
    if (!range_.is_staged(k)) {
      places[k] = direct(k, offsets[k]);
      continue;
    }
    char* const kept = kept_block(k, r, b);
    places[k] = kept != nullptr ? kept : memory.of(k, num_operands_, kFoldBlock * item_);
    if (k < first_result_ && is_there(k))
      range_.stage->read(k, place(k, offsets[k], 0, folded_.stride(k, 0), 1, count), places[k], 0,
                         1);
  }
  return count;
}

char* RowPlaces::kept_block(int k, int64_t r, int64_t b) const {
  if (!is_kept(k)) return nullptr;
  return &kept_memory_[k][static_cast<size_t>((r * blocks_ + b) * kFoldBlock * item_)];
}

void RowPlaces::leave(int64_t r, int64_t b) const {
  if (range_.staged == 0) return;
  int64_t offsets[kMost];
  const int64_t count = find(r, b, offsets);
  for (int k = first_result_; k < num_operands_; ++k) {
    if (!is_kept(k)) continue;
    range_.stage->write(k, place(k, offsets[k], 0, folded_.stride(k, 0), 1, count),
                        kept_block(k, r, b), 0, 1);
  }
}

// --- columns ------------------------------------------------------------------------------------

ColumnPlaces::ColumnPlaces(const FoldRange& range) : FoldPlaces(range) {
  constexpr int64_t kWidest = 16;  // lanes of a vector, some of which may be idle
  width_ = range.tile + kWidest;
  if (folded_.ndim() > 0) run_ = folded_.sizes[0];
  for (int k = num_operands_; k < num_places_; ++k) steps_[k] = folded_.stride(k, 0);
  for (int k = 0; k < num_operands_; ++k) {
    steps_[k] = folded_.stride(k, 0);
    if (steps_[k] > kColumnsTile / 2) together_ = 4;
    if (k >= first_result_ && range.is_staged(k) && is_there(k))
      keep(k, elements_ * width_ * item_);
  }
}

ColumnPlaces::Cursor ColumnPlaces::begin() const {
  Cursor cursor;
  std::copy_n(first_, num_places_, cursor.offsets);
  return cursor;
}

int64_t ColumnPlaces::enter(const Cursor& cursor, int64_t most, char** places, int64_t* pitches) {
  const int64_t count = std::min(most, run_ - cursor.in_run);
  for (int k = 0; k < num_operands_; ++k) {
    if (is_number(k)) {
      places[k] = nullptr;
      pitches[k] = 0;
      continue;
    }
    if (!range_.is_staged(k)) {
      places[k] = direct(k, cursor.offsets[k]);
      pitches[k] = steps_[k];
      continue;
    }
    pitches[k] = width_;
    if (is_kept(k)) {
      places[k] = &kept_memory_[k][static_cast<size_t>(cursor.index * width_ * item_)];
      continue;
    }
    places[k] = memory_.of(k, num_operands_, kBlock * width_ * item_);
    if (k < first_result_ && is_there(k))
      range_.stage->read(k, place(k, cursor.offsets[k], steps_[k], row_step(k), count, rows_),
                         places[k], width_, 1);
  }
  return count;
}

void ColumnPlaces::leave(Cursor& cursor, int64_t count) const {
  for (int k = first_result_; k < num_operands_; ++k) {
    if (!is_kept(k)) continue;
    range_.stage->write(k, place(k, cursor.offsets[k], steps_[k], row_step(k), count, rows_),
                        &kept_memory_[k][static_cast<size_t>(cursor.index * width_ * item_)],
                        width_, 1);
  }
  skip(cursor, count);
}

void ColumnPlaces::skip(Cursor& cursor, int64_t count) const {
  cursor.index += count;
  cursor.in_run += count;
  for (int k = 0; k < num_places_; ++k) cursor.offsets[k] += count * steps_[k];
  if (cursor.in_run < run_) return;
  cursor.in_run = 0;
  std::copy_n(first_, num_places_, cursor.offsets);
  folded_.add_offsets(cursor.index / run_, num_places_, cursor.offsets, /*first=*/1);
}

}  // namespace opweave::cpu
