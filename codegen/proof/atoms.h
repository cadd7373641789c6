// The atoms of normal forms: arguments and functions of normal forms, told apart by number.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "codegen/expr/element.h"
#include "codegen/proof/rational.h"

namespace opweave::codegen {

struct NormalAtom {
  enum class Kind { plain, argument, exponential, root, sine, log };
  Kind kind = Kind::plain;
  Rational of;                            // of a root and a logarithm
  int cosine = 0;                         // of a sine: the atom of its cosine
  const ElementNode* argument = nullptr;  // of an argument
  bool uniform = false;                   // the same for every element
  int conjugate = -1;                     // the atom of its conjugate, if this is made as one
};

class NormalAtoms {
 public:
  // The atom of that key, made if there is none yet.
  int get(const std::string& key, NormalAtom made);
  const NormalAtom& operator[](int index) const { return known_[static_cast<size_t>(index)]; }

  bool is_uniform(const Polynomial& value) const;
  bool is_uniform(const Rational& value) const {
    return is_uniform(value.above()) && is_uniform(value.below());
  }

 private:
  std::map<std::string, int> by_key_;
  std::vector<NormalAtom> known_;
};

}  // namespace opweave::codegen
