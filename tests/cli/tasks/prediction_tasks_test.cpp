// Tasks that predict without training: embeddings, fill-mask, zero-shot classification. tests/tasks compares them with
// sentence-transformers and with the pipelines of transformers.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "tasks/case_with_tokenizer.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class PredictionTasks : public testing::Test {
 protected:
  PredictionTasks() {
    write(file("rows.csv"), "id,text\na,the film was good and we saw the play\nb,it\nc,the book was bad\n");
  }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string model(const std::string& name, const json& config = json::object()) const {
    test::write_case_with_tokenizer(folder_ / name, name, config);
    return file(name);
  }
  static std::vector<json> lines_of(const Words& words) {
    const Finished run = portatune(Words{"predict"} + words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json_lines(run.out);
  }

  const TemporaryFolder folder_;
};

TEST_F(PredictionTasks, EmbeddingsComeInTheOrderOfTheRows) {
  const Words words = {"--task", "feature-extraction", "--model", tiny_bert(), "--normalize"};
  const std::vector<json> rows = lines_of(words + Words{"--data", file("rows.csv"), "--padding", "buckets=4"});
  ASSERT_EQ(rows.size(), 3u);
  const std::vector<json> alone = lines_of(words + Words{"--text", "it"});
  ASSERT_EQ(alone.at(0)["embedding"].size(), 16u);
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_NEAR(rows[1]["embedding"][i].get<double>(), alone[0]["embedding"][i].get<double>(), 1e-5);
  }
  EXPECT_EQ(rows[2]["row"], 2);
}

TEST_F(PredictionTasks, TableHasAColumnForEachNumberOfAnEmbedding) {
  const Finished run =
      portatune({"predict", "--task", "feature-extraction", "--model", tiny_bert(), "--data", file("rows.csv"),
                 "--pooling", "cls", "--keep-columns", "id", "--output", file("embeddings.csv")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string table = read(file("embeddings.csv"));
  EXPECT_THAT(table, StartsWith("row,id,embedding_0,embedding_1,embedding_2,"));
  EXPECT_THAT(table, HasSubstr(",embedding_15\n0,a,"));
}

TEST_F(PredictionTasks, FillsTheMasksOfAText) {
  const Words words = {"--task", "fill-mask", "--model", model("bert_mlm"), "--top-k", "2"};
  const std::vector<json> rows =
      lines_of(words + Words{"--text", "the [MASK] was good", "--text", "[MASK] [MASK]", "--batch-size", "2"});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["masks"].size(), 1u);
  EXPECT_EQ(rows[1]["masks"].size(), 2u);
  EXPECT_EQ(rows[1]["masks"][1].size(), 2u);
  const Finished none = portatune(Words{"predict"} + words + Words{"--text", "the film was good"});
  EXPECT_EQ(none.exit_code, 65);
  EXPECT_THAT(none.err, AllOf(HasSubstr("--text:1"), HasSubstr("without [MASK]")));
}

TEST_F(PredictionTasks, ZeroShotScoresAreColumnsOfATable) {
  const std::string nli =
      model("bert_softmax", {{"id2label", {{"0", "contradiction"}, {"1", "neutral"}, {"2", "entailment"}}}});
  const Words words = {"predict", "--task", "zero-shot-classification", "--model", nli, "--data", file("rows.csv")};
  const Finished run = portatune(
      words + Words{"--candidate-labels", "good,bad film", "--output", file("topics.csv"), "--batch-size", "4"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(read(file("topics.csv")), StartsWith("row,label,score,score_good,score_bad film\n0,"));
  const Finished none = portatune(words);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("--candidate-labels sports,politics"));
}

TEST_F(PredictionTasks, OnlyPredict) {
  const Words task = {"--task", "fill-mask", "--model", tiny_bert()};
  const Finished fit = portatune(Words{"fit"} + task + Words{"--train", file("rows.csv"), "--output", file("tuned")});
  EXPECT_EQ(fit.exit_code, 2);
  EXPECT_THAT(fit.err, AllOf(HasSubstr("only predicts"), HasSubstr("portatune predict --task fill-mask")));
  EXPECT_EQ(portatune(Words{"evaluate"} + task + Words{"--data", file("rows.csv")}).exit_code, 2);
  EXPECT_THAT(portatune({"fit", "--help-all"}).out, testing::Not(HasSubstr("--candidate-labels")));
  EXPECT_THAT(portatune({"predict", "--help-all"}).out, HasSubstr("--candidate-labels"));
}

}  // namespace
}  // namespace portatune::cli
