#include <algorithm>
#include <ranges>

#include "portatune/error.h"
#include "portatune/media_models.h"

namespace portatune::models {
namespace {

[[noreturn]] void refuse_head(const std::string& words, const AudioModelFacts& facts) {
  throw UsageError({.where = "the head of the model",
                    .given = words + " for " + facts.class_prefix,
                    .expected = "a head of this architecture in transformers"});
}

}  // namespace

int64_t AudioModelFacts::frames(int64_t samples) const {
  int64_t length = samples;
  for (const ConvolutionOverTime& layer : convolutions) {
    if (length < layer.kernel) return 0;
    length = (length - layer.kernel) / layer.stride + 1;
  }
  return length;
}

int64_t AudioModelFacts::head_frames(int64_t frames) const {
  for (const int64_t stride : adapter_strides) frames = frames == 0 ? 0 : (frames - 1) / stride + 1;
  return frames;
}

int64_t AudioModelFacts::samples(int64_t frames) const {
  int64_t length = frames;
  for (const ConvolutionOverTime& layer : std::views::reverse(convolutions)) {
    length = (length - 1) * layer.stride + layer.kernel;
  }
  return length;
}

Value frames_of(const AudioModelFacts& facts, const Value& samples) {
  Value length = samples;
  for (const ConvolutionOverTime& layer : facts.convolutions) {
    const Value behind = maximum(length - static_cast<double>(layer.kernel), full(length.type(), 0));
    length = behind / static_cast<double>(layer.stride) + 1.0;
  }
  return length;
}

Value head_frames_of(const AudioModelFacts& facts, const AudioInputs& in) {
  const Shape& shape = in.input_values.shape();
  Value length = in.samples ? frames_of(facts, in.samples)
                            : full({DType::kInt32, {shape[0]}}, static_cast<double>(facts.frames(shape[1])));
  for (const int64_t stride : facts.adapter_strides) length = (length - 1.0) / static_cast<double>(stride) + 1.0;
  return length;
}

Value AudioModel::pooler_output(const nn::Scope&, const Value&) const { return {}; }

Value AudioModel::ctc_logits(const nn::Scope&, const Value&) const { refuse_head("transcription by CTC", facts_); }

Value AudioModel::frame_logits(const nn::Scope&, const Values&, int64_t) const {
  refuse_head("classification of frames", facts_);
}

XVectors AudioModel::xvectors(const nn::Scope&, const Values&, const AudioInputs&, int64_t) const {
  refuse_head("vectors of speakers", facts_);
}

ContrastiveStates AudioModel::contrastive_states(const nn::Scope&, const AudioInputs&, const GumbelChoice&) const {
  refuse_head("pretraining", facts_);
}

}  // namespace portatune::models
