// Readers of the components of tokenizer.json.
#pragma once

#include <string>

#include "portatune/text/pattern/pattern.h"
#include "portatune/text/read/json.h"
#include "portatune/text/read/spec.h"

namespace portatune::text {

/// Reads all components of the file.
TokenizerSpec parse_tokenizer_json(const JsonFile& json);

// Readers of one component.
// errors    CheckpointError that names the component and its position, also for a component that Portatune lacks
NormalizerPtr read_normalizer(const Json& json);
PreTokenizerPtr read_pre_tokenizer(const Json& json);
ModelPtr read_model(const Json& json);
PostProcessor read_post_processor(const Json& json);
DecoderPtr read_decoder(const Json& json);

/// The type that a component states.
std::string_view type_of(const Json& component);

/// Throws for a component of a kind ("normalizer") that is none of `known`.
[[noreturn]] void throw_unknown(const Json& component, const std::string& kind, const std::string& known);

/// Reads {"String": ...} or {"Regex": ...}, the pattern of Split and Replace.
PatternPtr read_pattern(const Json& json);

/// Reads the vocabulary of WordPiece and BPE: an object from tokens to ids.
Vocabulary read_vocabulary(const Json& json);

}  // namespace portatune::text
