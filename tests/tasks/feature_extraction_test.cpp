#include "portatune/tasks/feature_extraction.h"

#include <gmock/gmock.h>

#include "portatune/error.h"
#include "portatune/tasks/prediction_task.h"
#include "portatune/tasks/sentence_transformer.h"
#include "tasks/forward.h"
#include "tasks/sentences.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

void expect_embeddings(const std::vector<Json>& found, const Json& expected, const std::string& where) {
  ASSERT_EQ(found.size(), expected.size()) << where;
  for (size_t row = 0; row < found.size(); ++row) {
    const Json& embedding = found[row].at("embedding");
    ASSERT_EQ(embedding.size(), expected[row].size()) << where;
    for (size_t i = 0; i < embedding.size(); ++i) {
      // float32 sums in another order
      EXPECT_NEAR(embedding[i].get<double>(), expected[row][i].get<double>(), 2e-5) << where << " " << row << " " << i;
    }
  }
}

TEST(FeatureExtraction, EqualsSentenceTransformers) {
  const Json cases = prediction_cases("feature-extraction");
  ASSERT_GE(cases.size(), 15u);
  for (const Json& c : cases) {
    const TemporaryFolder folder;
    write_case_with_tokenizer(folder / "model", c["model"]);
    const auto task =
        feature_extraction(folder / "model", {.max_length = c["max_length"],
                                              .pooling = OptionType<Pooling>::read(c["pooling"].get<std::string>()),
                                              .normalize = c["normalize"].get<bool>()});
    expect_embeddings(predictions(*task, c["texts"]), c["embeddings"],
                      c["model"].get<std::string>() + " " + c["pooling"].get<std::string>());
  }
}

// A folder of sentence-transformers with these modules.
void write_modules(
    const std::filesystem::path& folder, const std::vector<std::pair<std::string, std::string>>& modules,
    const std::string& pooling = R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false})") {
  std::filesystem::copy(kTinyBert, folder);
  Json list = Json::array();
  for (const auto& [path, type] : modules)
    list.push_back({{"path", path}, {"type", "sentence_transformers.models." + type}});
  write_text(folder / "modules.json", list.dump());
  std::filesystem::create_directory(folder / "1_Pooling");
  write_text(folder / "1_Pooling" / "config.json", pooling);
}

TEST(FeatureExtraction, TakesDefaultsFromTheFilesOfSentenceTransformers) {
  const TemporaryFolder parent;
  const auto folder = parent / "model";
  write_modules(folder, {{"", "Transformer"}, {"1_Pooling", "Pooling"}, {"2_Normalize", "Normalize"}});
  write_text(folder / "sentence_bert_config.json", R"({"max_seq_length": 7, "do_lower_case": false})");
  const auto task = feature_extraction(folder, {});
  EXPECT_EQ(task->max_length(), 7);
  const auto explicit_task =
      feature_extraction(kTinyBert, {.max_length = 7, .pooling = Pooling::kCls, .normalize = true});
  const std::vector<std::string> texts = {"the film was good", "it"};
  const std::vector<Json> found = predictions(*task, texts);
  EXPECT_EQ(found, predictions(*explicit_task, texts));
  double squares = 0;
  for (const Json& x : found[0]["embedding"]) squares += x.get<double>() * x.get<double>();
  EXPECT_NEAR(squares, 1, 1e-5);
  const auto other = feature_extraction(folder, {.max_length = 9, .pooling = Pooling::kMean, .normalize = false});
  EXPECT_EQ(predictions(*other, texts), predictions(*feature_extraction(kTinyBert, {.max_length = 9}), texts));
}

TEST(FeatureExtraction, PutsTheDefaultPromptBeforeEveryText) {
  const TemporaryFolder parent;
  const auto folder = parent / "model";
  write_modules(folder, {{"", "Transformer"}, {"1_Pooling", "Pooling"}});
  write_text(folder / "config_sentence_transformers.json",
             R"({"prompts": {"query": "good "}, "default_prompt_name": "query"})");
  const auto plain = feature_extraction(kTinyBert, {.pooling = Pooling::kCls});
  EXPECT_EQ(predictions(*feature_extraction(folder, {}), {"film"}), predictions(*plain, {"good film"}));
}

TEST(FeatureExtraction, ReadsThePoolingOfNewerVersions) {
  const TemporaryFolder parent;
  write_modules(parent / "model", {{"", "Transformer"}, {"1_Pooling", "Pooling"}}, R"({"pooling_mode": "lasttoken"})");
  EXPECT_EQ(tasks::read_sentence_transformer(parent / "model").pooling, Pooling::kLast);
}

TEST(FeatureExtraction, RefusesModulesThatItLacks) {
  const auto complaint = [](const std::vector<std::pair<std::string, std::string>>& modules, const char* pooling) {
    const TemporaryFolder parent;
    write_modules(parent / "model", modules, pooling);
    return message_of<CheckpointError>([&] { feature_extraction(parent / "model", {}); });
  };
  const char* mean = R"({"pooling_mode_mean_tokens": true})";
  EXPECT_THAT(complaint({{"", "Transformer"}, {"2_Dense", "Dense"}}, mean),
              AllOf(HasSubstr("modules.json"), HasSubstr("'Dense'")));
  EXPECT_THAT(complaint({{"0_Transformer", "Transformer"}}, mean), HasSubstr("0_Transformer"));
  const std::vector<std::pair<std::string, std::string>> pooling = {{"1_Pooling", "Pooling"}};
  EXPECT_THAT(complaint(pooling, R"({"pooling_mode_weightedmean_tokens": true})"), HasSubstr("weightedmean"));
  EXPECT_THAT(complaint(pooling, R"({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true})"),
              HasSubstr("2 pooling modes"));
}

TEST(FeatureExtraction, ReadsTextsUpToThePositionsOfTheModel) {
  EXPECT_EQ(feature_extraction(kTinyBert, {})->max_length(), 32);
  EXPECT_EQ(tasks::length_of_predictions(kTinyBert, std::nullopt, 20), 20);
  EXPECT_EQ(tasks::length_of_predictions(kTinyBert, std::nullopt, 256), 32);
  EXPECT_EQ(tasks::length_of_predictions(kTinyBert, 12, 20), 12);
}

TEST(PredictionTask, LearnsNothing) {
  const auto task = feature_extraction(kTinyBert, {});
  EXPECT_THAT(message_of<UsageError>([&] { task->metrics(); }), HasSubstr("only predicts"));
  EXPECT_THROW(task->save("x"), UsageError);
}

}  // namespace
}  // namespace portatune::test
