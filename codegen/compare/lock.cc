// Writing and checking of the lock file.
#include "codegen/compare/lock.h"

#include <map>

#include "codegen/compare/face.h"
#include "codegen/emit/entries/entries.h"

namespace opweave::codegen {
namespace {

// Forms that were made from another operator are locked with it.
std::string faces(const Operator& op) {
  std::string text = face(op);
  for (const Operator* form : {op.forms->inplace, op.forms->out}) {
    if (form != nullptr && form != &op) text += "\n" + face(*form);
  }
  return text;
}

bool is_locked(const Operator& op) {
  const bool made_from_another = op.forms->functional != nullptr && op.forms->functional != &op;
  return !op.origin.imported && !op.is_generated() && !op.face->internal && !made_from_another;
}

std::map<std::string, std::string, std::less<>> hashes(const Model& model) {
  std::map<std::string, std::string, std::less<>> by_name;
  for (const Operator* op : model.operators().all()) {
    if (is_locked(*op)) by_name[op->name.full] = text_hash(faces(*op));
  }
  return by_name;
}

// Lines "hash name"; others are comments.
std::map<std::string, std::string, std::less<>> read(std::string_view lock) {
  std::map<std::string, std::string, std::less<>> by_name;
  while (!lock.empty()) {
    const size_t end = lock.find('\n');
    const std::string_view line = lock.substr(0, end);
    lock.remove_prefix(end == std::string_view::npos ? lock.size() : end + 1);
    const size_t space = line.find(' ');
    if (line.empty() || line.starts_with('#') || space == std::string_view::npos) continue;
    by_name[std::string(line.substr(space + 1))] = std::string(line.substr(0, space));
  }
  return by_name;
}

}  // namespace

const char* const kLockAdvice =
    "`./dev diff HEAD` says whom a change breaks. "
    "If it is meant, `./dev lock` writes "
    "operators.lock anew.\n";

std::string print_lock(const Model& model) {
  std::string text =
      "# What callers of each operator depend on, as a hash. Written by `./dev "
      "lock`; a test compares\n"
      "# it with ops.yaml. `./dev diff HEAD` says whom a change breaks.\n";
  for (const auto& [name, hash] : hashes(model)) text += hash + " " + name + "\n";
  return text;
}

std::vector<std::string> check_lock(std::string_view lock, const Model& model) {
  std::vector<std::string> problems;
  const auto locked = read(lock), present = hashes(model);
  for (const auto& [name, hash] : locked) {
    const auto found = present.find(name);
    if (found == present.end()) {
      problems.push_back("'" + name + "' is locked and was removed or became internal");
    } else if (found->second != hash) {
      problems.push_back("'" + name + "' is not what was locked: it is now " +
                         face(*model.operators().find(name)));
    }
  }
  for (const auto& [name, hash] : present) {
    if (!locked.contains(name)) problems.push_back("'" + name + "' is new and not locked yet");
  }
  return problems;
}

}  // namespace opweave::codegen
