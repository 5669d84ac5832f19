// SentencePiece models, by the rules of transformers' classes.
#include <algorithm>
#include <map>

#include "portatune/error.h"
#include "portatune/text/decode/bytes.h"
#include "portatune/text/decode/pieces.h"
#include "portatune/text/decode/strings.h"
#include "portatune/text/model/bpe.h"
#include "portatune/text/model/unigram.h"
#include "portatune/text/normalize/characters.h"
#include "portatune/text/normalize/ends.h"
#include "portatune/text/normalize/precompiled.h"
#include "portatune/text/normalize/replace.h"
#include "portatune/text/normalize/sequence.h"
#include "portatune/text/normalize/unicode_form.h"
#include "portatune/text/pretokenize/character_split.h"
#include "portatune/text/pretokenize/metaspace.h"
#include "portatune/text/pretokenize/sequence.h"
#include "portatune/text/read/added_ids.h"
#include "portatune/text/read/sentencepiece_model.h"
#include "portatune/text/read/spec.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

constexpr const char* kSpace = "\u2581";
using Pieces = std::vector<SentencePieceModel::Piece>;

Vocabulary vocabulary_of(const Pieces& pieces) {
  Vocabulary vocabulary;
  vocabulary.reserve(pieces.size(), 8 * pieces.size());
  for (size_t id = 0; id < pieces.size(); ++id) vocabulary.add(pieces[id].text, static_cast<int32_t>(id));
  return vocabulary;
}

ModelPtr unigram(const Pieces& pieces, int32_t unk_id, bool byte_fallback, const std::string& where) {
  std::vector<double> scores;
  for (const auto& piece : pieces) scores.push_back(piece.score);
  const UnigramOptions options{.unk_id = unk_id, .byte_fallback = byte_fallback};
  return std::make_unique<Unigram>(options, vocabulary_of(pieces), std::move(scores), where);
}

// All ways to build a piece from two others, in the order of the pieces, the shortest left half first.
Bpe::Pairs merges_of(const Pieces& pieces, const Vocabulary& vocabulary) {
  Bpe::Pairs merges;
  for (const auto& piece : pieces) {
    const std::string_view text = piece.text;
    if (text.empty()) continue;
    size_t at = 0;
    next_code_point(text, at);
    for (; at < text.size(); next_code_point(text, at)) {
      const std::string_view left = text.substr(0, at), right = text.substr(at);
      if (vocabulary.find(left) && vocabulary.find(right)) merges.emplace_back(left, right);
    }
  }
  return merges;
}

ModelPtr bpe(const Pieces& pieces, BpeOptions options, const std::string& where) {
  Vocabulary vocabulary = vocabulary_of(pieces);
  const Bpe::Pairs merges = merges_of(pieces, vocabulary);
  return std::make_unique<Bpe>(std::move(options), std::move(vocabulary), merges, where);
}

NormalizerPtr charsmap_of(const SentencePieceModel& model, const std::string& where) {
  if (model.charsmap.empty()) return nullptr;
  try {
    return std::make_unique<Precompiled>(model.charsmap);
  } catch (const UsageError& error) {
    throw CheckpointError({.where = where, .given = error.report().given, .expected = error.report().expected});
  }
}

NormalizerPtr replace(const char* from, const char* to) {
  return std::make_unique<ReplaceNormalizer>(literal_pattern(from), to);
}

// Sets stages for the words between whitespace, each with a visible space before it.
void set_metaspace(bool add_prefix_space, TokenizerSpec& spec) {
  std::vector<PreTokenizerPtr> stages;
  stages.push_back(std::make_unique<PropertySplit>(Property::kSpace, SplitBehavior::kRemoved));
  stages.push_back(std::make_unique<Metaspace>(
      MetaspaceOptions{.prepend_scheme = add_prefix_space ? PrependScheme::kAlways : PrependScheme::kNever}));
  spec.pre_tokenizer = std::make_unique<PreTokenizerSequence>(std::move(stages));
  spec.decoder = std::make_unique<MetaspaceDecoder>(kSpace, add_prefix_space);
}

