// Names of repositories on the Hugging Face Hub.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portatune::io {

enum class HubKind { kModel, kDataset };

/// A repository of the Hub in one of its revisions.
struct HubName {
  std::string name;               ///< "org/name"; the oldest names have no slash
  std::string revision = "main";  ///< a branch, a tag, a commit, or a reference such as "refs/pr/1"
  HubKind kind = HubKind::kModel;

  /// Parses "name", "org/name" and "org/name@revision". Returns nothing for other texts.
  static std::optional<HubName> parse(const std::string& text, HubKind kind = HubKind::kModel);
};

/// "org/name", with "@revision" unless it is main.
std::string to_string(const HubName& name);

/// Returns whether a text can be a part of a name or of a revision, so that it names one entry of a folder.
bool is_word(std::string_view text);

/// Returns whether a text is the hash of a commit: 40 hex digits.
bool is_commit(std::string_view text);

}  // namespace portatune::io
