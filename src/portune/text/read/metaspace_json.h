// Metaspace is a pre-tokenizer and a decoder, with the same fields.
#pragma once

#include <string>

#include "portune/text/pretokenize/metaspace.h"
#include "portune/text/read/json.h"

namespace portune::text {

MetaspaceOptions read_metaspace(const Json& json);

/// A string of one character.
std::string read_character(const Json& json);

}  // namespace portune::text