DecoderPtr byte_fallback_decoder(bool strip) {
  std::vector<DecoderPtr> stages;
  stages.push_back(std::make_unique<ReplaceDecoder>(literal_pattern(kSpace), " "));
  stages.push_back(std::make_unique<ByteFallbackDecoder>());
  stages.push_back(std::make_unique<FuseDecoder>());
  if (strip) stages.push_back(std::make_unique<StripDecoder>(" ", 1, 0));
  return std::make_unique<DecoderSequence>(std::move(stages));
}

void name(std::optional<AddedToken>& token, const char* content) {
  if (!token) token = AddedToken{.content = content, .special = true};
}

// The input of one class of transformers.
struct Source {
  SentencePieceModel model;
  TokenizerConfig config;
  std::string where;

  void finish(TokenizerSpec& spec) const {
    spec.added_tokens = tokens_to_add(config);
    for (const auto& piece : model.pieces) {
      if (!piece.control && !piece.user_defined) continue;
      const bool known = std::any_of(spec.added_tokens.begin(), spec.added_tokens.end(),
                                     [&](const AddedToken& token) { return token.content == piece.text; });
      if (!known) spec.added_tokens.push_back({.content = piece.text, .special = piece.control});
    }
  }
  int32_t id(const TokenizerSpec& spec, const std::optional<AddedToken>& token) const {
    return id_of_added(*spec.model, spec.added_tokens, token->content, where);
  }
};

TokenizerSpec read_albert(Source source) {
  TokenizerConfig& config = source.config;
  name(config.bos_token, "[CLS]");
  name(config.eos_token, "[SEP]");
  name(config.unk_token, "<unk>");
  name(config.sep_token, "[SEP]");
  name(config.pad_token, "<pad>");
  name(config.cls_token, "[CLS]");
  name(config.mask_token, "[MASK]");
  TokenizerSpec spec;
  std::vector<NormalizerPtr> normalizers;
  normalizers.push_back(replace("``", "\""));
  normalizers.push_back(replace("''", "\""));
  if (!config.keep_accents) {
    normalizers.push_back(std::make_unique<UnicodeNormalizer>(UnicodeForm::kNfkd));
    normalizers.push_back(std::make_unique<StripAccents>());
  }
  if (config.do_lower_case.value_or(true)) normalizers.push_back(std::make_unique<Lowercase>());
  if (auto charsmap = charsmap_of(source.model, source.where)) normalizers.push_back(std::move(charsmap));
  spec.normalizer = std::make_unique<NormalizerSequence>(std::move(normalizers));
  constexpr int32_t kUnkId = 1;
  spec.model = unigram(source.model.pieces, kUnkId, false, source.where);
  set_metaspace(config.add_prefix_space.value_or(true), spec);
  source.finish(spec);
  spec.post_processor.layout = bert_template(source.id(spec, config.cls_token), source.id(spec, config.sep_token));
  return spec;
}

