#include "portatune/text/encode/fused_byte_level.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "portatune/text/byte_level.h"
#include "portatune/text/pretokenize/byte_level.h"
#include "portatune/text/pretokenize/sequence.h"
#include "portatune/text/pretokenize/split.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

// Counts the code points of a word, from left to right.
class CodePoints {
 public:
  /// Counts from `first`, the number of code points before the word.
  CodePoints(std::string_view word, int32_t first) : word_(word), count_(first) {}

  /// Number of code points that begin before byte `at`, which must not decrease between calls.
  int32_t before(size_t at) {
    for (; at_ < at; ++at_) count_ += !is_continuation(word_[at_]);
    return count_;
  }

  /// Range of the code points that overlap the bytes [begin, end).
  Offsets covering(size_t begin, size_t end) {
    const int32_t first = before(begin) - (is_continuation(word_[begin]) ? 1 : 0);
    return {first, before(end)};
  }

 private:
  std::string_view word_;
  size_t at_ = 0;
  int32_t count_;
};

struct Word {
  Word() = default;
  Word(std::string_view whole, size_t begin, size_t end) : text(whole.substr(begin, end - begin)) {
    if (text.size() > ShortKey::kMaxBytes) return;
    key = ShortKey::of(whole, begin, text.size());
    hash = key.hash();
  }

  std::string_view text;
  ShortKey key;  // empty: the word is too long for the cache
  uint64_t hash = 0;
};

// Works on bytes, whereas the stages turn each byte into a character. Therefore it has its own tables.
template <WordRules rules>
class FusedByteLevel final : public FusedPass {
 public:
  FusedByteLevel(const Bpe& model, bool add_prefix_space, const std::array<int32_t, 256>& byte_ids)
      : model_(model), add_prefix_space_(add_prefix_space), byte_ids_(byte_ids) {
    if (!model.options().ignore_merges) return;
    const Vocabulary& vocabulary = model.vocabulary();
    for (int32_t id = 0; id < vocabulary.id_limit(); ++id) {
      const std::string_view token = vocabulary.token(id);
      const auto bytes = token.empty() ? std::nullopt : bytes_of_token(token);
      if (bytes) whole_words_.insert(*bytes, *vocabulary.find(token));
    }
  }

  bool normalizes() const override { return false; }

  bool pass(std::string_view text, int32_t first, FusedScratch& scratch, IdSink& sink) const override {
    return pass_text(text, first, scratch, sink);
  }
  bool pass(std::string_view text, int32_t first, FusedScratch& scratch, TokenSink& sink) const override {
    return pass_text(text, first, scratch, sink);
  }

 private:
  template <class Sink>
  bool pass_text(std::string_view text, int32_t first, FusedScratch& scratch, Sink& sink) const {
    int32_t position = first;
    if (add_prefix_space_ && !text.empty() && !text.starts_with(' ')) {
      scratch.text.assign(1, ' ').append(text);
      text = scratch.text;
      --position;
    }
    const auto take = [&](const Word& word) {
      if constexpr (!Sink::kWithOffsets) {
        take_word(word, scratch, sink, [](uint32_t, uint32_t) { return Offsets{}; });
      } else if (word.key.empty() ? is_ascii(word.text) : word.key.is_ascii()) {
        // The inserted space has the offset of the text's first code point.
        take_word(word, scratch, sink, [first, position](uint32_t from, uint32_t to) {
          return Offsets{std::max(position + static_cast<int32_t>(from), first),
                         std::max(position + static_cast<int32_t>(to), first + 1)};
        });
        position += static_cast<int32_t>(word.text.size());
      } else {
        CodePoints code_points(word.text, position);
        take_word(word, scratch, sink, [first, &code_points](uint32_t from, uint32_t to) {
          const Offsets offsets = code_points.covering(from, to);
          return Offsets{std::max(offsets.begin, first), std::max(offsets.end, first + 1)};
        });
        position = code_points.before(word.text.size());
      }
      return sink.end_word();
    };
    // Prefetches the cache entry of this word while the scanner looks for the next one.
    Word waiting;
    const bool all = for_each_word<rules>(text, [&](size_t begin, size_t end) {
      const Word earlier = std::exchange(waiting, Word(text, begin, end));
      scratch.words.prefetch(waiting.hash);
      return earlier.text.empty() || take(earlier);
    });
    return all && (waiting.text.empty() || take(waiting));
  }

