#include <limits>

#include "portatune/text/model/bpe.h"
#include "portatune/text/model/unigram.h"
#include "portatune/text/model/wordpiece.h"
#include "portatune/text/read/components.h"
#include "portatune/text/read/merges.h"

namespace portatune::text {
namespace {

ModelPtr read_wordpiece(const Json& json) {
  constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();
  WordPieceOptions options{.unk_token = std::string(json.at("unk_token").string()),
                           .continuing_subword_prefix = std::string(json.at("continuing_subword_prefix").string()),
                           .max_input_chars_per_word = json.at("max_input_chars_per_word").integer(0, kNoLimit)};
  return std::make_unique<WordPiece>(std::move(options), read_vocabulary(json.at("vocab")), json.file());
}

// Reads pairs ["a", "b"] or, in older files, strings "a b".
Bpe::Pairs read_merges(const Json& json) {
  Bpe::Pairs merges;
  json.for_each([&](const Json& merge) {
    if (merge.is_string()) {
      if (merge.string().starts_with(kVersionLine)) return;
      const auto pair = split_merge(merge.string());
      if (!pair) merge.fail("two tokens with a space between them");
      merges.push_back(*pair);
      return;
    }
    const simdjson::dom::array pair = merge.array();
    if (pair.size() != 2) merge.fail("two tokens");
    merges.emplace_back(merge.member("0", pair.at(0)).string(), merge.member("1", pair.at(1)).string());
  });
  return merges;
}

ModelPtr read_bpe(const Json& json) {
  if (const auto dropout = json.find("dropout"); dropout && dropout->number() != 0) {
    dropout->fail("null: Portatune does not drop merges at random");
  }
  BpeOptions options{.continuing_subword_prefix = std::string(json.string_or("continuing_subword_prefix", "")),
                     .end_of_word_suffix = std::string(json.string_or("end_of_word_suffix", "")),
                     .fuse_unk = json.boolean_or("fuse_unk", false),
                     .byte_fallback = json.boolean_or("byte_fallback", false),
                     .ignore_merges = json.boolean_or("ignore_merges", false)};
  if (const auto unk = json.find("unk_token")) options.unk_token = unk->string();
  return std::make_unique<Bpe>(std::move(options), read_vocabulary(json.at("vocab")), read_merges(json.at("merges")),
                               json.file());
}

ModelPtr read_unigram(const Json& json) {
  if (const auto alpha = json.find("alpha"); alpha && alpha->number() != 0) {
    alpha->fail("null: Portatune does not sample");
  }
  Vocabulary vocabulary;
  std::vector<double> scores;
  json.at("vocab").for_each([&](const Json& entry) {
    const simdjson::dom::array pair = entry.array();
    if (pair.size() != 2) entry.fail("a token and its score");
    const std::string_view token = entry.member("0", pair.at(0)).string();
    if (static_cast<int64_t>(token.size()) > kMaxTokenBytes) entry.fail("a token of at most 65536 bytes");
    if (std::ssize(scores) == kMaxTokens) entry.fail("at most 4000000 tokens");
    vocabulary.add(token, static_cast<int32_t>(scores.size()));
    scores.push_back(entry.member("1", pair.at(1)).number());
  });
  UnigramOptions options{.byte_fallback = json.boolean_or("byte_fallback", false)};
  if (const auto unk = json.find("unk_id")) options.unk_id = static_cast<int32_t>(unk->integer(0, kMaxId));
  return std::make_unique<Unigram>(options, std::move(vocabulary), std::move(scores), json.file());
}

}  // namespace

ModelPtr read_model(const Json& json) {
  // Files of the first versions do not state the type.
  const bool typed = json.find("type").has_value();
  const std::string_view type = typed                        ? type_of(json)
                                : json.find("merges")        ? "BPE"
                                : json.at("vocab").is_list() ? "Unigram"
                                                             : "WordPiece";
  if (type == "WordPiece") return read_wordpiece(json);
  if (type == "BPE") return read_bpe(json);
  if (type == "Unigram") return read_unigram(json);
  throw_unknown(json, "model", "WordPiece, BPE or Unigram");
}

}  // namespace portatune::text