TokenizerSpec read_deberta_v2(Source source) {
  TokenizerConfig& config = source.config;
  name(config.bos_token, "[CLS]");
  name(config.eos_token, "[SEP]");
  name(config.unk_token, "[UNK]");
  name(config.sep_token, "[SEP]");
  name(config.pad_token, "[PAD]");
  name(config.cls_token, "[CLS]");
  name(config.mask_token, "[MASK]");
  TokenizerSpec spec;
  std::vector<NormalizerPtr> normalizers;
  if (config.do_lower_case.value_or(false)) normalizers.push_back(std::make_unique<Lowercase>());
  normalizers.push_back(std::make_unique<ReplaceNormalizer>(regex_pattern("\\s{2,}|[\\n\\r\\t]"), " "));
  normalizers.push_back(std::make_unique<UnicodeNormalizer>(UnicodeForm::kNfc));
  normalizers.push_back(std::make_unique<Strip>(false, true));
  spec.normalizer = std::make_unique<NormalizerSequence>(std::move(normalizers));
  std::vector<PreTokenizerPtr> stages;
  if (config.split_by_punct) {
    stages.push_back(std::make_unique<PropertySplit>(kPunctuation, SplitBehavior::kIsolated));
  }
  const bool has_prefix = config.add_prefix_space.value_or(true);
  stages.push_back(std::make_unique<Metaspace>(
      MetaspaceOptions{.prepend_scheme = has_prefix ? PrependScheme::kAlways : PrependScheme::kFirst}));
  spec.pre_tokenizer = std::make_unique<PreTokenizerSequence>(std::move(stages));
  spec.decoder = std::make_unique<MetaspaceDecoder>(kSpace, true);
  spec.model = unigram(source.model.pieces, source.model.unk_id, false, source.where);
  source.finish(spec);
  spec.post_processor.layout = bert_template(source.id(spec, config.cls_token), source.id(spec, config.sep_token));
  return spec;
}

TokenizerSpec read_t5(Source source) {
  TokenizerConfig& config = source.config;
  name(config.eos_token, "</s>");
  name(config.unk_token, "<unk>");
  name(config.pad_token, "<pad>");
  for (int64_t i = config.extra_ids; i-- > 0;) {
    const std::string token = "<extra_id_" + std::to_string(i) + ">";
    source.model.pieces.push_back({.text = token});
    config.added_tokens.push_back({.content = token, .special = true});
  }
  TokenizerSpec spec;
  spec.normalizer = charsmap_of(source.model, source.where);
  constexpr int32_t kUnkId = 2;
  spec.model = unigram(source.model.pieces, kUnkId, false, source.where);
  set_metaspace(true, spec);
  source.finish(spec);
  const Template::Part eos{.special_ids = {source.id(spec, config.eos_token)}};
  const Template::Part first{.sequence = 0}, second{.sequence = 1};
  spec.post_processor.layout = {.single = {first, eos}, .pair = {first, eos, second, eos}};
  return spec;
}

// The ids of Fairseq, whose first four differ from the file's.
TokenizerSpec read_xlm_roberta(Source source) {
  TokenizerConfig& config = source.config;
  name(config.bos_token, "<s>");
  name(config.eos_token, "</s>");
  name(config.unk_token, "<unk>");
  name(config.sep_token, "</s>");
  name(config.pad_token, "<pad>");
  name(config.cls_token, "<s>");
  name(config.mask_token, "<mask>");
  Pieces pieces;
  for (const auto* token : {&config.bos_token, &config.pad_token, &config.eos_token, &config.unk_token}) {
    pieces.push_back({.text = (*token)->content});
  }
  constexpr size_t kOfTheFile = 3;
  const Pieces& file = source.model.pieces;
  pieces.insert(pieces.end(), file.begin() + static_cast<std::ptrdiff_t>(std::min(kOfTheFile, file.size())),
                file.end());
  pieces.push_back({.text = config.mask_token->content});
  TokenizerSpec spec;
  spec.normalizer = charsmap_of(source.model, source.where);
  constexpr int32_t kUnkId = 3;
  spec.model = unigram(pieces, kUnkId, false, source.where);
  set_metaspace(config.add_prefix_space.value_or(true), spec);
  source.finish(spec);
  spec.post_processor.layout = roberta_template(source.id(spec, config.bos_token), source.id(spec, config.eos_token));
  return spec;
}

void set_bos_and_eos(const Source& source, TokenizerSpec& spec) {
  const TokenizerConfig& config = source.config;
  const bool bos = config.add_bos_token.value_or(false), eos = config.add_eos_token.value_or(false);
  spec.post_processor.layout = bos_eos_template(bos ? std::optional(source.id(spec, config.bos_token)) : std::nullopt,
                                                eos ? std::optional(source.id(spec, config.eos_token)) : std::nullopt);
}

