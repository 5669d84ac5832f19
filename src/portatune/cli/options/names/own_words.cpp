#include "portatune/cli/options/names/own_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/base/text/utf8.h"
#include "portatune/cli/options/names/options_in_value.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

// A word in Portatune's names, and the name in the given word that it comes from.
struct ReplacedWord {
  std::string own, given;
};

// The name of the option in a word: the part before "=".
std::string name_in(const std::string& word) { return word.substr(0, word.find('=')); }

// A reader of words from left to right.
class WordReader {
 public:
  WordReader(const std::vector<std::string>& words, const CLI::App& command, const std::string& where)
      : words_(words), command_(command), where_(where) {}

  std::vector<ReplacedWord> read() {
    for (; at_ < words_.size(); ++at_) take(with_hyphens(words_[at_]));
    if (refused_.empty()) return std::move(own_);
    throw UsageError({.where = where_, .given = "unknown option " + list_of(refused_), .fix = advice()});
  }

 private:
  void take(const std::string& word) {
    const std::string name = name_in(word), assigned = word.substr(name.size());
    std::optional<std::string> value;
    if (!assigned.empty()) value = assigned.substr(1);
    const CLI::Option* option = name.starts_with("--") ? command_.get_option_no_throw(name) : nullptr;
    const OtherOption* other = option == nullptr ? find_other_option(name) : nullptr;
    if (option != nullptr && option->get_expected_max() == 0 && !value) {
      const std::optional<std::string> next = next_bool();
      add(next ? name + "=" + *next : word, name);
    } else if (const auto newest = resumes_from_newest(name, value ? *value : word_ahead()); option && newest) {
      if (!value) ++at_;
      if (*newest) add("--resume", name);
    } else if (holds_options(name)) {
      take_options_in(name, value ? *value : next_word());
    } else if (other == nullptr) {
      add(word, name);
    } else if (other->is_synonym()) {
      add(other->our_option() + assigned, name);
    } else {
      replace(name, *other, value ? *value : next_value(*other));
    }
  }

  void take_options_in(const std::string& name, const std::string& value) {
    for (const OptionAndValue& one : options_in_value(name, value, where_)) {
      add(one.option + "=" + one.value, name);
    }
  }

  void replace(const std::string& name, const OtherOption& other, const std::string& value) {
    const std::string answer = refusal_of(other, value);
    if (!answer.empty()) {
      refused_.push_back(name);
      answers_.push_back(answer);
    } else if (!other.ours.empty() && as_bool(value) == "true") {
      add(std::string(other.ours), name);
    }
  }

  void add(std::string own, const std::string& given) { own_.push_back({.own = std::move(own), .given = given}); }

  std::string advice() const {
    if (answers_.size() == 1) return answers_.front();
    std::string text;
    for (size_t i = 0; i < answers_.size(); ++i) {
      text += (i == 0 ? "" : "\n            ") + refused_[i] + ": " + answers_[i];
    }
    return text;
  }

  std::string next_value(const OtherOption& other) {
    return other.is_flag() ? next_bool().value_or("true") : next_word();
  }

  std::string word_ahead() const { return at_ + 1 < words_.size() ? words_[at_ + 1] : ""; }

  // Empty if there is no further word that is a value.
  std::string next_word() {
    const std::string word = word_ahead();
    if (at_ + 1 == words_.size() || word.starts_with("--")) return "";
    ++at_;
    return word;
  }

  std::optional<std::string> next_bool() {
    const std::string truth = as_bool(word_ahead());
    if (truth.empty()) return std::nullopt;
    ++at_;
    return truth;
  }

  const std::vector<std::string>& words_;
  const CLI::App& command_;
  const std::string& where_;
  size_t at_ = 0;
  std::vector<ReplacedWord> own_;
  std::vector<std::string> refused_, answers_;
};

}  // namespace

std::string with_hyphens(std::string word) {
  if (!word.starts_with("--")) return word;
  std::replace(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size())), '_',
               '-');
  return word;
}

std::vector<std::string> in_own_words(const std::vector<std::string>& words, const CLI::App& command,
                                      const std::string& where) {
  std::vector<std::string> own;
  for (ReplacedWord& word : WordReader(words, command, where).read()) own.push_back(std::move(word.own));
  return own;
}

std::vector<std::string> names_given(const std::vector<std::string>& words, const CLI::App& command,
                                     const CLI::Option& option) {
  std::vector<std::string> names;
  for (const auto& [own, given] : WordReader(words, command, command.get_name()).read()) {
    if (!own.starts_with("--") || command.get_option_no_throw(name_in(own)) != &option) continue;
    if (std::ranges::find(names, given) == names.end()) names.push_back(given);
  }
  return names;
}

}  // namespace portatune::cli
