// Entities in tagged sentences, as seqeval counts them.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace portatune::tasks {

/// Words [begin, end) of a sentence.
struct Entity {
  std::string type;
  int64_t begin, end;
  auto operator<=>(const Entity&) const = default;
};

/// The entities that tags such as O, B-PER, I-PER spell, in order. An I that follows no entity of its type begins one;
/// E and S (IOBES) are known too. What seqeval does without a mode, which is what conlleval.pl does.
std::vector<Entity> entities_in(std::span<const std::string> tags);

}  // namespace portatune::tasks
