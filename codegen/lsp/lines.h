// Places in a text as language servers count them: lines from 0, and in a line UTF-16 units from 0.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace opweave::codegen::lsp {

struct Place {
  uint32_t line = 0;
  uint32_t character = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
};

// The text must live as long. Lines end with \n, \r\n or \r.
class Lines {
 public:
  explicit Lines(std::string_view text);

  Place place(uint32_t offset) const;
  // What lies behind a line is its end, what lies behind the text the text's.
  uint32_t offset(Place place) const;

 private:
  std::string_view text_;
  std::vector<uint32_t> starts_;
};

}  // namespace opweave::codegen::lsp
