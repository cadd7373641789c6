// Reads a pickle opcode by opcode, and does nothing with it. Every length is checked against what
// is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opweave::python::pickling {

// How the argument of an opcode lies in the file: a number of so many bytes, or bytes after their
// number.
enum class Argument : uint8_t {
  kNone,
  kUint1,
  kUint2,
  kUint4,
  kUint8,
  kInt4,
  kFloat8,
  kBytes1,
  kBytes4,
  kBytes8,
  kTwoLines,
};

enum class Opcode : uint8_t {
#define OW_OPCODE(name, code, argument) k##name = code,
#include "bindings/python/core/pickling/opcodes.def"
};

struct Instruction {
  Opcode opcode;
  int64_t number = 0;       // of the number arguments
  double real = 0;          // of kFloat8
  std::string_view bytes;   // of the byte arguments; the first line of two
  std::string_view second;  // the second line
  size_t begin, end;        // where it lies in the pickle
};

class Reader {
 public:
  explicit Reader(std::string_view data) : data_(data) {}

  // The next instruction. Throws where there is none, where its argument reaches beyond the end,
  // and where its opcode is not one of opcodes.def.
  Instruction next();
  size_t position() const { return position_; }
  size_t size() const { return data_.size(); }

 private:
  std::string_view take(uint64_t bytes);
  std::string_view take_line();
  uint64_t take_number(int bytes);
  void read_argument(Argument argument, Instruction& instruction);

  std::string_view data_;
  size_t position_ = 0;
};

// Raises pickle.UnpicklingError.
[[noreturn]] void refuse(std::string_view message);

}  // namespace opweave::python::pickling
