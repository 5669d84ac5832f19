#include "portatune/text/encode/fused_bert.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "portatune/text/pretokenize/bert.h"
#include "portatune/text/unicode/byte_block.h"
#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

constexpr size_t kBlock = sizeof(ByteBlock);

// The ASCII letters and digits at the beginning of a block: their number, and the bytes (in lower case or unchanged).
struct LetterRun {
  size_t size;
  ShortKey bytes;  // the whole block
};

template <bool lowercase>
inline LetterRun letter_run(const char* at) {
  const ByteBlock bytes = load_block(at);
  const ByteBlock lower = bytes | (in_range(bytes, 'A', 26) & 0x20);
  const size_t size = leading_count(in_range(lower, 'a', 26) | in_range(bytes, '0', 10));
  return {size, std::bit_cast<ShortKey>(lowercase ? lower : bytes)};
}

}  // namespace

FusedBert::FusedBert(const BertNormalizer& normalizer, const WordPiece& model)
    : normalizer_(normalizer),
      model_(model),
      max_key_bytes_(std::min(ShortKey::kMaxBytes, static_cast<size_t>(model.options().max_input_chars_per_word))) {
  byte_classes_.fill(ByteClass::kOther);
  std::vector<Piece> pieces;
  for (size_t i = 0; i < punctuation_ids_.size(); ++i) {
    const uint32_t properties = UnicodeTables::get().properties(static_cast<char32_t>(i));
    const bool removed = normalizer.options().clean_text && (properties & kControl) != 0;
    if (removed) continue;
    if ((properties & kPunctuation) != 0) {
      byte_classes_[i] = ByteClass::kPunctuation;
      model.tokenize(std::string(1, static_cast<char>(i)), pieces);
      punctuation_ids_[i] = pieces.front().id;
    } else if ((properties & kSpace) != 0) {
      byte_classes_[i] = ByteClass::kSpace;
    } else if ((properties & kWord) != 0) {
      byte_classes_[i] = ByteClass::kLetter;
    }
  }
}

bool FusedBert::pass(std::string_view text, int32_t first, FusedScratch& scratch, IdSink& sink) const {
  return pass_text(text, first, scratch, sink);
}

bool FusedBert::pass(std::string_view text, int32_t first, FusedScratch& scratch, TokenSink& sink) const {
  return pass_text(text, first, scratch, sink);
}

template <class Sink>
bool FusedBert::pass_text(std::string_view text, int32_t first, FusedScratch& scratch, Sink& sink) const {
  if (text.empty()) return true;
  Positions positions{text.data(), first};
  const auto scan_until = [&](const char* at, const char* stop, const char* end) {
    return normalizer_.options().lowercase ? scan<true>(at, stop, end, positions, scratch, sink)
                                           : scan<false>(at, stop, end, positions, scratch, sink);
  };
  const char* at = text.data();
  const char* const end = at + text.size();
  if (text.size() > kBlock) at = scan_until(at, end - kBlock, end);
  if (at == nullptr) return false;
  // A scan reads whole blocks. Therefore the last bytes are read from a copy that is long enough, with a space after
  // them.
  char tail[3 * kBlock] = {};
  const auto rest = static_cast<size_t>(end - at);
  std::memcpy(tail, at, rest);
  tail[rest] = ' ';
  positions = {tail, positions.of(at)};
  return scan_until(tail, tail + rest, tail + rest) != nullptr;
}

template <bool lowercase, class Sink>
const char* FusedBert::scan(const char* at, const char* stop, const char* end, Positions& positions,
                            FusedScratch& scratch, Sink& sink) const {
  while (at < stop) {
    const LetterRun run = letter_run<lowercase>(at);
    if (run.size == 0 && class_of(*at) == ByteClass::kSpace) {
      ++at;
      continue;
    }
    const int32_t position = positions.of(at);
    if (run.size == 0 && class_of(*at) == ByteClass::kPunctuation) {
      sink.push(punctuation_ids_[static_cast<size_t>(*at)], {position, position + 1});
      ++at;
    } else if (run.size - 1 < max_key_bytes_ && ends_word(at[run.size])) {
      take_word(run.bytes.substr(0, run.size), scratch, sink, [position](uint32_t begin, uint32_t end) {
        return Offsets{position + static_cast<int32_t>(begin), position + static_cast<int32_t>(end)};
      });
      at += run.size;
      at += *at == ' ';
    } else {
      at = take_run(at, end, positions, scratch, sink);
      if (at == nullptr) return nullptr;
      continue;
    }
    if (!sink.end_word()) return nullptr;
  }
  return at;
}

template <class Sink>
const char* FusedBert::take_run(const char* begin, const char* end, Positions& positions, FusedScratch& scratch,
                                Sink& sink) const {
  const char* run_end = begin;
  while (run_end != end && !ends_word(*run_end)) ++run_end;
  const std::string_view run(begin, static_cast<size_t>(run_end - begin));
  Normalized& normalized = scratch.normalized;
  normalized.assign({}, 0, Sink::kWithOffsets);
  normalizer_.normalize(run, positions.of(begin), normalized);
  if constexpr (Sink::kWithOffsets) {
    positions.first -= static_cast<int32_t>(run.size() - count_code_points(run));
  }
  const std::string_view text = normalized.text();
  const bool all = for_each_bert_word(text, [&](size_t word_begin, size_t word_end) {
    take_word(text.substr(word_begin, word_end - word_begin), scratch, sink, [&](uint32_t from, uint32_t to) {
      return Sink::kWithOffsets ? normalized.origin(word_begin + from, word_begin + to) : Offsets{};
    });
    return sink.end_word();
  });
  return all ? run_end : nullptr;
}

template <class Sink, class Origin>
void FusedBert::take_word(std::string_view word, FusedScratch& scratch, Sink& sink, Origin&& origin) const {
  if (word.size() <= max_key_bytes_) return take_word(ShortKey::of(word), scratch, sink, origin);
  model_.tokenize(word, scratch.pieces);
  sink.push(std::span<const Piece>(scratch.pieces), origin);
}

template <class Sink, class Origin>
void FusedBert::take_word(const ShortKey& word, FusedScratch& scratch, Sink& sink, Origin&& origin) const {
  const uint64_t hash = word.hash();
  const int32_t whole = model_.vocabulary().pieces().find(word, hash);
  if (whole != PieceTable::kAbsent) {
    sink.push(whole, origin(0, static_cast<uint32_t>(word.size())));
    return;
  }
  push_word(
      word, hash, scratch.words, sink, origin, [&]() -> const auto& {
        model_.tokenize(word.text(), scratch.pieces);
        return scratch.pieces;
      });
}

}  // namespace portatune::text