TokenizerSpec read_llama(Source source) {
  TokenizerConfig& config = source.config;
  name(config.bos_token, "<s>");
  name(config.eos_token, "</s>");
  name(config.unk_token, "<unk>");
  const bool prefix = config.add_prefix_space.value_or(true);
  TokenizerSpec spec;
  spec.pre_tokenizer =
      std::make_unique<Metaspace>(MetaspaceOptions{.prepend_scheme = !prefix         ? PrependScheme::kNever
                                                                     : config.legacy ? PrependScheme::kAlways
                                                                                     : PrependScheme::kFirst,
                                                   .split = false});
  spec.model = bpe(source.model.pieces, {.fuse_unk = true, .byte_fallback = true}, source.where);
  spec.decoder = byte_fallback_decoder(prefix);
  source.finish(spec);
  set_bos_and_eos(source, spec);
  return spec;
}

// The rules if no class is named.
TokenizerSpec read_plain(Source source) {
  const SentencePieceModel& model = source.model;
  name(source.config.bos_token, model.bos_piece.c_str());
  name(source.config.eos_token, model.eos_piece.c_str());
  name(source.config.unk_token, model.unk_piece.c_str());
  TokenizerSpec spec;
  std::vector<NormalizerPtr> normalizers;
  if (auto charsmap = charsmap_of(model, source.where)) normalizers.push_back(std::move(charsmap));
  normalizers.push_back(replace(" ", kSpace));
  spec.normalizer = std::make_unique<NormalizerSequence>(std::move(normalizers));
  if (model.kind == SentencePieceModel::Kind::kUnigram) {
    spec.model = unigram(model.pieces, model.unk_id, model.byte_fallback, source.where);
  } else {
    BpeOptions options{.unk_token = model.unk_piece, .fuse_unk = true, .byte_fallback = model.byte_fallback};
    spec.model = bpe(model.pieces, std::move(options), source.where);
  }
  if (model.byte_fallback) {
    spec.decoder = byte_fallback_decoder(false);
  } else {
    spec.decoder = std::make_unique<ReplaceDecoder>(literal_pattern(kSpace), " ");
  }
  source.finish(spec);
  set_bos_and_eos(source, spec);
  return spec;
}

}  // namespace

TokenizerSpec read_sentencepiece(const std::filesystem::path& file, const TokenizerConfig& config) {
  using Read = TokenizerSpec (*)(Source);
  static const std::map<std::string, Read> classes{{"AlbertTokenizer", read_albert},
                                                   {"DebertaV2Tokenizer", read_deberta_v2},
                                                   {"T5Tokenizer", read_t5},
                                                   {"XLMRobertaTokenizer", read_xlm_roberta},
                                                   {"LlamaTokenizer", read_llama},
                                                   {"TokenizersBackend", read_plain},
                                                   {"PreTrainedTokenizer", read_plain},
                                                   {"", read_plain}};
  // Only DeBERTa has this file, and its older folders name no class.
  const bool is_deberta = config.tokenizer_class.empty() && file.filename() == "spm.model";
  const auto found = classes.find(is_deberta ? "DebertaV2Tokenizer" : config.tokenizer_class);
  if (found == classes.end()) {
    throw CheckpointError({.where = file.string(),
                           .given = "tokenizer_class \"" + config.tokenizer_class + "\"",
                           .expected = "AlbertTokenizer, DebertaV2Tokenizer, T5Tokenizer, XLMRobertaTokenizer, "
                                       "LlamaTokenizer or none",
                           .fix = "save the tokenizer with transformers, which writes tokenizer.json"});
  }
  return found->second({read_sentencepiece_model(file), config, file.string()});
}

}  // namespace portatune::text
