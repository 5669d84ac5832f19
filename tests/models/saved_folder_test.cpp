// A saved folder has the tensors and the config of the one that transformers saved for the same class: every case of
// tests/data/models in the present format. So from_pretrained() misses no weight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "models/case_parameters.h"
#include "models/cases.h"
#include "portatune/hub/config_edit.h"

namespace portatune::test {
namespace {

using Tensors = std::set<std::string>;  // "name [shape]"

// Older layouts, which are read and then saved in the present one.
const std::set<std::string> kOlder = {"bert_legacy_names", "bert_mlm_shared_bias", "modernbert_legacy_config",
                                      "roberta_legacy_names", "wav2vec2_legacy_names"};

std::vector<std::string> present_cases() {
  std::vector<std::string> names = case_names();
  std::erase_if(names, [](const std::string& name) { return kOlder.contains(name); });
  return names;
}

// Marian's sinusoids, which transformers computes and reads, but does not save.
bool is_computed(const std::string& tensor) { return tensor.find("embed_positions.weight ") != std::string::npos; }

Tensors without_prefix(const Tensors& tensors) {
  Tensors bare;
  for (const std::string& tensor : tensors) bare.insert(tensor.substr(tensor.find('.') + 1));
  return bare;
}

class SavedFolder : public ::testing::TestWithParam<std::string> {
 protected:
  const parity::ReferenceCase reference_{case_folder(GetParam())};
};

TEST_P(SavedFolder, HasTheTensorsOfTransformers) {
  Tensors saved, expected;
  for (const nn::Parameter& p : parameters_of(parity::ReferenceTask(reference_), reference_.inputs())) {
    saved.insert(p.name + " " + to_string(p.type.shape));
  }
  for (const NamedTensorView& tensor : reference_.model().tensors()) {
    expected.insert(tensor.name + " " + to_string(tensor.view.type.shape));
  }
  // A case of the bare model has no prefix; a task saves a head with it.
  const bool is_bare =
      std::ranges::none_of(expected, [&](const std::string& tensor) { return saved.contains(tensor); });
  if (is_bare) saved = without_prefix(saved);
  std::erase_if(saved, [&](const std::string& tensor) { return is_computed(tensor) && !expected.contains(tensor); });
  EXPECT_THAT(saved, ::testing::ContainerEq(expected));
}

TEST_P(SavedFolder, HasTheConfigOfTransformers) {
  const std::string& text = reference_.model().config_text();
  const ConfigChanges changes{.architecture = reference_.architecture(), .dtype = DType::kFloat32};
  const auto saved = nlohmann::json::parse(hub::edit_config(text, "config.json", changes));
  EXPECT_EQ(saved, nlohmann::json::parse(text));
}

INSTANTIATE_TEST_SUITE_P(Models, SavedFolder, ::testing::ValuesIn(present_cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace portatune::test
