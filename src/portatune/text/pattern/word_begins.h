// Where words begin, for sixty-four characters at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace portatune::text {

/// Where, behind text[at], words of WordRules::kGpt2 begin, if one begins there: bit i for text[at + i]. Of the next 64
/// characters, and only such as are settled by ASCII characters among these: the end of the last word is left open.
uint64_t begins_of_gpt2_words(std::string_view text, size_t at);

}  // namespace portatune::text
