// Predictions that are joined to the rows that they are of, as lines and as tables; rows from pipes and the command
// line.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/image_toy.h"
#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The output of a shell for a line in which `portatune` is the command.
Finished shell(const std::string& line) {
  const TemporaryFolder folder;
  write(folder / "line", "portatune() { " PORTATUNE_COMMAND " \"$@\"; }\n" + line);
  const std::string out = folder / "out", err = folder / "err";
  const int status = std::system(("bash " + (folder / "line").string() + " >" + out + " 2>" + err).c_str());
  return {WEXITSTATUS(status), read(out), read(err)};
}

// A toy model that has learned, made once.
class PredictionRows : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    toy_ = std::make_unique<Toy>();
    ASSERT_EQ(portatune(toy_->fit({"--epochs", "10"})).exit_code, 0);
    write(toy_->file("a.csv"), "id,text,label\n007,\"the film was lovely, we saw it\",x\n008,the play was bad,y\n");
    write(toy_->file("b.csv"), "id,text,label\n009,a great book,x\n");
    write(toy_->file("broken.csv"), "id,text\n1,good\n2,bad,3\n\n4,fine\n5\n");
  }
  static void TearDownTestSuite() { toy_.reset(); }

  static std::string file(const std::string& name) { return toy_->file(name); }
  static Finished predict(const Words& more) {
    return portatune(Words{"predict", "--model", toy_->output(), "--max-length", "16"} + more);
  }
  static std::unique_ptr<Toy> toy_;
};
std::unique_ptr<Toy> PredictionRows::toy_;

