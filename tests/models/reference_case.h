// A model with what transformers computed for it: see tests/oracle/make_bert_case.py.
#pragma once

#include <string>
#include <vector>

#include "portune/device.h"
#include "portune/hub/model_folder.h"
#include "portune/io/json.h"
#include "portune/io/safetensors.h"
#include "portune/models.h"
#include "portune/tasks.h"

namespace portune::test {

/// The sequence classifier of a case, with the case's inputs as its one batch.
class ReferenceCase final : public Task {
 public:
  explicit ReferenceCase(const std::string& name);

  /// int32 token arrays, labels as the loss takes them, all weights 1.
  const data::Example& batch() const { return batch_; }
  const io::JsonObject& facts() const { return facts_; }
  /// A tensor of expected.safetensors, grads.safetensors or after5.safetensors.
  Tensor recorded(const std::string& file, const std::string& name) const;
  /// How far a float32 result may be from the recorded float64 one: ten times what torch's float32 run is, and at least
  /// 2e-5 of the largest element.
  double tolerance(const Tensor& wanted, double torch_difference) const;

  std::vector<std::string> inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override;
  void save(const std::filesystem::path&, std::span<const NamedTensorView>) const override {}

 private:
  std::filesystem::path path_;
  hub::ModelFolder folder_;
  io::JsonObject facts_;
  models::SequenceClassifier classifier_;
  std::string problem_;
  data::Example batch_;
};

}  // namespace portune::test
