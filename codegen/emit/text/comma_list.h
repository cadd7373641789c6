// Lists in generated text: what stands between commas.
#pragma once

#include <string>
#include <string_view>

namespace opweave::codegen {

// For lists that are made item by item.
class CommaList {
 public:
  void add(std::string_view item) {
    if (!text_.empty()) text_ += ", ";
    text_ += item;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// What `project` makes of each element.
template <class Range, class Project>
std::string comma_list(const Range& range, Project project) {
  CommaList list;
  for (const auto& item : range) list.add(project(item));
  return list.text();
}

}  // namespace opweave::codegen
