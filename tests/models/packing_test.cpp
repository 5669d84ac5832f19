// Packed texts: every model computes for the texts of a case, standing in one row, what transformers computed for each
// in a row of its own: hidden states, logits, loss, gradients of all weights, weights after optimizer steps.
#include <gtest/gtest.h>

#include <numeric>

#include "graph/evaluate.h"
#include "models/cases.h"
#include "portune/ops.h"
#include "portune/parity/parity.h"
#include "portune/tasks/text_rows.h"

namespace portune::test {
namespace {

using models::TextInputs;
using nn::Scope;

// The lengths of the texts of a case; empty where there is padding before a token, which packed texts do not have.
std::vector<int64_t> text_lengths(const Tensor& mask) {
  const int64_t width = mask.shape()[mask.shape().rank() - 1];
  std::vector<int64_t> lengths;
  for (auto rest = mask.as<int32_t>(); !rest.empty(); rest = rest.subspan(static_cast<size_t>(width))) {
    const auto row = rest.first(static_cast<size_t>(width));
    lengths.push_back(std::accumulate(row.begin(), row.end(), int64_t{0}));
    if (!std::ranges::is_sorted(row, std::greater<>())) return {};
  }
  return lengths;
}

// A model that puts the texts it is given into one row, and gives back hidden states for each text. What stands behind
// the body is the model's own.
class PackedModel final : public models::TextModel {
 public:
  PackedModel(std::unique_ptr<const TextModel> model, std::vector<int64_t> lengths, int64_t width)
      : TextModel(model->facts()), model_(std::move(model)), lengths_(std::move(lengths)), width_(width) {}

  Values hidden_states(const Scope& root, const TextInputs& in) const override {
    const tasks::TextRows layout = texts();
    TextInputs rows = layout.rows();
    rows.input_ids = layout.to_rows(in.input_ids, 0);
    if (in.token_type_ids) rows.token_type_ids = layout.to_rows(in.token_type_ids, 0);
    Values states = model_->hidden_states(root, rows);
    for (Value& state : states) state = layout.to_texts(state);
    return states;
  }
  std::string class_name(models::HeadKind head) const override { return model_->class_name(head); }
  Value pooler_output(const Scope& root, const Value& x) const override { return model_->pooler_output(root, x); }
  Value sequence_logits(const Scope& root, const TextInputs& in, const Value& x, int64_t n) const override {
    return model_->sequence_logits(root, in, x, n);
  }
  Value token_logits(const Scope& root, const Value& x, int64_t n) const override {
    return model_->token_logits(root, x, n);
  }
  Value choice_logits(const Scope& root, const TextInputs& in, const Value& x) const override {
    return model_->choice_logits(root, in, x);
  }
  Value masked_lm_logits(const Scope& root, const Value& x) const override { return model_->masked_lm_logits(root, x); }
  Value next_sentence_logits(const Scope& root, const Value& x) const override {
    return model_->next_sentence_logits(root, x);
  }
  Value causal_lm_logits(const Scope& root, const Value& x) const override { return model_->causal_lm_logits(root, x); }

 private:
  // One row: a place of padding, the last text, ..., the first text, padding.
  tasks::TextRows texts() const {
    const int64_t length = std::accumulate(lengths_.begin(), lengths_.end(), int64_t{4});
    Tensor segments({DType::kInt32, {1, length}}), positions({DType::kInt32, {1, length}});
    std::vector<int32_t> places(lengths_.size() * static_cast<size_t>(width_), -1);
    int32_t at = 1;
    for (size_t text = lengths_.size(); text-- > 0;) {
      for (int32_t i = 0; i < lengths_[text]; ++i, ++at) {
        segments.as<int32_t>()[static_cast<size_t>(at)] = static_cast<int32_t>(text) + 1;
        positions.as<int32_t>()[static_cast<size_t>(at)] = i;
        places[text * static_cast<size_t>(width_) + static_cast<size_t>(i)] = at;
      }
    }
    const Value numbers = constant(std::move(segments));
    const TextInputs rows{.input_ids = numbers,
                          .attention_mask = numbers,
                          .position_ids = constant(std::move(positions)),
                          .packed = true};
    return {rows, constant(Tensor({std::ssize(lengths_), width_}, std::span<const int32_t>(places))), 0};
  }

  std::unique_ptr<const TextModel> model_;
  std::vector<int64_t> lengths_;
  int64_t width_;
};

// Which cases there is nothing to pack in, or that are not equal by design.
bool is_packable(const std::string& name, const parity::ReferenceCase& reference) {
  if (!reference.inputs().has("attention_mask")) return false;
  if (text_lengths(reference.inputs().tensor("attention_mask")).size() < 2) return false;
  // The loss of transformers looks at padding, too: see the test of the task.
  if (name.ends_with("_qa")) return false;
  // The frequencies of these depend on the length of the row, which here is not that of a text.
  return name != "llama_dynamic" && name != "llama_longrope";
}

std::vector<std::string> packable_cases() {
  std::vector<std::string> names = case_names();
  std::erase_if(names,
                [](const std::string& name) { return !is_packable(name, parity::ReferenceCase(case_folder(name))); });
  return names;
}

class Packing : public ::testing::TestWithParam<std::string> {};

TEST_P(Packing, ComputesWhatTransformersDoesForEachText) {
  const parity::ReferenceCase reference(case_folder(GetParam()));
  const Tensor& mask = reference.inputs().tensor("attention_mask");
  const parity::ReferenceTask task(
      reference, std::make_unique<PackedModel>(models::text_model(reference.model().config()), text_lengths(mask),
                                               mask.shape()[mask.shape().rank() - 1]));
  for (const Device* device : {&kernels(), &decompositions()}) {
    for (const parity::Comparison& c : check_parity(*device, reference, task, DType::kFloat32).comparisons) {
      EXPECT_TRUE(c.passed) << c.kind << " " << c.tensor << ": largest error " << c.max_abs_error << ", allowed "
                            << c.allowed << ", " << c.strays << " elements beyond";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Packing, ::testing::ValuesIn(packable_cases()),
                         [](const auto& info) { return info.param; });

TEST(PackedCases, AreOfEveryArchitecture) {
  const std::vector<std::string> names = packable_cases();
  for (const char* architecture : {"albert", "bert", "distilbert", "electra", "gpt2", "llama", "mistral", "modernbert",
                                   "opt", "qwen2", "qwen3", "roberta", "xlmroberta"}) {
    EXPECT_TRUE(std::ranges::any_of(names, [&](const std::string& name) {
      return name.starts_with(std::string(architecture) + "_");
    })) << architecture;
  }
}

}  // namespace
}  // namespace portune::test
