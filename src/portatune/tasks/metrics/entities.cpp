#include "portatune/tasks/metrics/entities.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace portatune::tasks {
namespace {

// A tag such as B-PER, with mark B and type PER.
struct Tag {
  char mark = 'O';
  std::string_view type = "_";
};

Tag parse(std::string_view tag) {
  if (tag.empty()) return {};
  const char mark = tag.front();
  tag.remove_prefix(1);
  if (const size_t hyphen = tag.find('-'); hyphen != std::string_view::npos) tag.remove_prefix(hyphen + 1);
  return {mark, tag.empty() ? "_" : tag};
}

bool is_any(char mark, std::string_view marks) { return marks.find(mark) != std::string_view::npos; }

bool ends_before(const Tag& tag, const Tag& previous) {
  return is_any(previous.mark, "ES") || (is_any(previous.mark, "BI") && is_any(tag.mark, "BSO")) ||
         (!is_any(previous.mark, "O.") && previous.type != tag.type);
}

bool begins_with(const Tag& tag, const Tag& previous) {
  return is_any(tag.mark, "BS") || (is_any(tag.mark, "EI") && is_any(previous.mark, "ESO")) ||
         (!is_any(tag.mark, "O.") && previous.type != tag.type);
}

}  // namespace

std::vector<Entity> entities_in(std::span<const std::string> tags) {
  std::vector<Entity> entities;
  Tag previous;
  int64_t begin = 0;
  for (int64_t i = 0; i <= std::ssize(tags); ++i) {
    const Tag tag = i < std::ssize(tags) ? parse(tags[static_cast<size_t>(i)]) : Tag{};
    if (ends_before(tag, previous)) entities.push_back({std::string(previous.type), begin, i});
    if (begins_with(tag, previous)) begin = i;
    previous = tag;
  }
  return entities;
}

std::vector<Entity> common_entities(std::vector<Entity> a, std::vector<Entity> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  std::vector<Entity> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return common;
}

}  // namespace portatune::tasks
