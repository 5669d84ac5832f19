// Fill-mask: the most probable tokens at the mask tokens of a text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "portatune/option_fields.h"
#include "portatune/tasks.h"

namespace portatune {

struct TaskSpec;

struct FillMaskOptions {
  std::string text_column = "text";
  /// Tokens of a text, special ones included; longer texts are cut. None: the positions of the model, at most 512.
  std::optional<int64_t> max_length;
  int64_t top_k = 5;  ///< number of tokens for each mask

  void describe(OptionFields& fields);
};

/// A task that predicts with a masked language model, as the fill-mask pipeline of transformers does. A line of
/// predictions is {"masks": [[{"score": ..., "token": ..., "token_str": ..., "sequence": ...}, ...], ...]} with a list
/// for each mask token, the most probable token first. The sequence is the text with this token; other mask tokens stay
/// in it. It learns nothing.
/// errors  those of masked_lm; DataError that names the row for a text without the mask token
std::unique_ptr<RowTask> fill_mask(const ModelSource& model, FillMaskOptions options);
/// The task "fill-mask", with FillMaskOptions.
const TaskSpec& fill_mask_spec();

}  // namespace portatune
