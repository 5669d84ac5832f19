// Decoders for any strings: Sequence, Fuse, Strip, Replace.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/text/decode/decoder.h"
#include "portatune/text/pattern/pattern.h"

namespace portatune::text {

/// Sequence: applies decoders in order.
class DecoderSequence final : public Decoder {
 public:
  explicit DecoderSequence(std::vector<DecoderPtr> stages) : stages_(std::move(stages)) {}
  void decode(std::vector<std::string>& tokens) const override {
    for (const DecoderPtr& stage : stages_) stage->decode(tokens);
  }

 private:
  std::vector<DecoderPtr> stages_;
};

/// Fuse: joins all tokens into one.
class FuseDecoder final : public Decoder {
 public:
  void decode(std::vector<std::string>& tokens) const override;
};

/// Strip: removes up to `start` characters `content` from the beginning of each token, and up to `stop` from its end.
class StripDecoder final : public Decoder {
 public:
  StripDecoder(std::string content, int64_t start, int64_t stop)
      : content_(std::move(content)), start_(start), stop_(stop) {}
  void decode(std::vector<std::string>& tokens) const override;

 private:
  std::string content_;
  int64_t start_, stop_;
};

/// Replace: replaces the matches of a pattern by `content`, in each token.
class ReplaceDecoder final : public Decoder {
 public:
  ReplaceDecoder(PatternPtr pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  void decode(std::vector<std::string>& tokens) const override;

 private:
  PatternPtr pattern_;
  std::string content_;
};

}  // namespace portatune::text
