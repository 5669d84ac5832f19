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

/// The entities of tags such as O, B-PER, I-PER, in order. An I that follows no entity of its type begins one. E and S
/// (IOBES) are known too. Follows seqeval without a mode, and thereby conlleval.pl.
std::vector<Entity> entities_in(std::span<const std::string> tags);

/// The entities that are in both lists.
std::vector<Entity> common_entities(std::vector<Entity> a, std::vector<Entity> b);

}  // namespace portatune::tasks
