#include "portatune/generate/speech/thresholds.h"

#include <zlib.h>

#include <cmath>
#include <new>
#include <vector>

namespace portatune::generate {
namespace {

size_t compressed_size(const std::vector<Bytef>& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::vector<Bytef> compressed(size);
  if (compress(compressed.data(), &size, bytes.data(), static_cast<uLong>(bytes.size())) != Z_OK)
    throw std::bad_alloc();
  return size;
}

}  // namespace

double compression_ratio(std::span<const int32_t> tokens, int64_t vocab_size) {
  const int size = static_cast<int>(std::log2(static_cast<double>(vocab_size)) / 8) + 1;
  std::vector<Bytef> bytes;
  for (const int32_t token : tokens) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<Bytef>(token >> (8 * i)));
  }
  return static_cast<double>(bytes.size()) / static_cast<double>(compressed_size(bytes));
}

SpeechVerdict verdict_of(const SpeechAttempt& attempt, const SpeechThresholds& thresholds, int64_t vocab_size) {
  const bool is_improbable = thresholds.logprob && attempt.logprob < *thresholds.logprob;
  if (is_improbable && thresholds.no_speech && attempt.no_speech > *thresholds.no_speech) return SpeechVerdict::kSilent;
  const bool repeats =
      thresholds.compression_ratio && compression_ratio(attempt.tokens, vocab_size) > *thresholds.compression_ratio;
  return is_improbable || repeats ? SpeechVerdict::kRefused : SpeechVerdict::kKept;
}

}  // namespace portatune::generate
