#include "portatune/tasks/metrics/codevectors.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "portatune/io/text/json.h"
#include "portatune/tasks/audio_task.h"

namespace portatune::tasks {

CodevectorMetrics::CodevectorMetrics(const models::ContrastiveFacts& facts)
    : groups_(static_cast<size_t>(facts.groups)),
      codevectors_(static_cast<size_t>(facts.codevectors)),
      counts_(groups_ * codevectors_) {}

void CodevectorMetrics::update(const data::Example& batch, const data::Example& outputs) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  const auto losses = outputs.tensor(kContrastiveLoss).as<float>(), hits = outputs.tensor(kHits).as<float>();
  const auto mask = batch.tensor(AudioTask::kMaskTime).as<int32_t>(), codes = outputs.tensor(kCodes).as<int32_t>();
  const size_t frames = mask.size() / weights.size();
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    loss_ += losses[row];
    hits_ += hits[row];
    for (size_t frame = row * frames; frame < (row + 1) * frames; ++frame) {
      if (mask[frame] == 0) continue;
      ++masked_;
      for (size_t group = 0; group < groups_; ++group) {
        ++counts_[group * codevectors_ + static_cast<size_t>(codes[frame * groups_ + group])];
      }
    }
  }
}

Scores CodevectorMetrics::result() const {
  if (masked_ == 0) return {};
  double perplexity = 0;
  for (size_t group = 0; group < groups_; ++group) {
    double entropy = 0;
    for (size_t i = 0; i < codevectors_; ++i) {
      const double share = counts_[group * codevectors_ + i] / masked_;
      if (share > 0) entropy -= share * std::log(share);
    }
    perplexity += std::exp(entropy);
  }
  return {{"contrastive_loss", loss_ / masked_}, {"accuracy", hits_ / masked_}, {"codevector_perplexity", perplexity}};
}

std::string CodevectorLines::take(const data::Example& batch, const data::Example& outputs) {
  const auto weights = batch.tensor(data::kExampleWeight).as<float>();
  const auto frames = batch.tensor(AudioTask::kFrames).as<int32_t>(), codes = outputs.tensor(kCodes).as<int32_t>();
  const Shape& shape = outputs.tensor(kCodes).shape();
  const auto padded = static_cast<size_t>(shape[1]), groups = static_cast<size_t>(shape[2]);
  std::string lines;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    std::vector<std::vector<int32_t>> of_frames;
    for (size_t frame = 0; frame < static_cast<size_t>(frames[row]); ++frame) {
      const auto of_frame = codes.subspan((row * padded + frame) * groups, groups);
      of_frames.emplace_back(of_frame.begin(), of_frame.end());
    }
    lines += io::line_of(nlohmann::ordered_json({{"audio", batch.texts("audio")[row]}, {"codes", of_frames}}));
  }
  return lines;
}

}  // namespace portatune::tasks
