#include "portatune/tasks/text_classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/hub/model_folder.h"
#include "portatune/io/file/file.h"
#include "portatune/io/safetensors/safetensors.h"
#include "tasks/sentences.h"

// Ids are those of transformers' BertTokenizer with tests/data/tiny_bert: good 5, bad 9, the 13, film 15, book 17,
// was 18, it 20, "." 61, [CLS] 2, [SEP] 3.
namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::FloatNear;
using ::testing::HasSubstr;

using Labels = TextClassification::Labels;

TextClassification task_with(TextClassificationOptions options) {
  if (options.labels.empty()) options.labels = {"bad", "good"};
  return TextClassification(kTinyBert, std::move(options));
}

std::string usage_error(const TextClassificationOptions& options) {
  return message_of<UsageError>([&] { TextClassification(kTinyBert, options); });
}

// ---- rows

TEST(TextClassification, EncodesARow) {
  const TextClassification task = task_with({.max_length = 16});
  const data::Example example = task.encode(sentence("Good film.", "good"));
  EXPECT_THAT(ints(example, "input_ids"), ElementsAre(2, 5, 15, 61, 3));
  EXPECT_THAT(ints(example, "token_type_ids"), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(ints(example, "attention_mask"), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_EQ(example.tensor("labels").type(), (TensorType{DType::kInt32, {}}));
  EXPECT_THAT(ints(example, "labels"), ElementsAre(1));
}

TEST(TextClassification, EncodesAPair) {
  const TextClassification task = task_with({.text_pair_column = "second", .max_length = 16});
  data::Example row = sentence("good film.", "bad");
  row.set("second", std::string("it was bad"));
  const data::Example example = task.encode(row);
  EXPECT_THAT(ints(example, "input_ids"), ElementsAre(2, 5, 15, 61, 3, 20, 18, 9, 3));
  EXPECT_THAT(ints(example, "token_type_ids"), ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(ints(example, "labels"), ElementsAre(0));
}

TEST(TextClassification, CutsLongTexts) {
  const TextClassification task = task_with({.max_length = 4});
  EXPECT_THAT(ints(task.encode(sentence("the film was bad", "bad")), "input_ids"), ElementsAre(2, 13, 15, 3));
  EXPECT_EQ(task.cut_texts(sentence("the film was bad", "bad")), 1);
  EXPECT_EQ(task.cut_texts(sentence("the film", "bad")), 0);  // exactly max_length with [CLS] and [SEP]
}

TEST(TextClassification, KeepsTheWeightOfARow) {
  const TextClassification task = task_with({.max_length = 8});
  data::Example row = sentence("the film was bad", "bad");
  EXPECT_FALSE(task.encode(row).has(data::kExampleWeight));
  row.set(data::kExampleWeight, Tensor({}, {2.5F}));
  EXPECT_EQ(task.encode(row).tensor(data::kExampleWeight).as<float>()[0], 2.5F);
}

TEST(TextClassification, ReadsTheGivenColumns) {
  const TextClassification task = task_with({.text_column = "review", .label_column = "class", .max_length = 8});
  data::Example row;
  row.set("review", std::string("bad")).set("class", std::string("good"));
  EXPECT_THAT(ints(task.encode(row), "input_ids"), ElementsAre(2, 9, 3));
  EXPECT_THAT(message_of<DataError>([&] { task.encode(sentence("bad", "bad")); }), HasSubstr("review"));
}

TEST(TextClassification, PredictsRowsWithoutLabels) {
  const TextClassification task = task_with({.max_length = 8});
  data::Example row;
  row.set("text", std::string("bad"));
  EXPECT_THAT(ints(task.encode(row, Labels::kIgnored), "input_ids"), ElementsAre(2, 9, 3));
  EXPECT_THAT(message_of<DataError>([&] { task.encode(row); }), HasSubstr("label"));
}

TEST(TextClassification, ErrorForUnknownLabelNamesRowAndKnownLabels) {
  const TextClassification task = task_with({.max_length = 8});
  data::Example row(data::Origin{.file = std::make_shared<const std::string>("train.csv"), .row = 17});
  row.set("text", std::string("bad")).set("label", std::string("ugly"));
  EXPECT_THAT(message_of<DataError>([&] { task.encode(row); }),
              AllOf(HasSubstr("train.csv:17"), HasSubstr("\"ugly\""), HasSubstr("bad, good")));
}

TEST(TextClassification, ErrorForInvalidUtf8NamesTheRow) {
  const TextClassification task = task_with({.max_length = 8});
  data::Example row(data::Origin{.file = std::make_shared<const std::string>("train.csv"), .row = 17});
  row.set("text", std::string("caf\xE9")).set("label", std::string("bad"));
  EXPECT_THAT(message_of<DataError>([&] { task.encode(row); }), HasSubstr("train.csv:17"));
}

TEST(TextClassification, BatchesArePaddedAndFilledUp) {
  const TextClassification task = task_with({.max_length = 6});
  const data::Dataset rows =
      data::from_examples({sentence("good", "good"), sentence("bad film", "bad"), sentence("it was", "good")});
  std::vector<data::Example> batches;
  for (data::Example& batch : task.batches(rows, 2).iterate()) batches.push_back(std::move(batch));
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_THAT(ints(batches[0], "input_ids"), ElementsAre(2, 5, 3, 0, 0, 0, 2, 9, 15, 3, 0, 0));
  EXPECT_THAT(ints(batches[0], "attention_mask"), ElementsAre(1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0));
  EXPECT_THAT(ints(batches[0], "labels"), ElementsAre(1, 0));
  EXPECT_EQ(batches[1].tensor("input_ids").shape(), (Shape{2, 6}));
  EXPECT_THAT(batches[1].tensor(data::kExampleWeight).as<float>(), ElementsAre(1, 0));
  for (const std::string& name : task.inputs()) EXPECT_TRUE(batches[1].has(name)) << name;
  const TokenCount tokens = task.tokens(batches[0]);
  EXPECT_EQ(tokens.real, 7);
  EXPECT_EQ(tokens.positions, 12);
}

// ---- options

TEST(TextClassification, BatchesHoldAtLeastOneRow) {
  const TextClassification task(kTinyBert, {.max_length = 12, .labels = {"bad", "good"}});
  EXPECT_THAT(message_of<UsageError>([&] { task.batches(data::from_examples({}), 0); }),
              AllOf(HasSubstr("batch_size"), HasSubstr("given     0")));
}

TEST(TextClassification, LengthIsBoundedByThePositionsOfTheModel) {
  EXPECT_NO_THROW(task_with({.max_length = 3}));
  EXPECT_NO_THROW(task_with({.max_length = 32}));
  EXPECT_THAT(usage_error({.max_length = 33, .labels = {"a", "b"}}),
              AllOf(HasSubstr("max_length"), HasSubstr("33"), HasSubstr("3 to 32")));
  EXPECT_THAT(usage_error({.max_length = 2, .labels = {"a", "b"}}), HasSubstr("3 to 32"));
}

TEST(TextClassification, SigmoidHeadHasLabelsZeroAndOne) {
  const TextClassification task = task_with({.max_length = 8, .head = Head::kSigmoid, .labels = {"0", "1"}});
  EXPECT_EQ(task.head(), Head::kSigmoid);
  EXPECT_THAT(task.labels(), ElementsAre("0", "1"));
  EXPECT_THAT(usage_error({.max_length = 8, .head = Head::kSigmoid, .labels = {"bad", "good"}}),
              AllOf(HasSubstr("sigmoid"), HasSubstr("bad, good"), HasSubstr("0 and 1")));
  const TextClassification turned = task_with({.max_length = 8, .head = Head::kSigmoid, .labels = {"1", "0"}});
  EXPECT_THAT(turned.labels(), ElementsAre("0", "1"));
}

TEST(TextClassification, NeedsTwoClasses) {
  EXPECT_THAT(usage_error({.max_length = 8, .labels = {"good"}}),
              AllOf(HasSubstr("\"good\""), HasSubstr("at least two")));
  EXPECT_THAT(usage_error({.max_length = 8, .labels = {}}), HasSubstr("no labels"));
}

TEST(TextClassification, RejectsRepeatedLabels) {
  EXPECT_THAT(usage_error({.max_length = 8, .labels = {"good", "bad", "good"}}), HasSubstr("\"good\""));
}

// ---- the model

struct Model {
  nn::Context context{{}};
  Forward forward;
  std::vector<nn::Parameter> parameters;
};

std::unique_ptr<Model> build(const TextClassification& task, Columns& columns, int64_t rows, int64_t length) {
  for (const std::string& name : task.inputs()) {
    TensorType type{DType::kInt32, {rows, length}};
    if (name == "labels") type.shape = {rows};
    if (name == data::kExampleWeight) type = {DType::kFloat32, {rows}};
    columns.emplace(name, parameter(name, type));
  }
  auto model = std::make_unique<Model>();
  model->forward = task.forward(nn::Scope(model->context), columns);
  model->parameters.assign(model->context.parameters().begin(), model->context.parameters().end());
  return model;
}

TEST(TextClassification, LossIgnoresPaddingRows) {
  const TextClassification task = task_with({.max_length = 4});
  Columns columns;
  const auto model = build(task, columns, 2, 4);
  Values parameters;
  for (const nn::Parameter& parameter : model->parameters) parameters.push_back(parameter.value);
  for (const std::string& name : task.inputs()) parameters.push_back(columns.at(name));
  const auto run = [&](int64_t rows) {
    std::vector<data::Example> examples{sentence("good", "good"), sentence("bad", "bad")};
    examples.resize(static_cast<size_t>(rows));
    std::vector<Tensor> inputs = task.initial_weights(model->parameters, 1).values;
    data::Cursor cursor = task.batches(data::from_examples(examples), 2).iterate();
    const data::Example batch = *cursor.next();
    for (const std::string& name : task.inputs()) inputs.push_back(batch.tensor(name));
    std::vector<float> found;
    const Forward& f = model->forward;
    for (const Tensor& result : evaluate({f.loss_sum, f.weight_sum, f.outputs.at(0).second}, parameters, inputs)) {
      for (const float value : to_floats(result.view())) found.push_back(value);
    }
    return found;
  };
  // Outputs are loss_sum, weight_sum and the logits of two rows. Losses follow from the logits by definition.
  const auto loss = [](float of_label, float other) { return std::log1p(std::exp(other - of_label)); };
  const std::vector<float> two = run(2), one = run(1);
  EXPECT_EQ(model->forward.outputs[0].first, "logits");
  EXPECT_EQ(two[1], 2);
  EXPECT_NEAR(two[0], loss(two[3], two[2]) + loss(two[4], two[5]), 1e-5);
  EXPECT_EQ(one[1], 1);
  EXPECT_NEAR(one[0], loss(two[3], two[2]), 1e-5);
}

TEST(TextClassification, HeadIsNewAndEncoderIsFound) {
  const TextClassification task = task_with({.max_length = 4});
  Columns columns;
  const auto model = build(task, columns, 2, 4);
  const InitialWeights initial = task.initial_weights(model->parameters, 1);
  EXPECT_THAT(initial.report.missing, ElementsAre("classifier.weight", "classifier.bias"));
  EXPECT_TRUE(initial.report.unexpected.empty());
  const hub::ModelFolder folder = hub::ModelFolder::open(kTinyBert);
  for (size_t i = 0; i < model->parameters.size(); ++i) {
    const std::string& name = model->parameters[i].name;
    if (!name.starts_with("bert.")) continue;
    EXPECT_THAT(initial.values[i].as<float>(), ElementsAreArray(folder.find(name.substr(5))->as<float>())) << name;
  }
}

TEST(TextClassification, PredictsEveryRowWithoutPadding) {
  const TextClassification task = task_with({.max_length = 4});
  data::Example batch, outputs;
  batch.set(data::kExampleWeight, Tensor({3}, {1.0f, 1.0f, 0.0f}));
  outputs.set("logits", Tensor({3, 2}, {1.0f, -1.0f, 0.0f, 2.0f, 9.0f, 9.0f}));
  const auto predictions = task.predictions(batch, outputs);
  ASSERT_EQ(predictions.size(), 2u);
  EXPECT_EQ(predictions[0].label, "bad");
  EXPECT_EQ(predictions[1].label, "good");
  EXPECT_THAT(predictions[0].logits, ElementsAre(1, -1));
  EXPECT_THAT(predictions[0].probabilities, ElementsAre(FloatNear(0.8807971f, 1e-6f), FloatNear(0.1192029f, 1e-6f)));
}

TEST(TextClassification, PredictsWithASigmoidHead) {
  const TextClassification task = task_with({.max_length = 4, .head = Head::kSigmoid, .labels = {"0", "1"}});
  data::Example batch, outputs;
  batch.set(data::kExampleWeight, Tensor({2}, {1.0f, 1.0f}));
  outputs.set("logits", Tensor({2, 1}, {-2.5f, 0.75f}));
  const auto predictions = task.predictions(batch, outputs);
  ASSERT_EQ(predictions.size(), 2u);
  EXPECT_EQ(predictions[0].label, "0");
  EXPECT_EQ(predictions[1].label, "1");
  EXPECT_THAT(predictions[1].probabilities, ElementsAre(FloatNear(0.6791787f, 1e-6f)));
}

TEST(TextClassification, RegressionLearnsNumbers) {
  const TextClassification task(kTinyBert, {.max_length = 4, .head = Head::kRegression});
  EXPECT_TRUE(task.labels().empty());
  const data::Example example = task.encode(sentence("good", "-2.5"));
  EXPECT_THAT(example.tensor("labels").as<float>(), ElementsAre(-2.5f));
  for (const char* text : {"", "good", "1e99", "nan", "2 "}) {
    EXPECT_THAT(message_of<DataError>([&] { task.encode(sentence("good", text)); }), HasSubstr("a number")) << text;
  }
  data::Example batch, outputs;
  batch.set(data::kExampleWeight, Tensor({2}, {1.0f, 0.0f}));
  outputs.set("logits", Tensor({2, 1}, {0.25f, 9.0f}));
  EXPECT_EQ(task.prediction_lines()->take(batch, outputs), "{\"score\":0.25}\n");
}

TEST(TextClassification, RegressionLearnsNumbersOfSeveralColumns) {
  const TextClassification task(kTinyBert, {.label_columns = {"b", "a"}, .max_length = 4, .head = Head::kRegression});
  EXPECT_THAT(task.labels(), ElementsAre("b", "a"));
  EXPECT_THAT(task.columns(Labels::kRequired), ElementsAre("text", "b", "a"));
  data::Example row;
  row.set("text", std::string("good")).set("a", std::string("-0.5")).set("b", std::string("2"));
  EXPECT_THAT(task.encode(row).tensor("labels").as<float>(), ElementsAre(2, -0.5f));
  EXPECT_THAT(task.encode(row, Labels::kIgnored).tensor("labels").shape(), (Shape{2}));
  row.set("a", std::string("many"));
  EXPECT_THAT(message_of<DataError>([&] { task.encode(row); }), AllOf(HasSubstr("many"), HasSubstr("\"a\"")));
  data::Example batch, outputs;
  batch.set(data::kExampleWeight, Tensor({1}, {1.0f}));
  outputs.set("logits", Tensor({1, 2}, {0.25f, 9.0f}));
  EXPECT_EQ(task.prediction_lines()->take(batch, outputs), "{\"scores\":{\"b\":0.25,\"a\":9.0}}\n");
}

TEST(TextClassification, SeveralLabelsAreOnesAmongZeros) {
  const TextClassification task =
      task_with({.max_length = 4, .head = Head::kMultiLabel, .labels = {"praise", "blame", "book"}});
  const auto labels = [&](const std::string& cell) {
    const data::Example example = task.encode(sentence("good", cell));
    const auto values = example.tensor("labels").as<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_THAT(labels(R"(["book", "praise"])"), ElementsAre(1, 0, 1));
  EXPECT_THAT(labels("blame , book"), ElementsAre(0, 1, 1));
  EXPECT_THAT(labels("[]"), ElementsAre(0, 0, 0));
  EXPECT_THAT(labels(""), ElementsAre(0, 0, 0));
  EXPECT_THAT(message_of<DataError>([&] { labels("film"); }),
              AllOf(HasSubstr("film"), HasSubstr("praise, blame, book")));
  EXPECT_THAT(task.encode(sentence("good", ""), Labels::kIgnored).tensor("labels").as<float>(), ElementsAre(0, 0, 0));
}

TEST(TextClassification, SeveralLabelsMayBeColumns) {
  const TextClassification task = task_with({.label_columns = {"b", "a"}, .max_length = 4, .labels = {"a", "b"}});
  EXPECT_EQ(task.head(), Head::kMultiLabel);
  EXPECT_THAT(task.columns(Labels::kRequired), ElementsAre("text", "b", "a"));
  data::Example row;
  row.set("text", std::string("good")).set("a", std::string("0")).set("b", std::string("1.0"));
  EXPECT_THAT(task.encode(row).tensor("labels").as<float>(), ElementsAre(0, 1));
  row.set("a", std::string("-1"));
  EXPECT_THAT(message_of<DataError>([&] { task.encode(row); }), AllOf(HasSubstr("-1"), HasSubstr("\"a\"")));
  EXPECT_THAT(usage_error({.label_columns = {"a", "c"}, .max_length = 4, .labels = {"a", "b"}}),
              AllOf(HasSubstr("a, c"), HasSubstr("a, b")));
  EXPECT_THAT(usage_error({.label_columns = {"a", "b"}, .max_length = 4, .head = Head::kSoftmax, .labels = {"a", "b"}}),
              HasSubstr("softmax"));
}

TEST(TextClassification, PredictsLabelsFromProbabilityOneHalf) {
  const TextClassification task = task_with({.max_length = 4, .head = Head::kMultiLabel, .labels = {"a", "b", "c"}});
  data::Example batch, outputs;
  batch.set(data::kExampleWeight, Tensor({2}, {1.0f, 0.0f}));
  outputs.set("logits", Tensor({2, 3}, {0.0f, -0.5f, 100.0f, 9.0f, 9.0f, 9.0f}));
  EXPECT_EQ(task.prediction_lines()->take(batch, outputs),
            R"({"labels":["a","c"],"scores":{"a":0.5,"b":0.37754068,"c":1.0},"logits":[0.0,-0.5,100.0]})"
            "\n");
}

// ---- saving

// Saves the task with its initial weights, as a trainer does.
void save_untrained(const TextClassification& task, const std::vector<nn::Parameter>& parameters,
                    const std::filesystem::path& folder) {
  const InitialWeights initial = task.initial_weights(parameters, 1);
  std::vector<NamedTensorView> weights;
  for (size_t i = 0; i < parameters.size(); ++i) weights.push_back({parameters[i].name, initial.values[i].view()});
  io::write_safetensors(folder / "model.safetensors", weights);
  task.save(folder);
}

void save_untrained(const TextClassification& task, const std::filesystem::path& folder) {
  Columns columns;
  save_untrained(task, build(task, columns, 2, 4)->parameters, folder);
}

TEST(TextClassification, SavesAModelFolder) {
  const TemporaryFolder target;
  save_untrained(task_with({.max_length = 4, .labels = {"bad", "fine", "good"}}), target.path());
  const hub::ModelFolder saved = hub::ModelFolder::open(target.path());
  EXPECT_THAT(saved.config().get_strings("architectures"), ElementsAre("BertForSequenceClassification"));
  EXPECT_EQ(saved.config().get_string_map("id2label"),
            (std::map<std::string, std::string>{{"0", "bad"}, {"1", "fine"}, {"2", "good"}}));
  const io::JsonObject label2id = *saved.config().get_object("label2id");
  EXPECT_EQ(label2id.get_int("bad"), 0);
  EXPECT_EQ(label2id.get_int("fine"), 1);
  EXPECT_EQ(label2id.get_int("good"), 2);
  EXPECT_EQ(saved.config().get_string("problem_type"), "single_label_classification");
  EXPECT_EQ(saved.config().get_string("dtype"), "float32");
  EXPECT_EQ(saved.config().get_int("hidden_size"), 16);
  EXPECT_EQ(saved.find("classifier.weight")->type, (TensorType{DType::kFloat32, {3, 16}}));
  EXPECT_TRUE(saved.find("bert.embeddings.word_embeddings.weight"));
  for (const char* name : {"tokenizer.json", "tokenizer_config.json"}) {
    EXPECT_EQ(text_of(target / name), text_of(kTinyBert / name)) << name;
  }
}

TEST(TextClassification, SavedModelKnowsItsLabelsHeadAndWeights) {
  const TemporaryFolder target;
  save_untrained(task_with({.max_length = 4, .labels = {"good", "bad"}}), target.path());
  const TextClassification again(target.path(), {.max_length = 4});
  EXPECT_THAT(again.labels(), ElementsAre("good", "bad"));
  EXPECT_EQ(again.head(), Head::kSoftmax);
  Columns columns;
  const auto model = build(again, columns, 2, 4);
  const InitialWeights initial = again.initial_weights(model->parameters, 99);
  EXPECT_TRUE(initial.report.missing.empty());
  EXPECT_TRUE(initial.report.unexpected.empty());
  EXPECT_TRUE(again.unknown_config_keys().empty()) << ::testing::PrintToString(again.unknown_config_keys());
}

TEST(TextClassification, KeepsTheOrderOfTheCheckpointsClasses) {
  const TemporaryFolder target;
  save_untrained(task_with({.max_length = 4, .labels = {"good", "bad"}}), target.path());
  EXPECT_THAT(TextClassification(target.path(), {.max_length = 4, .labels = {"bad", "good"}}).labels(),
              ElementsAre("good", "bad"));
  EXPECT_THAT(TextClassification(target.path(), {.max_length = 4, .labels = {"bad", "fine"}}).labels(),
              ElementsAre("fine", "bad"));
  EXPECT_THAT(TextClassification(target.path(), {.max_length = 4, .labels = {"fair", "fine"}}).labels(),
              ElementsAre("fair", "fine"));
}

TEST(TextClassification, AcceptsNumbersForGeneratedNames) {
  const TextClassification task = task_with({.max_length = 8, .labels = {"LABEL_0", "LABEL_1"}});
  EXPECT_THAT(ints(task.encode(sentence("good film", "1")), "labels"), ElementsAre(1));
}

TEST(TextClassification, RejectsAnUnknownProblemType) {
  const TemporaryFolder folder;
  std::filesystem::copy(kTinyBert, folder.path(), std::filesystem::copy_options::recursive);
  const std::string config = io::read_text(kTinyBert / "config.json", 1 << 20);
  std::filesystem::remove(folder / "config.json");
  io::write_file(folder / "config.json", R"({"problem_type": "ranking", "id2label": {"0": "a", "1": "b"},)" +
                                             config.substr(config.find('{') + 1));
  EXPECT_THAT(message_of<CheckpointError>([&] { TextClassification(folder.path(), {.max_length = 8}); }),
              AllOf(HasSubstr("problem_type"), HasSubstr("\"ranking\""), HasSubstr("multi_label_classification")));
}

TEST(TextClassification, SavedRegressionIsRegression) {
  const TemporaryFolder target;
  const TextClassification task(kTinyBert, {.max_length = 4, .head = Head::kRegression});
  Columns columns;
  nn::Context context({});
  for (const std::string& name : task.inputs()) {
    const bool per_row = name == "labels" || name == data::kExampleWeight;
    columns.emplace(name, per_row ? parameter(name, {DType::kFloat32, {2}}) : parameter(name, {DType::kInt32, {2, 4}}));
  }
  task.forward(nn::Scope(context), columns);
  const std::vector<nn::Parameter> parameters(context.parameters().begin(), context.parameters().end());
  save_untrained(task, parameters, target.path());
  const hub::ModelFolder saved = hub::ModelFolder::open(target.path());
  EXPECT_EQ(saved.config().get_string("problem_type"), "regression");
  EXPECT_EQ(saved.config().get_string_map("id2label").size(), 1u);
  EXPECT_EQ(TextClassification(target.path(), {.max_length = 4}).head(), Head::kRegression);
}

TEST(TextClassification, SavedSigmoidHeadIsASigmoidHead) {
  const TemporaryFolder target;
  save_untrained(task_with({.max_length = 4, .head = Head::kSigmoid, .labels = {"0", "1"}}), target.path());
  const hub::ModelFolder saved = hub::ModelFolder::open(target.path());
  EXPECT_EQ(saved.config().get_string("problem_type"), "multi_label_classification");
  EXPECT_EQ(saved.config().get_string_map("id2label"), (std::map<std::string, std::string>{{"0", "1"}}));
  EXPECT_EQ(saved.find("classifier.weight")->type, (TensorType{DType::kFloat32, {1, 16}}));
  const TextClassification again(target.path(), {.max_length = 4});
  EXPECT_EQ(again.head(), Head::kSigmoid);
  EXPECT_THAT(again.labels(), ElementsAre("0", "1"));
}

}  // namespace
}  // namespace portatune::test
