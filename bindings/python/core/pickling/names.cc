// Follows the strings of a pickle as far as names are made of them.
#include "bindings/python/core/pickling/names.h"

#include <map>
#include <optional>
#include <vector>

#include "bindings/python/core/pickling/reader.h"

namespace opweave::python::pickling {
namespace {

using Text = std::optional<std::string_view>;  // none: an object that is not a string

// The two objects that were pushed last, and the strings of the memo. A writer pushes both names
// right before StackGlobal, so that nothing else of the stack matters.
class Strings {
 public:
  void follow(const Instruction& i) {
    switch (i.opcode) {
      case Opcode::kUnicode1:
      case Opcode::kUnicode4:
      case Opcode::kUnicode8:
        return push(i.bytes);
      case Opcode::kGet1:
      case Opcode::kGet4: {
        const auto found = memo_.find(i.number);
        return push(found == memo_.end() ? Text() : found->second);
      }
      case Opcode::kPut1:
      case Opcode::kPut4:
        return keep(i.number);
      case Opcode::kMemoize:
        return keep(kept_);
      default:
        return push(std::nullopt);
    }
  }
  Name name() const {
    if (!last_ || !before_) refuse("it asks for a class whose name is not a string");
    return {std::string(*before_), std::string(*last_)};
  }

 private:
  void push(Text text) { before_ = std::exchange(last_, text); }
  void keep(int64_t index) {
    if (last_)
      memo_[index] = *last_;
    else
      memo_.erase(index);
    ++kept_;
  }

  Text before_, last_;
  std::map<int64_t, std::string_view> memo_;
  int64_t kept_ = 0;
};

}  // namespace

// What follows a second line would be read as instructions.
static std::string line(const std::string& text) {
  if (text.find('\n') != std::string::npos) refuse("the name of a class has more than one line");
  return text + "\n";
}

std::string rename_globals(std::string_view pickle,
                           const std::function<Name(const Name&)>& rename) {
  std::map<Name, std::string> written;
  const auto write = [&](const Name& name) -> const std::string& {
    auto found = written.find(name);
    if (found == written.end()) {
      const Name renamed = rename(name);
      found = written.emplace(name, "c" + line(renamed.first) + line(renamed.second)).first;
    }
    return found->second;
  };
  Reader reader(pickle);
  Strings strings;
  std::string result;
  result.reserve(pickle.size());
  for (;;) {
    const Instruction i = reader.next();
    if (i.opcode == Opcode::kGlobal) {
      result += write({std::string(i.bytes), std::string(i.second)});
    } else if (i.opcode == Opcode::kStackGlobal) {
      result += "00" + write(strings.name());
    } else if (i.opcode != Opcode::kFrame) {
      result += pickle.substr(i.begin, i.end - i.begin);
    }
    strings.follow(i);
    if (i.opcode == Opcode::kStop) return result;
  }
}

}  // namespace opweave::python::pickling
