// The components of tokenizer.json.
#pragma once

#include <string>

#include "portatune/text/pattern/pattern.h"
#include "portatune/text/read/json.h"
#include "portatune/text/read/spec.h"

namespace portatune::text {

/// All of them, as in the file.
TokenizerSpec parse_tokenizer_json(const JsonFile& json);

// errors of all: CheckpointError that names the component and where it stands, for one that Portatune lacks too
NormalizerPtr read_normalizer(const Json& json);
PreTokenizerPtr read_pre_tokenizer(const Json& json);
ModelPtr read_model(const Json& json);
PostProcessor read_post_processor(const Json& json);
DecoderPtr read_decoder(const Json& json);

/// What a component calls itself.
std::string_view type_of(const Json& component);

/// A component of a kind ("normalizer") that is none of `known`.
[[noreturn]] void throw_unknown(const Json& component, const std::string& kind, const std::string& known);

/// {"String": ...} or {"Regex": ...}, the pattern of Split and Replace.
PatternPtr read_pattern(const Json& json);

/// Vocabulary of WordPiece and BPE: an object from tokens to ids.
Vocabulary read_vocabulary(const Json& json);

}  // namespace portatune::text
