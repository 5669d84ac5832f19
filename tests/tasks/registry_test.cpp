#include "portatune/tasks/registry.h"

#include <gmock/gmock.h>

#include <set>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/tasks/multiple_choice.h"
#include "portatune/tasks/question_answering.h"
#include "portatune/tasks/task_spec.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::tasks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct ToyOptions {
  int64_t max_length = 7;
  double strength = 0.5;

  void describe(OptionFields& fields) {
    describe_max_length(fields, max_length);
    fields("strength", strength, "how strong", {.highest = 1});
  }
};

TaskSpec toy_spec(std::string name, std::vector<std::string> classes = {"ToyModel"}) {
  return task_spec<ToyOptions>(
      {.name = std::move(name), .classes = std::move(classes), .make = [](const TaskContext&, const ToyOptions&) {
         return std::unique_ptr<RowTask>();
       }});
}

std::string task_of_class(const std::string& name) {
  const TemporaryFolder folder;
  write_text(folder / "config.json", R"({"architectures": [")" + name + R"("]})");
  return task_of(folder.path()).name;
}

OptionField field_called(const std::string& name, TaskOptions& options) {
  for (OptionField& field : option_fields(options)) {
    if (field.name == name) return field;
  }
  throw std::out_of_range(name);
}

TEST(Registry, HasTheTasksOfTheLibrary) {
  EXPECT_THAT(task_names(),
              ElementsAre("text-classification", "next-sentence-prediction", "token-classification",
                          "replaced-token-detection", "question-answering", "multiple-choice", "masked-lm", "causal-lm",
                          "summarization", "translation", "text-to-text", "image-classification", "colorization",
                          "audio-classification", "speech-ctc", "speech-seq2seq", "speech-pretraining",
                          "feature-extraction", "fill-mask", "zero-shot-classification"));
  EXPECT_THAT(message_of<UsageError>([] { task_called("ner"); }), HasSubstr("'ner'"));
}

TEST(Registry, FindsTheTaskOfAModelByItsClass) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"BertForSequenceClassification", "text-classification"},
      {"BertForPreTraining", "masked-lm"},
      {"BertForNextSentencePrediction", "next-sentence-prediction"},
      {"ElectraForPreTraining", "replaced-token-detection"},
      {"GPT2LMHeadModel", "causal-lm"},
      {"BartForConditionalGeneration", "text-to-text"},
      {"MarianMTModel", "text-to-text"},
      {"BertModel", "text-classification"},
      {"DeiTForImageClassificationWithTeacher", "image-classification"},
      {"ColTranColorizer", "colorization"},
      {"ColTranSpatialUpsampler", "colorization"},
      {"Wav2Vec2ForSequenceClassification", "audio-classification"},
      {"ASTForAudioClassification", "audio-classification"},
      {"Wav2Vec2ForXVector", "audio-classification"},
      {"HubertForCTC", "speech-ctc"},
      {"Wav2Vec2ForPreTraining", "speech-pretraining"},
      {"WhisperForConditionalGeneration", "speech-seq2seq"}};
  for (const auto& [name, task] : cases) EXPECT_EQ(task_of_class(name), task) << name;
}

TEST(Registry, HasAnAddedTaskWhileItExists) {
  {
    const AddedTask b(toy_spec("toy-b")), a(toy_spec("toy-a", {"ToyForSequenceClassification"}));
    const std::vector<std::string> names = task_names();
    EXPECT_THAT(std::vector(names.end() - 2, names.end()), ElementsAre("toy-a", "toy-b"));
    EXPECT_EQ(task_of_class("MyToyModel"), "toy-b");
    EXPECT_EQ(task_of_class("ToyForSequenceClassification"), "toy-a") << "whose ending is the longest";
  }
  EXPECT_THAT(message_of<UsageError>([] { task_called("toy-a"); }), HasSubstr("toy-a"));
}

TEST(Registry, RefusesTwoTasksOfOneName) {
  const AddedTask toy(toy_spec("causal-lm"));
  EXPECT_THAT(message_of<UsageError>([] { registry(); }), HasSubstr("two tasks called 'causal-lm'"));
}

TEST(Registry, SharedOptionsAreSetForEveryTask) {
  const AddedTask toy(toy_spec("toy"));
  TaskOptions options;
  std::set<std::string> names;
  for (const OptionField& field : option_fields(options)) EXPECT_TRUE(names.insert(field.name).second) << field.name;
  field_called("max_length", options).read({"64"});
  EXPECT_EQ(options.of<QuestionAnsweringOptions>().max_length, 64);
  EXPECT_EQ(options.of<TextClassificationRunOptions>().max_length, 64);
  EXPECT_EQ(options.of<ToyOptions>().max_length, 64);
  EXPECT_EQ(field_called("strength", options).group, "Toy");
}

TEST(Registry, RefusesTwoTypesOfOneOption) {
  struct Other {
    std::string max_length;
    void describe(OptionFields& fields) { fields("max_length", max_length, "a text"); }
  };
  const AddedTask toy(task_spec<Other>({.name = "toy", .classes = {}, .make = {}}));
  TaskOptions options;
  EXPECT_THAT(message_of<UsageError>([&] { option_fields(options); }), HasSubstr("'max_length' of two types"));
}

TEST(Registry, KnowsWhoseOptionsThereAre) {
  EXPECT_THAT(tasks_with("doc_stride"), ElementsAre("question-answering"));
  EXPECT_THAT(
      tasks_with("weight_column"),
      ElementsAre("text-classification", "next-sentence-prediction", "token-classification", "replaced-token-detection",
                  "multiple-choice", "summarization", "translation", "text-to-text", "image-classification",
                  "colorization", "audio-classification", "speech-ctc", "speech-seq2seq"));
  EXPECT_THAT(tasks_with("tokens_per_batch"), testing::Not(testing::Contains("image-classification")));
  EXPECT_THAT(tasks_with("epochs"), IsEmpty());
}

TEST(Registry, KnowsTheTasksThatOnlyPredict) {
  EXPECT_TRUE(only_predicts(task_called("fill-mask")));
  EXPECT_FALSE(only_predicts(task_called("masked-lm")));
  EXPECT_THAT(prediction_options(), testing::IsSupersetOf({"pooling", "top_k", "candidate_labels"}));
  EXPECT_THAT(prediction_options(), testing::Not(testing::Contains("max_length")));
}

TEST(Registry, KnowsTheOptionsOfPredictionsAlone) {
  const std::set<std::string> names = prediction_options();
  for (const char* name : {"top_k", "pooling", "return_timestamps", "colored_images", "color_seed"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  for (const char* name : {"text_column", "num_beams", "image_column"}) EXPECT_FALSE(names.contains(name)) << name;
}

TEST(TaskSpec, ChecksTheRangesOfOptions) {
  TaskOptions options;
  options.of<ToyOptions>().strength = 2;
  EXPECT_THAT(message_of<UsageError>([&] { toy_spec("toy").make({.model = ""}, options); }), HasSubstr("strength"));
}

TEST(TaskOptions, HaveTheDefaultsOfTheirType) {
  const TaskOptions none;
  EXPECT_EQ(none.of<ToyOptions>().max_length, 7);
  TaskOptions some;
  some.of<ToyOptions>().max_length = 8;
  TaskOptions copy = some;
  copy.of<ToyOptions>().max_length = 9;
  EXPECT_EQ(std::as_const(some).of<ToyOptions>().max_length, 8);
  EXPECT_EQ(std::as_const(copy).of<ToyOptions>().max_length, 9);
}

}  // namespace
}  // namespace portatune::tasks
