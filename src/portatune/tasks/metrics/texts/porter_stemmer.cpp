#include "portatune/tasks/metrics/texts/porter_stemmer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace portatune::tasks {
namespace {

// Whether each letter is a consonant. A y is one at the beginning and after a vowel.
std::vector<bool> consonants(std::string_view word) {
  std::vector<bool> result;
  for (const char c : word) {
    const bool is_vowel = std::string_view("aeiou").find(c) != std::string_view::npos;
    result.push_back(c == 'y' ? result.empty() || !result.back() : !is_vowel);
  }
  return result;
}

// Number of vowels that a consonant follows: m in Porter's [C](VC){m}[V].
int measure(std::string_view stem) {
  const std::vector<bool> consonant = consonants(stem);
  int count = 0;
  for (size_t i = 1; i < consonant.size(); ++i) count += !consonant[i - 1] && consonant[i] ? 1 : 0;
  return count;
}

bool has_vowel(std::string_view stem) {
  const std::vector<bool> consonant = consonants(stem);
  return std::ranges::find(consonant, false) != consonant.end();
}

bool ends_with_double_consonant(std::string_view word) {
  const size_t n = word.size();
  return n >= 2 && word[n - 1] == word[n - 2] && consonants(word).back();
}

// True for an end such as that of "hop": consonant, vowel and consonant, the last other than w, x and y. In nltk also
// for a word of a vowel and a consonant.
bool ends_with_short_syllable(std::string_view word) {
  const std::vector<bool> consonant = consonants(word);
  const size_t n = word.size();
  if (n == 2) return !consonant[0] && consonant[1];
  return n > 2 && consonant[n - 3] && !consonant[n - 2] && consonant[n - 1] &&
         std::string_view("wxy").find(word.back()) == std::string_view::npos;
}

struct Rule {
  std::string_view suffix, replacement;
};

// Replaces the first suffix that the word has, if the measure of the rest is above `least`.
std::string apply(const std::string& word, std::span<const Rule> rules, int least) {
  for (const auto& [suffix, replacement] : rules) {
    if (!word.ends_with(suffix)) continue;
    const std::string stem = word.substr(0, word.size() - suffix.size());
    return measure(stem) > least ? stem + std::string(replacement) : word;
  }
  return word;
}

std::string without(const std::string& word, std::string_view suffix) {
  return word.substr(0, word.size() - suffix.size());
}

// Plurals.
std::string step_1a(const std::string& word) {
  if (word.ends_with("ies")) return without(word, word.size() == 4 ? "s" : "es");
  if (word.ends_with("sses")) return without(word, "es");
  return word.ends_with("s") && !word.ends_with("ss") ? without(word, "s") : word;
}

// Restores the end of a stem that has lost "ed" or "ing".
std::string completed(const std::string& stem) {
  for (const std::string_view end : {"at", "bl", "iz"}) {
    if (stem.ends_with(end)) return stem + "e";
  }
  if (ends_with_double_consonant(stem)) {
    const bool keeps = std::string_view("lsz").find(stem.back()) != std::string_view::npos;
    return keeps ? stem : without(stem, "x");
  }
  return measure(stem) == 1 && ends_with_short_syllable(stem) ? stem + "e" : stem;
}

// Past tenses and participles.
std::string step_1b(const std::string& word) {
  if (word.ends_with("ied")) return without(word, word.size() == 4 ? "d" : "ed");
  if (word.ends_with("eed")) return measure(without(word, "eed")) > 0 ? without(word, "d") : word;
  for (const std::string_view suffix : {"ed", "ing"}) {
    if (word.ends_with(suffix) && has_vowel(without(word, suffix))) return completed(without(word, suffix));
  }
  return word;
}

// A final y after a consonant.
std::string step_1c(const std::string& word) {
  if (word.size() < 3 || !word.ends_with("y")) return word;
  const std::string stem = without(word, "y");
  return consonants(stem).back() ? stem + "i" : word;
}

std::string step_2(const std::string& word) {
  static constexpr std::array<Rule, 21> kRules = {
      {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"},
       {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"}, {"eli", "e"},     {"ousli", "ous"},
       {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},  {"alism", "al"},  {"iveness", "ive"},
       {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},  {"iviti", "ive"}, {"biliti", "ble"},
       {"fulli", "ful"}}};
  if (word.ends_with("alli") && measure(without(word, "alli")) > 0) return step_2(without(word, "li"));
  if (word.ends_with("logi")) return measure(without(word, "ogi")) > 0 ? without(word, "i") : word;
  return apply(word, kRules, 0);
}

std::string step_3(const std::string& word) {
  static constexpr std::array<Rule, 7> kRules = {
      {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}}};
  return apply(word, kRules, 0);
}

std::string step_4(const std::string& word) {
  static constexpr std::array<Rule, 18> kRules = {{{"al", ""},
                                                   {"ance", ""},
                                                   {"ence", ""},
                                                   {"er", ""},
                                                   {"ic", ""},
                                                   {"able", ""},
                                                   {"ible", ""},
                                                   {"ant", ""},
                                                   {"ement", ""},
                                                   {"ment", ""},
                                                   {"ent", ""},
                                                   {"ou", ""},
                                                   {"ism", ""},
                                                   {"ate", ""},
                                                   {"iti", ""},
                                                   {"ous", ""},
                                                   {"ive", ""},
                                                   {"ize", ""}}};
  if (!word.ends_with("ion")) return apply(word, kRules, 1);
  const std::string stem = without(word, "ion");
  return measure(stem) > 1 && (stem.ends_with("s") || stem.ends_with("t")) ? stem : word;
}

// A final e, and a double l.
std::string step_5(std::string word) {
  if (word.ends_with("e")) {
    const std::string stem = without(word, "e");
    const int m = measure(stem);
    if (m > 1 || (m == 1 && !ends_with_short_syllable(stem))) word = stem;
  }
  return word.ends_with("ll") && measure(without(word, "l")) > 1 ? without(word, "l") : word;
}

// The words to which no rule applies, with their stems.
std::string_view irregular_stem(std::string_view word) {
  using Stem = std::pair<std::string_view, std::string_view>;
  static constexpr Stem kStems[] = {
      {"sky", "sky"},        {"skies", "sky"},       {"dying", "die"},        {"lying", "lie"},
      {"tying", "tie"},      {"news", "news"},       {"innings", "inning"},   {"inning", "inning"},
      {"outings", "outing"}, {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
      {"howe", "howe"},      {"proceed", "proceed"}, {"exceed", "exceed"},    {"succeed", "succeed"}};
  const auto found = std::ranges::find(kStems, word, &Stem::first);
  return found == std::end(kStems) ? std::string_view() : found->second;
}

}  // namespace

std::string porter_stem(const std::string& word) {
  if (const std::string_view stem = irregular_stem(word); !stem.empty()) return std::string(stem);
  if (word.size() <= 2) return word;
  return step_5(step_4(step_3(step_2(step_1c(step_1b(step_1a(word)))))));
}

}  // namespace portatune::tasks
