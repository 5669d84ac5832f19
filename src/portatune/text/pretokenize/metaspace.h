// Metaspace: spaces become a visible character, at which words begin.
#pragma once

#include <string>

#include "portatune/text/pretokenize/pre_tokenizer.h"

namespace portatune::text {

/// Which texts get a space before them, unless they begin with one.
enum class PrependScheme { kAlways, kFirst, kNever };  // kFirst: what stands at the start of the original text

/// As in tokenizer.json.
struct MetaspaceOptions {
  std::string replacement = "\u2581";  ///< one character
  PrependScheme prepend_scheme = PrependScheme::kAlways;
  bool split = true;  ///< whether to cut at all
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
