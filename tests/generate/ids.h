// Ids of tokens that a model with an encoder generates.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/generation.h"

namespace portatune {

using Ids = std::vector<int32_t>;

inline constexpr const char* kBart = PORTATUNE_TEST_DATA "/models/bart_lm";

inline std::vector<Ids> ids_of(const std::vector<Completion>& completions) {
  std::vector<Ids> ids;
  for (const Completion& completion : completions) ids.push_back(completion.ids);
  return ids;
}

}  // namespace portatune
