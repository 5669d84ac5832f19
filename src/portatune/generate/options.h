// Reading and checking of GenerationOptions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "portatune/generation.h"

namespace portatune::io {
class JsonObject;
}

namespace portatune::generate {

/// The texts of values of options, by their names.
using OptionTexts = std::map<std::string, std::vector<std::string>>;

/// Options with some values replaced. max_length also replaces max_new_tokens, and min_length replaces min_new_tokens,
/// unless both are among the texts.
/// texts   texts that the options accept
GenerationOptions with_texts(GenerationOptions options, const OptionTexts& texts);

/// Number of new tokens at most, and at least before an eos token, after a prompt of this many tokens.
int64_t max_new_tokens(const GenerationOptions& options, int64_t prompt);
int64_t min_new_tokens(const GenerationOptions& options, int64_t prompt);

/// Reads options from a JSON object with the keys of generation_config.json, on top of `defaults`. The `unknown` keys
/// of `defaults` stay. Lengths replace each other as in with_texts().
/// errors  CheckpointError for a value of the wrong type
GenerationOptions read_options(const io::JsonObject& json, const GenerationOptions& defaults);

/// Checks the ranges of all options.
/// vocab_size  exclusive upper bound of token ids
/// errors      UsageError that names the option out of range
void check(const GenerationOptions& options, int64_t vocab_size);

}  // namespace portatune::generate
