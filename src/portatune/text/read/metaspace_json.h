// Metaspace, which is a pre-tokenizer and a decoder with the same fields.
#pragma once

#include <string>

#include "portatune/text/pretokenize/metaspace.h"
#include "portatune/text/read/json.h"

namespace portatune::text {

MetaspaceOptions read_metaspace(const Json& json);

/// Reads a string of one character.
std::string read_character(const Json& json);

}  // namespace portatune::text
