#include "portatune/text/read/marian.h"

#include <limits>
#include <set>

#include "portatune/error.h"
#include "portatune/text/decode/marian.h"
#include "portatune/text/model/renamed_pieces.h"
#include "portatune/text/model/unigram.h"
#include "portatune/text/normalize/precompiled.h"
#include "portatune/text/pretokenize/sentencepiece_words.h"
#include "portatune/text/read/added_ids.h"
#include "portatune/text/read/components.h"
#include "portatune/text/read/sentencepiece_model.h"

namespace portatune::text {
namespace {

namespace fs = std::filesystem;

constexpr const char *kSourceModel = "source.spm", *kTargetModel = "target.spm";

[[noreturn]] void refuse(const fs::path& file, const std::string& given) {
  throw CheckpointError({.where = file.string(),
                         .given = given,
                         .expected = "a Unigram model whose pieces are parts of words, with a space before each word",
                         .fix = "convert the tokenizer to a tokenizer.json"});
}

SentencePieceModel read_model_of_words(const fs::path& file) {
  SentencePieceModel model = read_sentencepiece_model(file);
  if (model.kind != SentencePieceModel::Kind::kUnigram) refuse(file, "a BPE model");
  if (model.byte_fallback) refuse(file, "a model with bytes for unknown characters");
  if (!model.has_usual_spaces) refuse(file, "another rule for spaces");
  for (const auto& piece : model.pieces) {
    if (piece.user_defined) refuse(file, "the symbol \"" + piece.text + "\", which is found before the others");
    if (piece.text.find(kVisibleSpace, 1) != std::string::npos) refuse(file, "the piece \"" + piece.text + "\"");
  }
  return model;
}

// The model that splits words. Its unknown token, the last one, has no text.
ModelPtr splitter_of(const SentencePieceModel& model, int32_t& unknown_piece, const std::string& where) {
  Vocabulary vocabulary;
  std::vector<double> scores;
  for (const auto& piece : model.pieces) {
    if (piece.control || piece.unknown || piece.unused || piece.text.empty()) continue;
    vocabulary.add(piece.text, static_cast<int32_t>(scores.size()));
    scores.push_back(piece.score);
  }
  unknown_piece = static_cast<int32_t>(scores.size());
  scores.push_back(std::numeric_limits<double>::infinity());
  return std::make_unique<Unigram>(UnigramOptions{.unk_id = unknown_piece, .rounds_sums = true}, std::move(vocabulary),
                                   std::move(scores), where);
}

NormalizerPtr normalizer_of(const SentencePieceModel& model, const fs::path& file) {
  if (model.charsmap.empty()) return nullptr;
  try {
    return std::make_unique<Precompiled>(model.charsmap, CharsmapRule::kSentencePiece);
  } catch (const UsageError& error) {
    throw CheckpointError({.where = file.string(), .given = error.report().given, .expected = error.report().expected});
  }
}

DecoderPtr decoder_of(const SentencePieceModel& model, const std::vector<AddedToken>& added) {
  std::set<std::string> special, pieces, controls;
  for (const AddedToken& token : added) {
    if (token.special) special.insert(token.content);
  }
  for (const auto& piece : model.pieces) (piece.control ? controls : pieces).insert(piece.text);
  return std::make_unique<MarianDecoder>(std::move(special), std::move(pieces), std::move(controls));
}

TokenizerConfig with_names(TokenizerConfig config) {
  const auto name = [](std::optional<AddedToken>& token, const char* content) {
    if (!token) token = AddedToken{.content = content, .special = true};
  };
  name(config.unk_token, "<unk>");
  name(config.eos_token, "</s>");
  name(config.pad_token, "<pad>");
  return config;
}

}  // namespace

bool is_marian(const fs::path& folder) {
  if (fs::exists(folder / "tokenizer.json") || fs::exists(folder / "vocab.txt")) return false;
  return fs::exists(folder / kSourceModel) && fs::exists(folder / kTargetModel) && fs::exists(folder / "vocab.json");
}

TokenizerSpec read_marian(const fs::path& folder, const TokenizerConfig& given, MarianSide side) {
  const TokenizerConfig config = with_names(given);
  const bool is_target = side == MarianSide::kTarget, has_own_ids = is_target && config.separate_vocabs;
  const fs::path file = folder / (is_target ? kTargetModel : kSourceModel);
  const fs::path ids = folder / (has_own_ids ? "target_vocab.json" : "vocab.json");
  const SentencePieceModel model = read_model_of_words(file);
  Vocabulary vocabulary = read_vocabulary(JsonFile(ids).root());
  const std::optional<int32_t> unk_id = vocabulary.find(config.unk_token->content);
  if (!unk_id) {
    throw CheckpointError({.where = ids.string(),
                           .given = "no token \"" + config.unk_token->content + "\"",
                           .expected = "the unknown token, which stands for pieces without an id"});
  }
  TokenizerSpec spec;
  int32_t unknown_piece = 0;
  ModelPtr splitter = splitter_of(model, unknown_piece, file.string());
  spec.normalizer = normalizer_of(model, file);
  spec.pre_tokenizer = std::make_unique<SentencePieceWords>();
  spec.model = std::make_unique<RenamedPieces>(std::move(splitter), unknown_piece, std::move(vocabulary), *unk_id);
  spec.added_tokens = tokens_to_add(config);
  const int32_t eos_id = id_of_added(*spec.model, spec.added_tokens, config.eos_token->content, ids.string());
  const Template::Part first{.sequence = 0}, second{.sequence = 1}, eos{.special_ids = {eos_id}};
  spec.post_processor.layout = {.single = {first, eos}, .pair = {first, second, eos}};
  // transformers decodes targets with the pieces of sources, unless each side has its own ids.
  const bool decodes_with_source = is_target && !has_own_ids;
  spec.decoder =
      decoder_of(decodes_with_source ? read_sentencepiece_model(folder / kSourceModel) : model, spec.added_tokens);
  return spec;
}

}  // namespace portatune::text