TEST_F(PredictionRows, AreCountedOverAllFilesAndRepeatColumns) {
  const Finished run = predict({"--data", file("a.csv"), file("b.csv"), "--keep-columns", "id,text"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<json> lines = json_lines(run.out);
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_THAT(run.out,
              StartsWith(R"({"row":0,"id":"007","text":"the film was lovely, we saw it","label":"1","score":)"));
  EXPECT_EQ(lines[1]["row"], 1);
  EXPECT_EQ(lines[1]["label"], "0");
  EXPECT_EQ(lines[2]["row"], 2);
  EXPECT_EQ(lines[2]["id"], "009");
}

TEST_F(PredictionRows, ComeInTheirOrderWhateverTheLengths) {
  std::string rows = "id,text\n";
  for (int i = 0; i < 40; ++i) rows += std::to_string(i) + ",good" + (i % 3 == 0 ? " and we saw the book" : "") + "\n";
  write(file("uneven.csv"), rows);
  const Finished run = predict(
      {"--data", file("uneven.csv"), "--keep-columns", "id", "--padding", "buckets=4,8,16", "--batch-size", "8"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<json> lines = json_lines(run.out);
  ASSERT_THAT(lines, SizeIs(40));
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["row"], i);
    EXPECT_EQ(lines[i]["id"], std::to_string(i));
  }
}

TEST_F(PredictionRows, ThatAreSkippedHaveALineToo) {
  const Finished run =
      predict({"--data", file("broken.csv"), file("b.csv"), "--bad-rows", "skip:2", "--keep-columns", "id"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<json> lines = json_lines(run.out);
  ASSERT_THAT(lines, SizeIs(5));
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["row"], i);
  EXPECT_EQ(lines[0]["id"], "1");
  EXPECT_THAT(lines[1]["skipped"], HasSubstr("3 fields"));
  EXPECT_FALSE(lines[1].contains("label"));
  EXPECT_EQ(lines[2]["id"], "4");
  EXPECT_THAT(lines[3]["skipped"], HasSubstr("1 field"));
  EXPECT_EQ(lines[4]["id"], "009");
}

TEST_F(PredictionRows, BecomeATableByTheExtension) {
  ASSERT_EQ(predict({"--data", file("a.csv"), "--keep-columns", "id,text", "--output", file("p.csv")}).exit_code, 0);
  const std::vector<std::string> csv = lines_of(read(file("p.csv")));
  ASSERT_THAT(csv, SizeIs(3));
  EXPECT_EQ(csv[0], "row,id,text,label,score,score_0,score_1");
  EXPECT_THAT(csv[1], MatchesRegex(R"(0,007,"the film was lovely, we saw it",1,0\.[0-9]+,0\.[0-9]+,0\.[0-9]+)"));

  ASSERT_EQ(predict({"--data", file("broken.csv"), "--bad-rows", "skip:2", "--output", file("p.tsv")}).exit_code, 0);
  const std::vector<std::string> tsv = lines_of(read(file("p.tsv")));
  ASSERT_THAT(tsv, SizeIs(5));
  EXPECT_EQ(tsv[0], "row\tlabel\tscore\tscore_0\tscore_1\tskipped");
  EXPECT_THAT(tsv[2], StartsWith("1\t\t\t\t\t3 fields"));
  EXPECT_THAT(tsv[3], MatchesRegex("2\t[01]\t0[.0-9]+\t0[.0-9]+\t0[.0-9]+\t"));

  ASSERT_EQ(predict({"--data", file("b.csv"), "--output", file("p.txt")}).exit_code, 0);
  EXPECT_THAT(read(file("p.txt")), StartsWith(R"({"row":0,"label":)"));
}

TEST_F(PredictionRows, ATableMayBeginWithSkippedRowsOrHaveNoOthers) {
  write(file("bad_first.csv"), "text\na,b\ngood\n");
  ASSERT_EQ(predict({"--data", file("bad_first.csv"), "--bad-rows", "skip:1", "--output", file("p.csv")}).exit_code, 0);
  const std::vector<std::string> lines = lines_of(read(file("p.csv")));
  ASSERT_THAT(lines, SizeIs(3));
  EXPECT_EQ(lines[0], "row,label,score,score_0,score_1,skipped");
  EXPECT_THAT(lines[1], StartsWith("0,,,,,"));
  write(file("all_bad.csv"), "text\na,b\n");
  ASSERT_EQ(predict({"--data", file("all_bad.csv"), "--bad-rows", "skip:1", "--output", file("p.csv")}).exit_code, 0);
  EXPECT_THAT(lines_of(read(file("p.csv"))), ElementsAre("row,skipped", StartsWith("0,")));
}

TEST_F(PredictionRows, KeptColumnsAreThoseOfTheRowsAndHaveNamesOfTheirOwn) {
  const Finished clash = predict({"--data", file("a.csv"), "--keep-columns", "label", "--output", file("none.jsonl")});
  EXPECT_EQ(clash.exit_code, 2) << clash.err;
  EXPECT_THAT(clash.err, HasSubstr("--rename-columns label="));
  EXPECT_FALSE(fs::exists(file("none.jsonl")));
  const Finished renamed =
      predict({"--data", file("a.csv"), "--rename-columns", "label=gold", "--keep-columns", "gold"});
  ASSERT_EQ(renamed.exit_code, 0) << renamed.err;
  EXPECT_EQ(json_lines(renamed.out).at(1)["gold"], "y");
  const Finished missing = predict({"--data", file("a.csv"), "--keep-columns", "ids"});
  EXPECT_EQ(missing.exit_code, 65) << missing.err;
  EXPECT_THAT(missing.err, HasSubstr("did you mean 'id'?"));
}

TEST_F(PredictionRows, MayComeFromPipesAndFilesOfAnyName) {
  const std::string expected = predict({"--data", file("a.csv")}).out;
  fs::copy_file(file("a.csv"), file("a.data"), fs::copy_options::overwrite_existing);
  const std::string predicts = "portatune predict --model " + toy_->output() + " --max-length 16 --format csv --data ";
  for (const std::string& line :
       {"cat " + file("a.csv") + " | " + predicts + "-",
        "cat " + file("a.csv") + " | " + predicts + "/dev/stdin --padding auto=2", predicts + "- <" + file("a.csv"),
        predicts + "<(cat " + file("a.csv") + ")", predicts + file("a.data")}) {
    const Finished run = shell(line);
    EXPECT_EQ(run.exit_code, 0) << line << run.err;
    EXPECT_EQ(json_lines(run.out).size(), 2u) << line;
    if (line.find("auto") == std::string::npos) {
      EXPECT_EQ(run.out, expected) << line;
    }
  }
  const Finished evaluate = shell("cat " + file("validation.csv") + " | portatune evaluate --model " + toy_->output() +
                                  " --max-length 16 --format csv --data - --json");
  ASSERT_EQ(evaluate.exit_code, 0) << evaluate.err;
  EXPECT_GT(json::parse(evaluate.out)["accuracy"], 0.95);
  const Finished unknown =
      shell("cat " + file("a.csv") + " | portatune predict --max-length 16 --model " + toy_->output() + " --data -");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("standard input\n"));
  EXPECT_THAT(unknown.err, HasSubstr("fix       add --format csv"));
}

TEST_F(PredictionRows, MaxPredictSamplesEndsThemInAnyFileAndStream) {
  const std::vector<std::string> all =
      lines_of(predict({"--data", file("a.csv"), file("b.csv"), "--keep-columns", "id"}).out);
  ASSERT_THAT(all, SizeIs(3));
  for (size_t most = 1; most <= 4; ++most) {
    const Finished run = predict({"--data", file("a.csv"), file("b.csv"), "--keep-columns", "id",
                                  "--max-predict-samples", std::to_string(most)});
    EXPECT_EQ(lines_of(run.out), std::vector(all.begin(), all.begin() + std::min<ptrdiff_t>(most, 3))) << run.err;
  }
  const Finished stream = shell("cat " + file("a.csv") + " | portatune predict --model " + toy_->output() +
                                " --max-length 16 --format csv --data - --max_predict_samples 1 --keep-columns id");
  EXPECT_EQ(lines_of(stream.out), std::vector{all.front()}) << stream.err;
  EXPECT_THAT(lines_of(predict({"--text", "good", "--text", "bad", "--max-predict-samples", "1"}).out), SizeIs(1));
  EXPECT_EQ(predict({"--data", file("a.csv"), "--max-predict-samples", "0"}).exit_code, 2);
}

TEST_F(PredictionRows, MaxPredictSamplesDoesNotCountUnreadableRows) {
  const Finished run = predict({"--data", file("broken.csv"), "--bad-rows", "skip:2", "--max-predict-samples", "2"});
  const std::vector<json> lines = json_lines(run.out);
  ASSERT_THAT(lines, SizeIs(3)) << run.err;
  EXPECT_TRUE(lines[0].contains("label"));
  EXPECT_TRUE(lines[1].contains("skipped"));
  EXPECT_TRUE(lines[2].contains("label"));
}

TEST_F(PredictionRows, StandardInputMayBeTheNullDevice) {
  const Finished run =
      shell("portatune predict --model " + toy_->output() + " --max-length 16 --format csv --data - </dev/null");
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, HasSubstr("no rows"));
}

TEST_F(PredictionRows, ErrorsOfStandardInputNameItAndTheLine) {
  const Finished run = shell("printf 'text\\ngood\\na,b\\n' | portatune predict --model " + toy_->output() +
                             " --max-length 16 --format csv --data -");
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, HasSubstr("/dev/stdin:3"));
}

