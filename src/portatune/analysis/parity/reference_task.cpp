#include "portatune/analysis/parity/reference_task.h"

#include <algorithm>
#include <array>
#include <functional>

#include "portatune/error.h"
#include "portatune/hub/initial_weights.h"
#include "portatune/media_models.h"
#include "portatune/models/named_for_answers.h"
#include "portatune/ops.h"
#include "portatune/tasks/losses.h"
#include "portatune/tasks/objectives/contrastive.h"
#include "portatune/tasks/objectives/ctc.h"
#include "portatune/tasks/objectives/objectives.h"

namespace portatune::parity {
namespace {

using models::HeadKind;

Value optional_column(const Columns& batch, const std::string& name) {
  const auto found = batch.find(name);
  return found == batch.end() ? Value{} : found->second;
}

constexpr const char* kNegatives = "sampled_negative_indices";

Value ones(int64_t size) { return full({DType::kFloat32, {size}}, 1); }

// Outputs of a batch without labels, with loss 0.
Forward without_loss(std::vector<std::pair<std::string, Value>> outputs) {
  return {.loss_sum = full({DType::kFloat32, {}}, 0),
          .weight_sum = full({DType::kFloat32, {}}, 1),
          .outputs = std::move(outputs)};
}

// Uses the objective if there are labels.
Forward with_loss(const Value& labels, const Value& logits, const std::function<Forward()>& objective) {
  return labels ? objective() : without_loss({{"logits", logits}});
}

// The rule of transformers for a config without problem_type.
tasks::Problem problem_of(const io::JsonObject& config, const Value& labels) {
  const std::string problem = config.get_string_or("problem_type", "");
  if (problem == "regression") return tasks::Problem::kRegression;
  if (problem == "multi_label_classification") return tasks::Problem::kMultiLabel;
  if (problem == "single_label_classification" || !labels || labels.dtype() == DType::kInt32) {
    return tasks::Problem::kSingleLabel;
  }
  return config.get_string_map("id2label").size() == 1 ? tasks::Problem::kRegression : tasks::Problem::kMultiLabel;
}

// Reshapes [batch, choices, seq] to [batch * choices, seq].
Value flatten_choices(const Value& x) { return x ? reshape(x, {-1, x.shape().back()}) : x; }

void append_hidden_states(const Values& hidden_states, Forward& forward, const std::string& name = "hidden_states") {
  for (size_t i = 0; i < hidden_states.size(); ++i) {
    forward.outputs.emplace_back(name + "." + std::to_string(i), convert(hidden_states[i], DType::kFloat32));
  }
}

Forward with_states(Forward forward, const models::Seq2SeqStates& states) {
  append_hidden_states(states.encoder, forward, "encoder_hidden_states");
  append_hidden_states(states.decoder, forward, "decoder_hidden_states");
  forward.outputs.emplace_back("encoder_last_hidden_state", convert(states.encoder.back(), DType::kFloat32));
  return forward;
}

}  // namespace

template <class Get>
decltype(auto) ReferenceTask::of_facts(Get get) const {
  if (image_model_) return get(image_model_->facts());
  if (audio_model_) return get(audio_model_->facts());
  return get(text_model_->facts());
}

ReferenceTask::ReferenceTask(const ReferenceCase& reference) : ReferenceTask(reference, nullptr) {}

ReferenceTask::ReferenceTask(const ReferenceCase& reference, std::unique_ptr<const models::TextModel> model)
    : reference_(reference), text_model_(std::move(model)) {
  const io::JsonObject& config = reference.model().config();
  if (models::is_image_model(config)) {
    image_model_ = models::image_model(config);
  } else if (models::is_audio_model(config) || reference.architecture() == "WhisperForAudioClassification") {
    audio_model_ = models::audio_model(config);
  } else if (models::is_speech_model(config)) {
    text_model_ = models::speech_model(config);
  } else if (!text_model_) {
    text_model_ = models::text_model(config);
  }
  const std::string& prefix = of_facts([](const auto& facts) -> const std::string& { return facts.class_prefix; });
  const std::string& architecture = reference.architecture();
  if (text_model_ && architecture == text_model_->class_name(HeadKind::kCausalLM)) {
    head_ = "ForCausalLM";
    return;
  }
  if (text_model_ && architecture == text_model_->class_name(HeadKind::kSeq2SeqLM)) {
    head_ = "ForConditionalGeneration";
    return;
  }
  if (!architecture.starts_with(prefix)) {
    throw CheckpointError({.where = (reference.path() / "case.json").string() + ", architecture",
                           .given = "\"" + architecture + "\"",
                           .expected = "a class of the model_type in config.json: " + prefix + "..."});
  }
  head_ = architecture.substr(prefix.size());
}

int64_t ReferenceTask::num_labels() const {
  const auto labels = reference_.model().config().get_string_map("id2label");
  return labels.empty() ? 2 : static_cast<int64_t>(labels.size());  // transformers omits its default of two
}

const std::string& ReferenceTask::base_prefix() const {
  return of_facts([](const auto& facts) -> const std::string& { return facts.base_prefix; });
}

double ReferenceTask::initializer_range() const {
  return of_facts([](const auto& facts) { return facts.initializer_range; });
}

void ReferenceTask::refuse_class(const std::string& reason) const {
  throw CheckpointError({.where = (reference_.path() / "case.json").string() + ", architecture",
                         .given = "\"" + reference_.architecture() + "\"" + (reason.empty() ? "" : ": " + reason),
                         .expected = "a class that Portatune supports"});
}

bool ReferenceTask::has_loss() const {
  const data::Example& inputs = reference_.inputs();
  return inputs.has("labels") || inputs.has("start_positions") || inputs.has(kNegatives);
}

bool ReferenceTask::is_per_position(const std::string& output) const {
  static constexpr std::array kPerPosition = {"ForTokenClassification", "ForQuestionAnswering", "ForMaskedLM",
                                              "ForCausalLM", "ForPreTraining"};
  // Frames of padding have the numbers of transformers, too.
  if (audio_model_ || models::is_speech_model(reference_.model().config())) return false;
  if (output == "last_hidden_state") return !reference_.inputs().has("decoder_input_ids");
  if (output.starts_with("hidden_states")) return true;
  if (output.starts_with("encoder_")) return true;
  return std::ranges::find(kPerPosition, head_) != kPerPosition.end() && output != "seq_relationship_logits" &&
         output != "sop_logits";
}

std::vector<std::string> ReferenceTask::inputs() const {
  std::vector<std::string> names;
  for (const data::Example::Entry& column : reference_.inputs().columns()) names.push_back(column.name);
  return names;
}

const Value& ReferenceTask::column(const Columns& batch, const std::string& name) const {
  const auto found = batch.find(name);
  if (found != batch.end()) return found->second;
  throw CheckpointError({.where = (reference_.path() / "inputs.safetensors").string(),
                         .given = "no tensor " + name,
                         .expected = "the inputs of " + reference_.architecture()});
}

Forward ReferenceTask::forward(const nn::Scope& root, const Columns& batch) const {
  if (audio_model_) return audio_forward(root, batch);
  if (models::is_speech_model(reference_.model().config())) return speech_forward(root, batch);
  return image_model_ ? image_forward(root, batch) : text_forward(root, batch);
}

Forward ReferenceTask::speech_forward(const nn::Scope& root, const Columns& batch) const {
  const models::Seq2Seq& body = *text_model_->seq2seq();
  Values encoder = models::speech_encoder(*text_model_).encoder_states(root, column(batch, "input_features"));
  const Value given = decoder_input_ids(batch);
  const models::TextInputs target{.input_ids = given ? given : column(batch, "decoder_input_ids")};
  Values decoder = body.decoder_states(root, target, models::encoded_speech(encoder));
  return with_states(text_head(root, {}, decoder.back(), batch), {.encoder = encoder, .decoder = decoder});
}

Forward ReferenceTask::text_forward(const nn::Scope& root, const Columns& batch) const {
  models::TextInputs in{column(batch, "input_ids"), optional_column(batch, "attention_mask"),
                        optional_column(batch, "token_type_ids")};
  if (!in.attention_mask) in.attention_mask = full(in.input_ids.type(), 1);
  if (head_ == "ForMultipleChoice") {
    in = {flatten_choices(in.input_ids), flatten_choices(in.attention_mask), flatten_choices(in.token_type_ids)};
  }
  if (text_model_->seq2seq() != nullptr) return seq2seq_forward(root, in, batch);
  const bool answers = head_ == "ForQuestionAnswering";
  const HeadKind head = answers ? HeadKind::kQuestionAnswering : HeadKind::kSequenceClassification;
  const Values hidden_states = models::hidden_states_for(head, text_model_->body(), root, in);
  Forward forward = text_head(root, in, hidden_states.back(), batch);
  append_hidden_states(hidden_states, forward);
  return forward;
}

Forward ReferenceTask::seq2seq_forward(const nn::Scope& root, const models::TextInputs& in,
                                       const Columns& batch) const {
  const models::Seq2SeqStates states = seq2seq_states(root, in, batch);
  Forward forward = text_head(root, in, states.last(), batch);
  if (!states.decoder.empty()) return with_states(std::move(forward), states);
  append_hidden_states(states.encoder, forward);
  return forward;
}

// The tokens that the decoder reads: those of the case, or made of the labels of a target; absent if it has neither.
Value ReferenceTask::decoder_input_ids(const Columns& batch) const {
  const Value labels = optional_column(batch, "labels");
  if (head_ == "ForConditionalGeneration" && labels) return text_model_->seq2seq()->decoder_input_ids(labels);
  return optional_column(batch, "decoder_input_ids");
}

// The decoder reads a target text, if there is one, else the source.
models::Seq2SeqStates ReferenceTask::seq2seq_states(const nn::Scope& root, const models::TextInputs& in,
                                                    const Columns& batch) const {
  const models::Seq2Seq& body = *text_model_->seq2seq();
  if (head_ == "EncoderModel") return {.encoder = body.encoder_states(root, in), .decoder = {}};
  if (head_ == "ForTokenClassification") return body.states_of_text(root, in, HeadKind::kTokenClassification);
  if (head_ == "ForQuestionAnswering") return body.states_of_text(root, in, HeadKind::kQuestionAnswering);
  const models::TextInputs target{.input_ids = decoder_input_ids(batch)};
  if (!target.input_ids) return body.states_of_text(root, in, HeadKind::kSequenceClassification);
  Values encoder = body.encoder_states(root, in);
  Values decoder = body.decoder_states(root, target, {encoder.back(), in.attention_mask});
  return {.encoder = std::move(encoder), .decoder = std::move(decoder)};
}

Forward ReferenceTask::image_forward(const nn::Scope& root, const Columns& batch) const {
  const Values hidden_states = image_model_->hidden_states(root, column(batch, "pixel_values"));
  Forward forward = image_head(root, hidden_states.back(), batch);
  append_hidden_states(hidden_states, forward);
  return forward;
}

Forward ReferenceTask::image_head(const nn::Scope& root, const Value& x, const Columns& batch) const {
  if (head_ == "Model") {
    return without_loss({{"last_hidden_state", convert(image_model_->last_hidden_state(root, x), DType::kFloat32)},
                         {"pooler_output", convert(image_model_->pooler_output(root, x), DType::kFloat32)}});
  }
  if (head_ == "ForImageClassification") {
    return sequence_classification(image_model_->image_logits(root, x, num_labels()), batch);
  }
  if (head_ != "ForImageClassificationWithTeacher") refuse_class();
  const auto [cls, distillation] = image_model_->distilled_logits(root, x, num_labels());
  return without_loss(
      {{"logits", (cls + distillation) / 2.0}, {"cls_logits", cls}, {"distillation_logits", distillation}});
}

Forward ReferenceTask::audio_forward(const nn::Scope& root, const Columns& batch) const {
  const Value features = optional_column(batch, "input_features");
  models::AudioInputs in{.input_values = features ? features : column(batch, "input_values")};
  if (const Value mask = optional_column(batch, "attention_mask")) in.samples = sum(mask, {1});
  in.mask_time = optional_column(batch, "mask_time_indices");
  if (head_ == "ForPreTraining") return speech_pretraining(root, in, batch);
  const Values hidden_states = audio_model_->hidden_states(root, in);
  Forward forward = audio_head(root, hidden_states, in, batch);
  append_hidden_states(hidden_states, forward);
  return forward;
}

Forward ReferenceTask::audio_head(const nn::Scope& root, const Values& hidden_states, const models::AudioInputs& in,
                                  const Columns& batch) const {
  if (head_ == "Model") {
    const Value& x = hidden_states.back();
    Forward forward =
        without_loss({{"last_hidden_state", convert(audio_model_->last_hidden_state(root, x), DType::kFloat32)}});
    const Value pooled = audio_model_->pooler_output(root, x);
    if (pooled) forward.outputs.emplace_back("pooler_output", convert(pooled, DType::kFloat32));
    return forward;
  }
  if (reference_.architecture() == audio_model_->facts().classification_class) {
    return sequence_classification(audio_model_->class_logits(root, hidden_states, in, num_labels()), batch);
  }
  const Value labels = optional_column(batch, "labels");
  if (head_ == "ForAudioFrameClassification") {
    const Value logits = audio_model_->frame_logits(root, hidden_states, num_labels());
    // A label is a row of 0 and 1. The loss counts all frames, also padding.
    return with_loss(labels, logits,
                     [&] { return tasks::token_classification(logits, argmax(labels, 2), ones(logits.shape()[0])); });
  }
  if (head_ == "ForXVector") return speakers(audio_model_->xvectors(root, hidden_states, in, num_labels()), labels);
  if (head_ != "ForCTC") refuse_class();
  const Value logits = audio_model_->ctc_logits(root, hidden_states.back());
  return with_loss(labels, logits, [&] { return ctc(logits, in, batch, root.options().mesh); });
}

// transformers numbers the negatives over all rows.
Forward ReferenceTask::speech_pretraining(const nn::Scope& root, const models::AudioInputs& in,
                                          const Columns& batch) const {
  models::GumbelChoice choice{.noise = optional_column(batch, "gumbel_noise")};
  constexpr double kTemperature = 2;  // of a new model
  if (choice.noise) choice.temperature = full({DType::kFloat32, {}}, kTemperature);
  const models::ContrastiveStates states = audio_model_->contrastive_states(root, in, choice);
  const Value& negatives = column(batch, kNegatives);
  const Shape& shape = negatives.shape();
  const Value in_row = negatives - iota(negatives.type(), 0) * static_cast<double>(shape[1]);
  const tasks::ContrastiveLoss loss =
      tasks::contrastive_loss(*audio_model_->facts().contrastive, states, column(batch, "mask_time_indices"), in_row,
                              ones(shape[0]), root.options().mesh);
  Forward forward{.loss_sum = loss.total,
                  .weight_sum = full({DType::kFloat32, {}}, 1),
                  .outputs = {{"projected_states", states.projected_states},
                              {"projected_quantized_states", states.projected_quantized_states},
                              {"codevector_perplexity", loss.perplexity},
                              {"contrastive_loss", loss.contrastive},
                              {"diversity_loss", loss.diversity}}};
  append_hidden_states(states.hidden_states, forward);
  return forward;
}

Forward ReferenceTask::speakers(const models::XVectors& found, const Value& labels) const {
  Forward forward = with_loss(labels, found.logits, [&] {
    return tasks::sequence_classification(tasks::Problem::kSingleLabel, am_softmax_logits(found.cosines, labels),
                                          labels, ones(labels.shape()[0]));
  });
  forward.outputs = {{"logits", found.logits}, {"embeddings", found.embeddings}};
  return forward;
}

Forward ReferenceTask::ctc(const Value& logits, const models::AudioInputs& in, const Columns& batch,
                           const Mesh& mesh) const {
  const Value& labels = column(batch, "labels");
  const models::AudioModelFacts& facts = audio_model_->facts();
  return tasks::ctc(*facts.ctc, logits, labels, models::head_frames_of(facts, in), ones(logits.shape()[0]), mesh);
}

// Chooses the loss as transformers does.
Forward ReferenceTask::sequence_classification(const Value& logits, const Columns& batch) const {
  const Value labels = optional_column(batch, "labels");
  const tasks::Problem problem = problem_of(reference_.model().config(), labels);
  const bool single = problem == tasks::Problem::kSingleLabel;
  return with_loss(labels, logits, [&] {
    return tasks::sequence_classification(problem, logits, single ? labels : reshape(labels, {-1, num_labels()}),
                                          ones(logits.shape()[0]));
  });
}

Forward ReferenceTask::text_head(const nn::Scope& root, const models::TextInputs& in, const Value& x,
                                 const Columns& batch) const {
  const Value labels = optional_column(batch, "labels");
  const Value texts = optional_column(batch, "input_ids");  // of choices: three axes
  const Value weights = ones((texts ? texts : x).shape()[0]);
  const auto logits_of = [&](HeadKind kind) {
    return text_model_->logits(kind, root, {.x = x, .text = in, .num_labels = num_labels()});
  };

  if (head_ == "Model" || head_ == "EncoderModel") {
    Forward forward = without_loss({{"last_hidden_state", convert(x, DType::kFloat32)}});
    if (std::ranges::count(reference_.names("expected"), "pooler_output") > 0) {  // not every model has a pooler
      const Value pooled = text_model_->body().pooler_output(root, x);
      if (!pooled) refuse_class("a class without a pooler, whose output expected.safetensors has");
      forward.outputs.emplace_back("pooler_output", convert(pooled, DType::kFloat32));
    }
    return forward;
  }
  if (head_ == "ForSequenceClassification") {
    return sequence_classification(logits_of(HeadKind::kSequenceClassification), batch);
  }
  if (head_ == "ForMultipleChoice") {
    const Value logits = reshape(logits_of(HeadKind::kMultipleChoice), {-1, column(batch, "input_ids").shape()[1]});
    return with_loss(labels, logits, [&] {
      return tasks::sequence_classification(tasks::Problem::kSingleLabel, logits, labels, weights);
    });
  }
  if (head_ == "ForTokenClassification") {
    const Value logits = logits_of(HeadKind::kTokenClassification);
    return with_loss(labels, logits, [&] { return tasks::token_classification(logits, labels, weights); });
  }
  if (head_ == "ForMaskedLM") {
    const Value logits = logits_of(HeadKind::kMaskedLM);
    return with_loss(labels, logits, [&] { return tasks::token_classification(logits, labels, weights); });
  }
  if (head_ == "ForPreTraining" && text_model_->heads().contains(HeadKind::kReplacedTokenDetection)) {
    const Value logits = logits_of(HeadKind::kReplacedTokenDetection);
    return with_loss(labels, logits,
                     [&] { return tasks::replaced_token_detection(logits, labels, in.attention_mask, weights); });
  }
  if (head_ == "ForPreTraining") return pretraining(root, x, batch);
  if (head_ == "ForNextSentencePrediction") {
    const Value logits = logits_of(HeadKind::kPreTraining);
    return with_loss(labels, logits, [&] {
      return tasks::sequence_classification(tasks::Problem::kSingleLabel, logits, reshape(labels, {-1}), weights);
    });
  }
  if (head_ == "ForCausalLM") {
    const Value logits = logits_of(HeadKind::kCausalLM);
    return with_loss(labels, logits, [&] { return tasks::next_token_prediction(logits, labels, weights); });
  }
  if (head_ == "ForConditionalGeneration") {
    const Value logits = logits_of(HeadKind::kSeq2SeqLM);
    return with_loss(labels, logits, [&] { return tasks::token_classification(logits, labels, weights); });
  }
  if (head_ == "ForQuestionAnswering") {
    const Value logits = logits_of(HeadKind::kQuestionAnswering);
    const Value start = optional_column(batch, "start_positions");
    return with_loss(start, logits,
                     [&] { return tasks::span_prediction(logits, start, column(batch, "end_positions"), weights); });
  }
  refuse_class();
}

Forward ReferenceTask::pretraining(const nn::Scope& root, const Value& x, const Columns& batch) const {
  const Value weights = ones(column(batch, "input_ids").shape()[0]);
  const Value prediction = text_model_->logits(HeadKind::kMaskedLM, root, {.x = x});
  const Value relation = text_model_->logits(HeadKind::kPreTraining, root, {.x = x});
  const Forward lm = tasks::token_classification(prediction, column(batch, "labels"), weights);
  const bool ordered = batch.contains("sentence_order_label");  // the name of ALBERT's second objective
  const Value& label = column(batch, ordered ? "sentence_order_label" : "next_sentence_label");
  Forward forward = tasks::with_next_sentence(lm, relation, label, weights);
  forward.outputs = {{"prediction_logits", prediction}, {ordered ? "sop_logits" : "seq_relationship_logits", relation}};
  return forward;
}

InitialWeights ReferenceTask::initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const {
  InitialWeights weights = hub::load_weights(reference_.model(), parameters, base_prefix(), seed);
  hub::require_weights(weights.report, parameters.size(), NewWeights::kNone);
  return weights;
}

}  // namespace portatune::parity
