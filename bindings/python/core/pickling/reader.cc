// Instructions of a pickle from its bytes.
#include "bindings/python/core/pickling/reader.h"

#include <array>
#include <bit>
#include <optional>

#include "runtime/core/base/error.h"

namespace opweave::python::pickling {
namespace {

constexpr std::array<std::optional<Argument>, 256> kArguments = [] {
  std::array<std::optional<Argument>, 256> table{};
#define OW_OPCODE(name, code, argument) table[code] = Argument::argument;
#include "bindings/python/core/pickling/opcodes.def"
  return table;
}();

}  // namespace

std::string_view Reader::take(uint64_t bytes) {
  const size_t left = data_.size() - position_;
  if (bytes > left) {
    refuse(str("the pickle ends too early: ", bytes, " bytes are announced at byte ", position_,
               ", and ", left, " are left"));
  }
  const std::string_view taken = data_.substr(position_, bytes);
  position_ += bytes;
  return taken;
}

std::string_view Reader::take_line() {
  const size_t end = data_.find('\n', position_);
  if (end == std::string_view::npos) {
    refuse(str("the pickle ends within the name that begins at byte ", position_));
  }
  const std::string_view line = take(end - position_);
  ++position_;
  return line;
}

// Little-endian, as all numbers of pickles but the floats are.
uint64_t Reader::take_number(int bytes) {
  const std::string_view taken = take(static_cast<uint64_t>(bytes));
  uint64_t number = 0;
  for (int i = bytes; i-- > 0;) {
    number = number << 8 | static_cast<uint8_t>(taken[static_cast<size_t>(i)]);
  }
  return number;
}

void Reader::read_argument(Argument argument, Instruction& to) {
  switch (argument) {
    case Argument::kNone:
      break;
    case Argument::kUint1:
      to.number = static_cast<int64_t>(take_number(1));
      break;
    case Argument::kUint2:
      to.number = static_cast<int64_t>(take_number(2));
      break;
    case Argument::kUint4:
      to.number = static_cast<int64_t>(take_number(4));
      break;
    case Argument::kUint8:
      to.number = static_cast<int64_t>(take_number(8));
      break;
    case Argument::kInt4:
      to.number = static_cast<int32_t>(take_number(4));
      break;
    case Argument::kFloat8:
      to.real = std::bit_cast<double>(__builtin_bswap64(take_number(8)));
      break;
    case Argument::kBytes1:
      to.bytes = take(take_number(1));
      break;
    case Argument::kBytes4:
      to.bytes = take(take_number(4));
      break;
    case Argument::kBytes8:
      to.bytes = take(take_number(8));
      break;
    case Argument::kTwoLines:
      to.bytes = take_line();
      to.second = take_line();
      break;
  }
}

Instruction Reader::next() {
  if (position_ == data_.size()) refuse("the pickle has no end");
  Instruction instruction{};
  instruction.begin = position_;
  const uint8_t code = static_cast<uint8_t>(data_[position_++]);
  if (!kArguments[code]) {
    refuse(str("the pickle has an opcode that is not read, ", int{code}, ", at byte ",
               instruction.begin));
  }
  instruction.opcode = static_cast<Opcode>(code);
  read_argument(*kArguments[code], instruction);
  instruction.end = position_;
  return instruction;
}

}  // namespace opweave::python::pickling