TEST_F(PredictionRows, MayBeTextsOfTheCommandLine) {
  const Finished run = predict({"--text", "the film was lovely", "--text", "a dreary, awful book"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<json> lines = json_lines(run.out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0]["label"], "1");
  EXPECT_EQ(lines[1]["label"], "0");
  EXPECT_EQ(lines[1]["row"], 1);
  EXPECT_EQ(predict({}).exit_code, 2);
  EXPECT_EQ(predict({"--text", "a", "--data", file("a.csv")}).exit_code, 2);
  EXPECT_THAT(predict({"--text", "a", "--text-pair-column", "other"}).err, HasSubstr("other"));
}

TEST(PredictionRowsOfImages, ThatCannotBeDecodedAreSkippedInTheirPlace) {
  const ImageToy toy;
  toy.add_pictures("pictures", 2);
  write(toy.file("a.csv"), "id,image\n1,pictures/red/0.png\n2,pictures/none.png\n3,pictures/blue/1.png\n4,none.png\n");
  const Finished run =
      portatune({"predict", "--task", "image-classification", "--model", toy.file("model"), "--data", toy.file("a.csv"),
                 "--bad-rows", "skip:2", "--keep-columns", "id", "--output", toy.file("p.csv")});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<std::string> lines = lines_of(read(toy.file("p.csv")));
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_THAT(lines[0], StartsWith("row,id,image,label,score,score_"));
  EXPECT_THAT(lines[1], StartsWith("0,1,pictures/red/0.png,"));
  EXPECT_THAT(lines[2], testing::AllOf(StartsWith("1,2,,"), HasSubstr("pictures/none.png")));
  EXPECT_THAT(lines[3], StartsWith("2,3,pictures/blue/1.png,"));
  EXPECT_THAT(lines[4], StartsWith("3,4,,"));
  const Finished text = portatune(
      {"predict", "--task", "image-classification", "--model", toy.file("model"), "--text", "pictures/red/0.png"});
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_THAT(text.err, HasSubstr("--data FILE"));
}

}  // namespace
}  // namespace portatune::cli
