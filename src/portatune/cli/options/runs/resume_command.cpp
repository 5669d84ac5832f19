#include "portatune/cli/options/runs/resume_command.h"

#include <algorithm>
#include <string_view>

#include "portatune/base/text/shell_word.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/cli/options/names/own_words.h"

namespace portatune::cli {
namespace {

constexpr std::string_view kOption = "--resume-from-checkpoint", kNewest = "--resume";

// Options that start a new run.
bool is_left_out(const std::string& option) {
  return option == kNewest || option == "--overwrite-output" || option == "--overwrite-output-dir";
}

}  // namespace

std::string command_of(const std::vector<std::string>& words) {
  std::string command = "portatune";
  for (const std::string& word : words) command += " " + shell_word(without_secrets(word));
  return command;
}

std::string resume_command(const std::vector<std::string>& words, const std::string& checkpoint) {
  std::string command = "portatune";
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view name = std::string_view(words[i]).substr(0, words[i].find('='));
    const std::string option = with_hyphens(std::string(name));
    if (is_left_out(option)) {
      if (i + 1 < words.size() && !as_bool(words[i + 1]).empty()) ++i;  // --resume True
      continue;
    }
    if (option != kOption) {
      command += " " + shell_word(without_secrets(words[i]));
    } else if (name.size() == words[i].size()) {
      ++i;  // its value is the next word
    }
  }
  if (checkpoint.empty()) return command + " " + std::string(kNewest);
  return command + " " + std::string(kOption) + " " + shell_word(checkpoint);
}

std::string note_on_secrets(const std::vector<std::string>& words) {
  const bool has_secrets =
      std::ranges::any_of(words, [](const std::string& word) { return without_secrets(word) != word; });
  return has_secrets ? "the secrets of URLs are left out: write them again in place of \"...\"" : "";
}

}  // namespace portatune::cli