  template <class Sink, class Origin>
  void take_word(const Word& word, FusedScratch& scratch, Sink& sink, Origin&& origin) const {
    if (word.key.empty()) {
      sink.push(cut(word.text, scratch), origin);
    } else {
      push_word(word.key, word.hash, scratch.words, sink, origin, [&] { return cut(word.text, scratch); });
    }
  }

  std::span<const Piece> cut(std::string_view word, FusedScratch& scratch) const {
    scratch.pieces.clear();
    if (const int32_t whole = whole_words_.find(word); whole != PieceTable::kAbsent) {
      scratch.pieces.push_back({whole, 0, static_cast<uint32_t>(word.size())});
      return scratch.pieces;
    }
    scratch.symbols.clear();
    for (const char byte : word) scratch.symbols.push_back({byte_ids_[static_cast<unsigned char>(byte)], 1});
    merge_word(model_.merges(), scratch.symbols);
    uint32_t begin = 0;
    for (const Symbol& symbol : scratch.symbols) {
      scratch.pieces.push_back({symbol.id, begin, begin + symbol.bytes});
      begin += symbol.bytes;
    }
    return scratch.pieces;
  }

  const Bpe& model_;
  bool add_prefix_space_;
  std::array<int32_t, 256> byte_ids_;
  PieceTable whole_words_;  // with ignore_merges: all tokens, as bytes
};

struct Rules {
  WordRules words;
  bool add_prefix_space;
};

// ByteLevel alone, or after a Split whose every match is a word.
std::optional<Rules> rules_of(const PreTokenizer* pre_tokenizer) {
  if (const auto* byte_level = dynamic_cast<const ByteLevelPreTokenizer*>(pre_tokenizer)) {
    const ByteLevelOptions& options = byte_level->options();
    return options.use_regex ? std::optional(Rules{WordRules::kGpt2, options.add_prefix_space}) : std::nullopt;
  }
  const auto* sequence = dynamic_cast<const PreTokenizerSequence*>(pre_tokenizer);
  if (sequence == nullptr || sequence->stages().size() != 2) return std::nullopt;
  const auto* split = dynamic_cast<const Split*>(sequence->stages()[0].get());
  const auto* byte_level = dynamic_cast<const ByteLevelPreTokenizer*>(sequence->stages()[1].get());
  if (split == nullptr || byte_level == nullptr) return std::nullopt;
  const auto words = split->pattern().word_rules();
  // The prefix would precede each word, not only the text.
  if (!words || !split->isolates() || byte_level->options().use_regex || byte_level->options().add_prefix_space) {
    return std::nullopt;
  }
  return Rules{*words, false};
}

}  // namespace

FusedPassPtr fused_byte_level(const PreTokenizer* pre_tokenizer, const Model& model) {
  const auto rules = rules_of(pre_tokenizer);
  const auto* bpe = dynamic_cast<const Bpe*>(&model);
  if (!rules || bpe == nullptr) return nullptr;
  const BpeOptions& options = bpe->options();
  if (!options.continuing_subword_prefix.empty() || !options.end_of_word_suffix.empty()) return nullptr;
  std::array<int32_t, 256> byte_ids{};
  for (size_t byte = 0; byte < byte_ids.size(); ++byte) {
    const auto id = model.vocabulary().find(text_of_byte(static_cast<unsigned char>(byte)));
    if (!id) return nullptr;
    byte_ids[byte] = *id;
  }
  switch (rules->words) {
    case WordRules::kGpt2:
      return std::make_unique<FusedByteLevel<WordRules::kGpt2>>(*bpe, rules->add_prefix_space, byte_ids);
    case WordRules::kLlama3:
      return std::make_unique<FusedByteLevel<WordRules::kLlama3>>(*bpe, rules->add_prefix_space, byte_ids);
    case WordRules::kQwen2:
      return std::make_unique<FusedByteLevel<WordRules::kQwen2>>(*bpe, rules->add_prefix_space, byte_ids);
  }
  return nullptr;
}

}  // namespace portatune::text
