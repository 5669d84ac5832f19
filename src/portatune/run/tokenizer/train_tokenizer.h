// Tokenizers that learn their vocabulary from rows of texts: `portatune tokenizer train`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/text.h"

namespace portatune::run {

struct TrainTokenizerOptions {
  std::vector<std::string> files;  ///< files of rows
  std::string text_column = "text";
  text::TokenizerTrainingOptions training;
  std::filesystem::path output;  ///< a folder that does not exist, or is empty
};

struct TrainedTokenizer {
  int64_t vocab_size = 0;
  int64_t rows = 0;
};

/// Writes the folder of a tokenizer, completely or not at all.
/// errors  UsageError for an output with files; Stopped; those of the rows and of text::TokenizerTrainer
TrainedTokenizer train_tokenizer(const TrainTokenizerOptions& options, Events& events);

}  // namespace portatune::run
