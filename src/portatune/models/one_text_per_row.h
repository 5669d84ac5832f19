// Models whose results depend on where a text ends in its row, which therefore cannot be packed.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "portatune/error.h"
#include "portatune/models.h"

namespace portatune::models {

/// A body that refuses packed inputs derives from this class, too.
class OneTextPerRow {
 public:
  virtual ~OneTextPerRow() = default;

  /// The largest length to which a batch may be padded without other results, if its longest text has `tokens`.
  virtual int64_t max_padded_length(int64_t tokens) const = 0;
};

/// The same for any model.
inline int64_t max_padded_length(const TextModel& model, int64_t tokens) {
  const auto* body = dynamic_cast<const OneTextPerRow*>(&model.body());
  return body == nullptr ? std::numeric_limits<int64_t>::max() : body->max_padded_length(tokens);
}

/// False if the model's body refuses packed inputs.
inline bool can_be_packed(const TextModel& model) {
  return dynamic_cast<const OneTextPerRow*>(&model.body()) == nullptr;
}

/// The error of packed inputs for such a body.
inline UsageError one_text_per_row(const std::string& class_prefix) {
  return UsageError({.where = "packing",
                     .given = "a " + class_prefix + " model, which reads one text per row",
                     .expected = "a model that keeps the texts of a row apart",
                     .fix = "use --padding in place of --packing"});
}

}  // namespace portatune::models
