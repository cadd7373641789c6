// Trees of elements as C++ over a target's math vocabulary `m`: what is used several times becomes
// a variable first. What leaves are called is a matter of the kernel around it.
#pragma once

#include <map>
#include <string>

#include "codegen/emit/text/printer.h"
#include "codegen/expr/element.h"

namespace opweave::codegen {

class ElementText {
 public:
  virtual ~ElementText() = default;

  // Of a root that is going to be printed; before the first is.
  void count_uses(const ElementNode& root);
  // The node as an expression, behind the variables in body().
  std::string value(const ElementNode& node);
  Printer& body() { return body_; }

 protected:
  // An argument, a question about one, the extent of axes.
  virtual std::string leaf(const ElementNode& node) = 0;
  // What a node is called that something else has computed; empty if nothing has.
  virtual std::string known(const ElementNode&) { return {}; }
  // The text of a node with operands, which others may stand for.
  virtual std::string alternatives(const ElementNode&, std::string text) { return text; }
  // Whether they are made of what they stand for, which then is a variable; otherwise it is only
  // computed where they say so.
  virtual bool alternatives_read_it() const { return true; }
  // Whether the alternatives are to be looked at.
  virtual bool has_alternatives(const ElementNode&) const { return false; }

  std::string named(const std::string& text);

  std::map<const ElementNode*, int> uses_;

 private:
  std::string expression(const ElementNode& node);

  std::map<const ElementNode*, std::string> names_;
  int variables_ = 0;
  Printer body_;
};

}  // namespace opweave::codegen
