// The layout of texts and special tokens in an example.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "portatune/text.h"

namespace portatune::text {

/// The part of a text that a token is from: its offsets, and the index of its word.
struct TokenSource {
  Offsets offsets;
  int32_t word_id = 0;
  bool operator==(const TokenSource&) const = default;
};

/// The tokens of one text. `sources` is empty or as long as `ids`.
struct Sequence {
  std::vector<int32_t> ids;
  std::vector<TokenSource> sources;

  void resize(size_t size);
};

/// TemplateProcessing of `tokenizers`, such as [CLS] A [SEP] B [SEP]; it includes BertProcessing.
struct Template {
  /// A text, or special tokens.
  struct Part {
    int32_t sequence = -1;  ///< 0 the first text, 1 the second, -1 special tokens
    int32_t type_id = 0;
    std::vector<int32_t> special_ids;
  };
  std::vector<Part> single, pair;

  const std::vector<Part>& parts(bool is_pair) const { return is_pair ? pair : single; }
  /// Number of special tokens.
  int64_t added_tokens(bool is_pair) const;
};

/// The templates A and A B, where B has type 1.
Template plain_template();

/// The templates [CLS] A [SEP] and [CLS] A [SEP] B [SEP], where B and the last [SEP] have type 1.
Template bert_template(int32_t cls_id, int32_t sep_id);

/// The templates <s> A </s> and <s> A </s></s> B </s>, all of type 0.
Template roberta_template(int32_t cls_id, int32_t sep_id);

/// The templates [bos] A [eos] and [bos] A [eos] [bos] B [eos], where the second half has type 1. Either token may be
/// missing.
Template bos_eos_template(std::optional<int32_t> bos_id, std::optional<int32_t> eos_id);

/// Assembles an example. It reads only those options that leave something out.
Encoding assemble(const std::vector<Template::Part>& parts, const Sequence& first, const Sequence& second,
                  const EncodeOptions& options);

/// Assembles an example of ids and type ids only, and appends it to the vectors. `type_ids` may be null.
void assemble(const std::vector<Template::Part>& parts, const std::vector<int32_t>& first,
              const std::vector<int32_t>& second, bool add_special_tokens, std::vector<int32_t>& ids,
              std::vector<int32_t>* type_ids);

}  // namespace portatune::text
