// Finds the beginnings of words in 64 characters at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace portatune::text {

/// The beginnings of words of WordRules::kGpt2 after text[at], where a word must begin: bit i for text[at + i]. It
/// covers the next 64 characters, as far as ASCII characters among them decide; the end of the last word stays open.
uint64_t begins_of_gpt2_words(std::string_view text, size_t at);

}  // namespace portatune::text
