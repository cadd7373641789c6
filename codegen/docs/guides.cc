// Pages of Markdown files, with links among them.
#include "codegen/docs/guides.h"

#include <algorithm>
#include <filesystem>

#include "codegen/docs/site.h"

namespace opweave::codegen {
namespace {

namespace fs = std::filesystem;

constexpr size_t kSectionsWithContents = 3;  // a shorter page needs no list of them

std::string page_name(const std::string& path) {
  std::string stem = fs::path(path).stem().string();
  std::ranges::transform(stem, stem.begin(), [](unsigned char c) { return std::tolower(c); });
  return "guides/" + stem + ".html";
}

// The sections that a page starts by listing.
Html contents(const std::vector<MarkdownSection>& sections) {
  Html list = html("ul", {{"class", "names"}}, {});
  for (const MarkdownSection& section : sections) {
    if (section.level == 2)
      list.add(html("li", std::vector<Html>{html_link("#" + section.id, section.title)}));
  }
  return html("nav", {{"aria-label", "Sections"}}, {std::move(list)});
}

}  // namespace

Guides::Guides(const std::vector<GuideFile>& files) {
  for (const GuideFile& file : files) pages_[file.path] = page_name(file.path);
  for (const GuideFile& file : files) {
    MarkdownPage page =
        read_markdown(file.text, [&](const std::string& address, std::vector<Html> says) {
          return link(file.path, address, std::move(says));
        });
    std::vector<MarkdownSection>& sections = page.sections;
    const std::string title = sections.empty() ? file.path : sections.front().title;
    if (std::ranges::count(sections, 2, &MarkdownSection::level) >=
        std::ptrdiff_t{kSectionsWithContents})
      page.body.insert(page.body.begin() + 1, contents(sections));
    guides_.push_back(
        {pages_[file.path], title, {html("article", std::move(page.body))}, std::move(sections)});
  }
}

// A file that is no page of these is named: the reader has it, or finds it where the source is.
Html Guides::link(const std::string& from, const std::string& address,
                  std::vector<Html> says) const {
  const size_t hash = std::min(address.find('#'), address.size());
  const std::string file = address.substr(0, hash), fragment = address.substr(hash);
  const bool is_elsewhere = address.find("://") != std::string::npos;
  const std::string path = (fs::path(from).parent_path() / file).lexically_normal().string();
  const auto page = pages_.find(path);
  if (file.empty() || is_elsewhere) return html("a", {{"href", address}}, std::move(says));
  if (page != pages_.end())
    return html("a", {{"href", "../" + page->second + fragment}}, std::move(says));
  Html named = html("span", std::move(says));
  if (plain_text(named) == path) return html("code", path);
  return named.add(" (").add(html("code", path)).add(")");
}

Html Guides::list() const {
  Html list = html("ul", {{"class", "names"}}, {});
  for (const Guide& guide : guides_)
    list.add(html("li", std::vector<Html>{html_link(guide.page, guide.title)}));
  return list;
}

std::string Guides::search_entries() const {
  std::string text;
  for (const Guide& guide : guides_) {
    for (const MarkdownSection& section : guide.sections) {
      const bool is_page = &section == &guide.sections.front();
      text += search_entry(section.title, guide.page + (is_page ? "" : "#" + section.id),
                           is_page ? "Guides" : guide.title, section.text);
    }
  }
  return text;
}

}  // namespace opweave::codegen
