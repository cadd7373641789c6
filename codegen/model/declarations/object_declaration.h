// A type of objects that an entry of ops.yaml declares: `- object: Counter`.
#pragma once

#include <string>

namespace opweave::codegen {

struct ObjectDeclaration {
  std::string name;    // in schemas and in Python
  std::string cpp;     // `counting::Counter`
  std::string header;  // that declares it
  // The class that stands for it in Python, `counting.Counter`, made by an extension that registers
  // it; empty: one is made from the declaration.
  std::string python;
  std::string doc;
  bool imported = false;
};

}  // namespace opweave::codegen
