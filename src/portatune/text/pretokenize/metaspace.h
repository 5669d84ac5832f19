// Metaspace: turns spaces into a visible character, at which words begin.
#pragma once

#include <string>

#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

/// The texts that get a space before them, unless they begin with one.
enum class PrependScheme { kAlways, kFirst, kNever };  // kFirst: only at the start of the original text

/// The options in tokenizer.json.
struct MetaspaceOptions {
  std::string replacement = "\u2581";  ///< one character
  PrependScheme prepend_scheme = PrependScheme::kAlways;
  bool split = true;  ///< split into words
};

class Metaspace final : public PreTokenizer {
 public:
  explicit Metaspace(MetaspaceOptions options) : options_(std::move(options)) {}
  const MetaspaceOptions& options() const { return options_; }

  void split(Words& words) const override;
  bool needs_origins() const override { return options_.prepend_scheme == PrependScheme::kFirst; }
  bool works_by_segment() const override { return options_.split; }

 private:
  MetaspaceOptions options_;
};

}  // namespace portatune::text
