// What tasks on one text model have in common.
#pragma once

#include "portune/tasks/text_checkpoint.h"

namespace portune::tasks {

class TextTask : public RowTask {
 public:
  TextTask(const std::filesystem::path& folder, int64_t max_length) : checkpoint_(folder, max_length) {}

  TokenCount tokens(const data::Example& batch) const override { return TextCheckpoint::tokens(batch); }
  double initializer_range() const override { return checkpoint_.model().facts().initializer_range; }
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override {
    return checkpoint_.initial_weights(parameters, seed);
  }
  std::vector<std::string> unknown_config_keys() const override { return checkpoint_.unknown_config_keys(); }

 protected:
  const TextCheckpoint checkpoint_;
};

}  // namespace portune::tasks
