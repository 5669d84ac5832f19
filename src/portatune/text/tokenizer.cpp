#include <algorithm>

#include "portatune/base/text/message.h"
#include "portatune/base/threads/thread_pool.h"
#include "portatune/error.h"
#include "portatune/text/encode/text_encoder.h"
#include "portatune/text/read/marian.h"

namespace portatune::text {
namespace {

// The number of texts per task. Many tasks per thread balance the different lengths of texts.
int64_t texts_per_task(int64_t texts, int threads) { return std::clamp<int64_t>(texts / (16 * threads), 8, 1024); }

TokenizerSpec read_spec(const std::filesystem::path& folder, const TokenizerConfig& config) {
  const auto has = [&](const char* file) { return std::filesystem::exists(folder / file); };
  if (has("tokenizer.json")) return read_tokenizer_json(folder / "tokenizer.json");
  if (has("vocab.txt")) return read_vocab_txt(folder / "vocab.txt", config);
  if (is_marian(folder)) return read_marian(folder, config, MarianSide::kSource);
  if (has("vocab.json") && has("merges.txt")) return read_vocab_and_merges(folder, config);
  for (const char* file : {"spiece.model", "sentencepiece.bpe.model", "tokenizer.model", "spm.model"}) {
    if (has(file)) return read_sentencepiece(folder / file, config);
  }
  throw NotFoundError({.where = folder.string(),
                       .given =
                           "none of tokenizer.json, vocab.txt, source.spm and target.spm, vocab.json and merges.txt, "
                           "or a SentencePiece model such as spiece.model",
                       .expected = "the folder of a model with its tokenizer"});
}

Encoding encoded(const Tokenizer::Parts& parts, TextEncoder& encoder, const TextPair& texts,
                 const EncodeOptions& options) {
  encoder.encode(texts, options);
  return assemble(parts.post_processor.layout.parts(texts.second.has_value()), encoder.first, encoder.second, options);
}

void require_language(const Tokenizer::Parts& parts, const char* option, const std::string& language) {
  const std::unordered_set<std::string>& tokens = parts.special_tokens();
  if (language.empty() || !parts.language_id() || tokens.contains(language)) return;
  const auto longer =
      std::ranges::find_if(tokens, [&](const auto& token) { return token.starts_with(language + "_"); });
  throw UsageError({.where = option,
                    .given = in_quotes(language),
                    .expected = "a language of the tokenizer, which is one of its special tokens",
                    .fix = suggestion(longer == tokens.end() ? "" : *longer)});
}

}  // namespace

Tokenizer Tokenizer::load(const std::filesystem::path& folder) { return load_tokenizer(folder, {}); }

Tokenizer load_tokenizer(const std::filesystem::path& folder, const Languages& languages) {
  return Tokenizer::Parts::load(folder, languages);
}

Tokenizer Tokenizer::Parts::load(const std::filesystem::path& folder, const Languages& languages) {
  const TokenizerConfig config = read_tokenizer_config(folder);
  auto parts = std::make_unique<Parts>(read_spec(folder, config), config);
  require_language(*parts, "source_lang", languages.source);
  require_language(*parts, "target_lang", languages.target);
  parts->set_language(languages.source.empty() ? config.src_lang : languages.source);
  const std::string& target = languages.target.empty() ? config.tgt_lang : languages.target;
  std::unique_ptr<Parts> targets;
  if (is_marian(folder)) {
    targets = std::make_unique<Parts>(read_marian(folder, config, MarianSide::kTarget), config);
  } else if (parts->language_id() && parts->special_tokens().contains(target) &&
             parts->find(target) != parts->language_id()) {
    targets = std::make_unique<Parts>(read_spec(folder, config), config);
    targets->set_language(target);
  }
  if (targets) parts->targets.reset(new Tokenizer(std::move(targets)));
  return Tokenizer(std::move(parts));
}

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

Encoding Tokenizer::encode(const TextPair& texts, const EncodeOptions& options) const {
  return encoded(*parts_, *parts_->encoders.borrow(*parts_), texts, options);
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  return encode(TextPair{.first = text}, options);
}

Encoding Tokenizer::encode(std::string_view first, std::string_view second, const EncodeOptions& options) const {
  return encode(TextPair{.first = first, .second = second}, options);
}

Encoding Tokenizer::encode_words(std::span<const std::string> words, const EncodeOptions& options) const {
  const EncoderPool::Handle encoder = parts_->encoders.borrow(*parts_);
  encoder->encode_words(words, options);
  return assemble(parts_->post_processor.layout.parts(false), encoder->first, encoder->second, options);
}

std::vector<Encoding> Tokenizer::encode_batch(std::span<const TextPair> texts, const EncodeOptions& options,
                                              ThreadPool& pool) const {
  std::vector<Encoding> encodings(texts.size());
  const auto encode_some = [&](int64_t begin, int64_t end) {
    const EncoderPool::Handle encoder = parts_->encoders.borrow(*parts_);
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      encodings[i] = encoded(*parts_, *encoder, texts[i], options);
    }
  };
  pool.parallel_for(std::ssize(texts), texts_per_task(std::ssize(texts), pool.threads()), encode_some);
  return encodings;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, const DecodeOptions& options) const {
  return parts_->decode(ids, options);
}

const Tokenizer& Tokenizer::of_targets() const { return parts_->targets ? *parts_->targets : *this; }

std::optional<int32_t> Tokenizer::token_to_id(std::string_view token) const { return parts_->find(token); }

std::string_view Tokenizer::id_to_token(int32_t id) const {
  const std::string_view added = parts_->added_vocabulary.token(id);
  return added.empty() ? parts_->model->vocabulary().token(id) : added;
}

int64_t Tokenizer::vocab_size() const { return parts_->model->size() + parts_->added_vocabulary.size(); }
std::optional<int32_t> Tokenizer::pad_id() const { return parts_->pad_id; }
std::optional<int32_t> Tokenizer::unk_id() const { return parts_->unk_id; }
std::optional<int32_t> Tokenizer::cls_id() const { return parts_->cls_id; }
std::optional<int32_t> Tokenizer::sep_id() const { return parts_->sep_id; }
std::optional<int32_t> Tokenizer::mask_id() const { return parts_->mask_id; }
std::optional<int32_t> Tokenizer::bos_id() const { return parts_->bos_id; }
std::optional<int32_t> Tokenizer::eos_id() const { return parts_->eos_id; }
std::optional<int64_t> Tokenizer::model_max_length() const { return parts_->model_max_length; }
int64_t Tokenizer::added_tokens(bool pair) const { return parts_->post_processor.layout.added_tokens(pair); }

}  // namespace portatune::text
