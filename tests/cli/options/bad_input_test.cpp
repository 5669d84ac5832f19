// Faults of data, model or plugin are reported with their place before anything is written.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "cli/program.h"
#include "cli/toy.h"
#include "runtime/pjrt/aot.h"

namespace portatune::cli {
namespace {

using testing::HasSubstr;

// A message that begins with the program's name, says all of `parts`, and comes alone.
void expect_refusal(const Finished& run, int exit_code, const std::vector<std::string>& parts) {
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  EXPECT_EQ(run.out, "");
  const size_t begin = run.err.find("portatune: ");
  ASSERT_NE(begin, std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("portatune: ", begin + 1), std::string::npos) << run.err;
  for (const std::string& part : parts) EXPECT_THAT(run.err.substr(begin), HasSubstr(part));
}

// fit() on this training file.
void expect_bad_data(const std::string& csv, const std::vector<std::string>& parts) {
  const Toy toy;
  write(toy.file("train.csv"), csv);
  expect_refusal(portatune(toy.fit()), 65, parts);
  EXPECT_THAT(toy.left_behind(), testing::IsEmpty());
}

TEST(BadOption, OfAnotherTaskIsNamedWithThatTask) {
  const Toy toy;
  expect_refusal(portatune(toy.fit({"--doc-stride", "8"})), 2,
                 {"fit\n", "--doc-stride with --task text-classification", "belongs to question-answering"});
  expect_refusal(portatune(toy.fit({"--task", "question-answering", "--head", "sigmoid"})), 2,
                 {"--head with --task question-answering", "belongs to text-classification"});
}

TEST(BadOption, OfAnotherTaskThanTheModelsIsRefusedToo) {
  const Toy toy;
  expect_refusal(portatune({"evaluate", "--model", PORTATUNE_TEST_DATA "/export_softmax", "--data",
                            toy.file("train.csv"), "--tags-column", "label"}),
                 2, {"evaluate\n", "--tags-column with --task text-classification", "belongs to token-classification"});
}

TEST(BadOption, UrlWhereThereMustBeAPath) {
  const Toy toy;
  expect_refusal(portatune({"tokenize", "--tokenizer", "s3://bucket/model", "--input", toy.file("train.csv")}), 2,
                 {"--tokenizer", "s3://bucket/model is not a path of this machine"});
  Words words = toy.fit();
  std::ranges::replace(words, toy.output(), "gs://bucket/model");
  expect_refusal(portatune(words), 2, {"--output gs://bucket/model", "a path of this machine"});
}

TEST(BadOption, TildeThatTheShellDidNotExpand) {
  for (const char* option : {"--output=~/tuned", "--train=~/t.csv", "--validation=~/t.csv"}) {
    const Toy toy;
    Words words{"fit", "--model", tiny_bert(), option};
    if (!std::string_view(option).starts_with("--output")) words = words + Words{"--output", toy.output()};
    if (!std::string_view(option).starts_with("--train")) words = words + Words{"--train", toy.file("train.csv")};
    expect_refusal(portatune(words), 2, {"~/t", "write the path in full"});
  }
}

TEST(BadOption, IsNamedWithItsValue) {
  const Toy toy;
  expect_refusal(portatune(toy.fit({"--bad-rows", "skip"})), 2, {"given     --bad-rows skip\n", "skip:N"});
  expect_refusal(portatune(toy.fit({"--rename-columns", "a"})), 2, {"--rename-columns: a is not NAME=VALUE"});
}

TEST(BadLabel, HasAdvice) {
  expect_bad_data("text,label\na,\nb,1\n", {"an empty label", "--bad-rows skip:N"});
  const Toy toy;
  write(toy.file("validation.csv"), "text,label\na,0.0\nb,1.0\n");
  expect_refusal(portatune(toy.fit()), 65, {"label \"0.0\"", "write 0, as in the rows that the model is trained on"});
}

TEST(BadOption, TrainingDoesNotReadStandardInput) {
  const Toy toy;
  Words words = toy.fit();
  std::ranges::replace(words, toy.file("train.csv"), "-");
  expect_refusal(portatune(words), 2, {"fit\n", "--train -", "save standard input to a file first"});
}

TEST(BadData, MissingColumn) {
  expect_bad_data("sentence,label\ngood,1\n", {"train.csv:1", "'sentence'", "a column 'text'"});
}

TEST(BadData, EmptyFile) { expect_bad_data("", {"train.csv"}); }

TEST(BadData, HeaderWithoutRows) { expect_bad_data("text,label\n", {"train.csv"}); }

TEST(BadData, RowOfAnotherLength) { expect_bad_data("text,label\ngood,1\nbad,0,7\n", {"train.csv:3"}); }

TEST(BadData, BytesThatAreNotUtf8) {
  expect_bad_data(
      "text,label\ngood,1\nb\xff"
      "d,0\n",
      {"train.csv:3", "UTF-8"});
}

TEST(BadData, RecordsThatAreDamagedOrCut) {
  const std::string whole = read(std::filesystem::path(PORTATUNE_TEST_DATA) / "tfrecord" / "examples.tfrecord");
  std::string damaged_length = whole;
  damaged_length[0] ^= 1;
  for (const auto& [bytes, fault] : {std::pair{damaged_length, "length with a wrong checksum"},
                                     std::pair{whole.substr(0, 50), "ends 50 bytes into the record"}}) {
    const Toy toy;
    write(toy.file("train.tfrecord"), bytes);
    Words words = toy.fit();
    *std::ranges::find(words, toy.file("train.csv")) = toy.file("train.tfrecord");
    expect_refusal(portatune(words), 65, {"train.tfrecord:1", fault});
    EXPECT_THAT(toy.left_behind(), testing::ElementsAre("train.tfrecord"));
  }
}

TEST(BadData, EmptyLabel) { expect_bad_data("text,label\ngood,1\nbad,\n", {"train.csv:3", "empty label"}); }

TEST(BadData, OneLabelAlone) {
  const Toy toy;
  write(toy.file("train.csv"), "text,label\ngood,1\nfine,1\n");
  expect_refusal(portatune(toy.fit()), 65, {"one class only, \"1\"", "at least two classes"});
}

TEST(BadData, SigmoidHeadNeedsLabels0And1) {
  const Toy toy;
  write(toy.file("train.csv"), "text,label\ngood,yes\nbad,no\n");
  expect_refusal(portatune(toy.fit({"--head", "sigmoid"})), 2, {"no, yes", "0 and 1"});
}

TEST(BadData, LabelThatTrainingDoesNotHave) {
  const Toy toy;
  write(toy.file("validation.csv"), "text,label\ngood,1\nbad,2\n");
  expect_refusal(portatune(toy.fit()), 65, {"validation.csv:3", "label \"2\"", "0, 1"});
  EXPECT_THAT(toy.left_behind(), testing::IsEmpty());
}

TEST(BadData, UnknownEndingOfTheFile) {
  const Toy toy;
  write(toy.file("train.xlsx"), "PK");
  Words words = toy.fit();
  *std::ranges::find(words, toy.file("train.csv")) = toy.file("train.xlsx");
  expect_refusal(portatune(words), 2, {"train.xlsx", ".csv"});
}

TEST(BadData, MissingFile) {
  const Toy toy;
  std::filesystem::remove(toy.file("train.csv"));
  expect_refusal(portatune(toy.fit()), 66, {"train.csv"});
}

TEST(LongText, IsCutToTheMaximumLength) {
  const Toy toy;
  std::string words;
  for (int i = 0; i < 10'000; ++i) words += " good";
  write(toy.file("train.csv"), toy_csv(8) + words + ",1\n");
  EXPECT_EQ(portatune(toy.fit({"--max-steps", "2"})).exit_code, 0);
}

TEST(BadOption, MaximumLengthBeyondThePositionsOfTheModel) {
  const Toy toy;
  Words words = toy.fit();
  *(std::ranges::find(words, "--max-length") + 1) = "33";
  expect_refusal(portatune(words), 2, {"portatune: --max-length\n", "33", "3 to 32"});
}

// fit() with a model that `damage` has changed.
template <class Damage>
void expect_bad_model(const Damage& damage, int exit_code, const std::vector<std::string>& parts) {
  const Toy toy;
  const std::filesystem::path model = toy.copy_of_model();
  damage(model);
  Words words = toy.fit();
  *std::ranges::find(words, tiny_bert()) = model.string();
  expect_refusal(portatune(words), exit_code, parts);
  EXPECT_THAT(toy.left_behind(), testing::ElementsAre("model"));
}

void replace(const std::filesystem::path& file, const std::string& old_text, const std::string& new_text) {
  std::string text = read(file);
  const size_t begin = text.find(old_text);
  ASSERT_NE(begin, std::string::npos);
  write(file, text.replace(begin, old_text.size(), new_text));
}

TEST(BadModel, WeightsThatEndTooSoon) {
  expect_bad_model([](const auto& model) { std::filesystem::resize_file(model / "model.safetensors", 10'000); }, 65,
                   {"model.safetensors"});
}

TEST(BadModel, HeaderThatLiesAboutItsLength) {
  expect_bad_model(
      [](const auto& model) {
        const std::string text = read(model / "model.safetensors");
        write(model / "model.safetensors", std::string("\xff\xff\xff\xff\xff\xff\xff\x7f", 8) + text.substr(8));
      },
      65, {"model.safetensors"});
}

TEST(BadModel, UnknownArchitecture) {
  expect_bad_model(
      [](const auto& model) {
        replace(model / "config.json", "\"model_type\": \"bert\"", "\"model_type\": \"mamba\"");
      },
      65, {"mamba", "bert"});
}

TEST(BadModel, ConfigThatIsNotJson) {
  expect_bad_model([](const auto& model) { write(model / "config.json", "{\"model_type\": "); }, 65, {"config.json"});
}

TEST(BadModel, NoTokenizer) {
  expect_bad_model(
      [](const auto& model) {
        for (const char* name : {"tokenizer.json", "tokenizer_config.json", "vocab.txt"})
          std::filesystem::remove(model / name);
      },
      66, {"tokenizer.json"});
}

TEST(BadModel, WithoutAHead) {
  const Toy toy;
  expect_refusal(portatune({"predict", "--model", tiny_bert(), "--text", "good"}), 65,
                 {tiny_bert() + "\n", "no labels", "fine-tune the model first"});
}

TEST(BadModel, NoSuchFolder) {
  const Toy toy;
  Words words = toy.fit();
  *std::ranges::find(words, tiny_bert()) = toy.file("nowhere");
  expect_refusal(portatune(words), 66, {"nowhere"});
}

TEST(BadPlugin, IsMissing) {
  expect_refusal(portatune({"devices", "--plugin", "/nowhere/plugin.so"}), 69, {"/nowhere/plugin.so"});
}

TEST(BadPlugin, IsNoPlugin) { expect_refusal(portatune({"devices", "--plugin", NOT_A_PLUGIN}), 69, {"GetPjrtApi"}); }

TEST(BadPlugin, IsOfAnotherVersion) {
  expect_refusal(portatune({"devices", "--plugin", FAKE_OF_OLD_PJRT}), 69, {"0.40", "expected"});
}

TEST(BadDevice, IsUnknown) {
  for (const char* device : {"abacus", "cpu:0", "cuda:", "cuda:-1", "cuda:x", "tpu:1", ""}) {
    expect_refusal(portatune({"devices", "--device", device}), 2, {"device \"" + std::string(device) + "\"", "cuda:N"});
  }
}

TEST(BadDevice, IsNotThere) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
  PORTATUNE_SKIP_WITHOUT_PLUGIN(pjrt::AotTarget::kCudaH100);
  const std::string plugin = pjrt::aot_plugin_file(pjrt::AotTarget::kCudaH100).string();
  for (const char* device : {"cuda", "cuda:1"}) {
    expect_refusal(portatune({"devices", "--device", device, "--plugin", plugin}), 69,
                   {device, "No visible GPU devices"});
  }
}

// fit has an option of this name.
TEST(BadOption, ThatIsMissingIsReportedForItsCommand) {
  const Finished run = portatune({"grow", "--model", tiny_bert()});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, testing::StartsWith("portatune: grow\n"));
}

}  // namespace
}  // namespace portatune::cli
