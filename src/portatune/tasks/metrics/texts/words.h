// Words and n-grams of texts, for metrics that compare texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::tasks {

/// Whether a character is white space: Python's str.isspace().
bool is_white_space(char32_t c);

/// A text without white space at both ends: Python's str.strip().
std::string_view stripped(std::string_view text);

/// The words between white space: Python's str.split().
std::vector<std::string> words_of(std::string_view text);

/// The sequences of n consecutive words, sorted.
std::vector<std::string> ngrams(const std::vector<std::string>& words, size_t n);

/// Number of elements that two sorted lists share, each as often as it is in both.
int64_t shared(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace portatune::tasks
