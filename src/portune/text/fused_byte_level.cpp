#include "portune/text/fused_byte_level.h"

#include <optional>

#include "portune/text/byte_level.h"
#include "portune/text/pretokenize/byte_level.h"
#include "portune/text/pretokenize/sequence.h"
#include "portune/text/pretokenize/split.h"

namespace portune::text {
namespace {

// Works on the bytes themselves, where the stages turn each into a character. Hence tables of its own.
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

  bool append(std::string_view text, size_t limit, FusedScratch& scratch, std::vector<int32_t>& ids) const override {
    if (add_prefix_space_ && !text.empty() && !text.starts_with(' ')) {
      scratch.text.assign(1, ' ').append(text);
      text = scratch.text;
    }
    return for_each_word<rules>(text, [&](size_t begin, size_t end) {
      take_word(text, begin, end, scratch, ids);
      return ids.size() < limit;
    });
  }

 private:
  void take_word(std::string_view text, size_t begin, size_t end, FusedScratch& scratch,
                 std::vector<int32_t>& ids) const {
    const size_t size = end - begin;
    if (size > ShortKey::kMaxBytes) {
      const auto made = cut(text.substr(begin, size), scratch);
      ids.insert(ids.end(), made.begin(), made.end());
      return;
    }
    const ShortKey key = ShortKey::of(text, begin, size);
    const uint64_t hash = key.hash();
    std::span<const int32_t> known = scratch.words.find(key, hash);
    if (known.empty()) known = scratch.words.insert(key, hash, cut(text.substr(begin, size), scratch));
    if (known.size() == 1) {  // as for most words; not worth a call
      ids.push_back(known.front());
    } else {
      ids.insert(ids.end(), known.begin(), known.end());
    }
  }

  std::span<const int32_t> cut(std::string_view word, FusedScratch& scratch) const {
    scratch.ids.clear();
    if (const int32_t whole = whole_words_.find(word); whole != PieceTable::kAbsent) {
      scratch.ids.push_back(whole);
      return scratch.ids;
    }
    scratch.symbols.clear();
    for (const char byte : word) scratch.symbols.push_back({byte_ids_[static_cast<unsigned char>(byte)], 1});
    merge_word(model_.merges(), scratch.symbols);
    for (const Symbol& symbol : scratch.symbols) scratch.ids.push_back(symbol.id);
    return scratch.ids;
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

// ByteLevel alone, or behind a Split whose every match is a word.
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
  // A space would be put before each word, not before the text.
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

}  // namespace portune::text
