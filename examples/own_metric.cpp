// The command with a metric of its own: the share of rows that are predicted as class 1.
//   own_metric fit --model MODEL --train TRAIN --validation VALIDATION --output OUTPUT
// shows "held-out share_predicted_as_1" below the other metrics of text classification, and so does evaluate.
#include "portatune/portatune.h"

namespace {

using namespace portatune;

class PredictedShare final : public Metrics {
 public:
  // Rows of weight 0 fill up the last batch.
  void update(const data::Example& batch, const data::Example& outputs) override {
    const auto weights = batch.tensor(data::kExampleWeight).as<float>();
    const Tensor& logits = outputs.tensor("logits");
    const std::vector<float> classes = metrics::argmax(logits.as<float>(), logits.shape()[1]);
    for (size_t row = 0; row < weights.size(); ++row) {
      rows_ += weights[row];
      if (classes[row] == 1) predicted_ += weights[row];
    }
  }
  Scores result() const override { return {{"share_predicted_as_1", predicted_ / rows_}}; }

 private:
  double rows_ = 0, predicted_ = 0;
};

const AddedMetrics kPredictedShare([](const Task& task) -> std::unique_ptr<Metrics> {
  const auto* texts = dynamic_cast<const TextClassification*>(&task);
  if (texts == nullptr || texts->head() != Head::kSoftmax) return nullptr;
  return std::make_unique<PredictedShare>();
});

}  // namespace
