// --bad-rows, and files by pattern, folder and compression: through the real command.
#include <gmock/gmock.h>
#include <zlib.h>

#include <csignal>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using testing::HasSubstr;

// Among 32 rows a ragged one, one that is not UTF-8 and one without a label.
std::string broken_csv() {
  std::string text = toy_csv(32);
  text += "good,1,7\n";
  text +=
      "b\xff"
      "d,0\n";
  return text + "fine,\n";
}

TEST(BadRowsOption, PassesOverSoManyAndTellsOfThem) {
  const Toy toy;
  write(toy.file("train.csv"), broken_csv());
  const Finished run = portatune(toy.fit({"--bad-rows", "skip:3", "--epochs", "1"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("skipped " + toy.file("train.csv") + ":34: 3 fields, expected 2 fields"));
  EXPECT_THAT(run.err, HasSubstr("train.csv:35: 0xff at byte offset"));
  EXPECT_THAT(run.err, HasSubstr("train.csv:36: an empty label"));
  EXPECT_THAT(run.out, HasSubstr("bad rows            3 skipped"));
}

TEST(BadRowsOption, OneMoreIsAnError) {
  const Toy toy;
  write(toy.file("train.csv"), broken_csv());
  const Finished run = portatune(toy.fit({"--bad-rows", "skip:2"}));
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, HasSubstr("at most 2 bad rows"));
  EXPECT_THAT(toy.left_behind(), testing::IsEmpty());
}

TEST(BadRowsOption, IsPartOfTheResults) {
  const Toy toy;
  Words words = toy.fit({"--bad-rows", "skip:5", "--epochs", "1", "--json"});
  write(toy.file("train.csv"), broken_csv());
  const Finished run = portatune(words);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["skipped_rows"], 3);
  const Finished evaluation = portatune({"evaluate", "--model", toy.output(), "--data", toy.file("train.csv"),
                                         "--bad-rows", "skip:3", "--json", "--max-length", "16"});
  ASSERT_EQ(evaluation.exit_code, 0) << evaluation.err;
  EXPECT_EQ(nlohmann::json::parse(evaluation.out)["skipped_rows"], 3);
}

// The rows are read for the lengths of batches, and read again to be predicted.
TEST(BadRowsOption, IsThatOfPredictToo) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit({"--epochs", "1"})).exit_code, 0);
  write(toy.file("new.csv"), broken_csv());
  for (const char* padding : {"max_length", "multiple_of=8"}) {
    const Finished run =
        portatune({"predict", "--model", toy.output(), "--data", toy.file("new.csv"), "--output", toy.file("new.jsonl"),
                   "--bad-rows", "skip:2", "--max-length", "16", "--padding", padding});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("new.csv:34: 3 fields"));
    EXPECT_THAT(run.err, HasSubstr("2 bad rows skipped"));
    EXPECT_EQ(std::ranges::count(read(toy.file("new.jsonl")), '\n'), 35);  // each row, skipped or without a label, too
    std::filesystem::remove(toy.file("new.jsonl"));
  }
}

// A resumed run counts the rows that the run before it has skipped, and reports only the others.
TEST(BadRowsOption, IsPartOfCheckpoints) {
  const Toy toy;
  write(toy.file("train.csv"), broken_csv());
  const Words words = toy.fit({"--bad-rows", "skip:3", "--epochs", "100"});
  Program program(words);
  ASSERT_TRUE(program.says("epoch 3/"));
  program.signal(SIGINT);
  const Finished stopped = program.wait();
  ASSERT_EQ(stopped.exit_code, 75) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("skipped"));
  const Finished resumed = portatune(words + Words{"--resume", "--json"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(nlohmann::json::parse(resumed.out)["skipped_rows"], 3);
}

TEST(BadRowsOption, WordsThatMakeNoSenseAreRefused) {
  const Toy toy;
  for (const char* word : {"ignore", "skip", "skip:", "skip:0", "skip:-1", "skip:two"}) {
    const Finished run = portatune(toy.fit({"--bad-rows", word}));
    EXPECT_EQ(run.exit_code, 2) << word;
    EXPECT_THAT(run.err, HasSubstr("fail, or skip:N")) << word;
  }
  const Finished folds = portatune(toy.fit({"--bad-rows", "skip:1", "--folds", "2"}));
  EXPECT_EQ(folds.exit_code, 2);
}

// Rows of every kind of task, the first and the sixth of them bad.
struct TaskOfRows {
  const char* name;
  nlohmann::json (*row)(int);
  nlohmann::json bad;
  Words words = {};
};

const TaskOfRows kTasksOfRows[] = {
    {"text-classification",
     [](int i) {
       return nlohmann::json{{"text", i % 2 == 0 ? "the film was good" : "bad"}, {"label", i % 2}};
     },
     {{"text", "a row without a label"}, {"label", ""}}},
    {"question-answering",
     [](int i) {
       return nlohmann::json{{"id", "q" + std::to_string(i)},
                             {"question", "good"},
                             {"context", "the film was good"},
                             {"answers", {{"text", {"film"}}, {"answer_start", {4}}}}};
     },
     {{"id", "bad"},
      {"question", "good"},
      {"context", "the film"},
      {"answers", {{"text", {"play"}}, {"answer_start", {4}}}}}},
    {"token-classification",
     [](int i) {
       return nlohmann::json{{"tokens", {"the", i % 2 == 0 ? "film" : "play"}}, {"ner_tags", {"O", "B-THING"}}};
     },
     {{"tokens", {"the", "film"}}, {"ner_tags", "[\"O\","}}},
    {"masked-lm",
     [](int) {
       return nlohmann::json{{"text", "the film was good"}};
     },
     {{"no text", "here"}}}};

class BadRowsOfTasks : public testing::TestWithParam<TaskOfRows> {
 protected:
  BadRowsOfTasks() {
    std::string text;
    for (int i = 0; i < 24; ++i) text += (i == 0 || i == 5 ? GetParam().bad : GetParam().row(i)).dump() + "\n";
    write(rows_, text);
  }

  void expect_two_passed_over(const Words& words) const {
    const Finished run = portatune(
        words + Words{"--task", GetParam().name, "--max-length", "16", "--batch-size", "8", "--bad-rows", "skip:2"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("skipped " + rows_ + ":1: ")) << words.front();
    EXPECT_THAT(run.err, HasSubstr("skipped " + rows_ + ":6: ")) << words.front();
  }

  const Toy toy_;
  const std::string rows_ = toy_.file("rows.jsonl");
};

TEST_P(BadRowsOfTasks, AreSkippedByTraining) {
  const Words fit = {"fit",         "--model",  tiny_bert(), "--train", rows_,    "--output",
                     toy_.output(), "--epochs", "1",         "--dtype", "float32"};
  expect_two_passed_over(fit + Words{"--validation-split", "0.3"});
  std::filesystem::remove_all(toy_.output());
  expect_two_passed_over(fit + Words{"--packing", "exact_examples"});
  std::filesystem::remove_all(toy_.output());
  expect_two_passed_over(fit + Words{"--padding", "auto=2", "--validation", rows_});
}

TEST_P(BadRowsOfTasks, AreSkippedByMeasuringOfInput) {
  expect_two_passed_over({"bench-input", "--model", tiny_bert(), "--train", rows_, "--seconds", "0.01"});
}

INSTANTIATE_TEST_SUITE_P(Tasks, BadRowsOfTasks, testing::ValuesIn(kTasksOfRows), [](const auto& info) {
  std::string name = info.param.name;
  std::erase(name, '-');
  return name;
});

// Skipped records make the index of a record among all records differ from its index among the good ones.
TEST(BadRowsOption, OfTfrecordsWithAnIndexAreSkippedInASplit) {
  const Toy toy;
  std::string rows = "text,label\n";
  for (int i = 0; i < 20; ++i) rows += i == 3 ? "damaged,1\n" : i % 2 == 0 ? "good,1\n" : "bad,0\n";
  write(toy.file("rows.csv"), rows);
  const std::string records = toy.file("rows.tfrecord");
  ASSERT_EQ(portatune({"tfrecord", "write", "--input", toy.file("rows.csv"), "--output", records}).exit_code, 0);
  std::string bytes = read(records);
  bytes[bytes.find("damaged")] = 'D';  // so that its checksum is wrong
  write(records, bytes);
  const Finished fit =
      portatune({"fit", "--model", tiny_bert(), "--train", records, "--output", toy.output(), "--max-length", "8",
                 "--epochs", "1", "--validation-split", "0.2", "--bad-rows", "skip:1", "--json"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(nlohmann::json::parse(fit.out)["skipped_rows"], 1);
}

// A row that does not say what is to be predicted from.
TEST(BadRowsOption, PredictionsSayWhichRowsAreSkipped) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit({"--epochs", "1"})).exit_code, 0);
  write(toy.file("rows.csv"), "text\n" +
                                  std::string("b\xff"
                                              "d\n") +
                                  "good\nbad\n");
  const Finished run = portatune({"predict", "--model", toy.output(), "--data", toy.file("rows.csv"), "--max-length",
                                  "16", "--padding", "auto=1", "--bad-rows", "skip:1"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(std::ranges::count(run.out, '\n'), 3);
  EXPECT_THAT(run.out, testing::StartsWith("{\"row\":0,\"skipped\":"));
  EXPECT_THAT(run.err, HasSubstr("skipped " + toy.file("rows.csv") + ":2"));
}

TEST(BadRowsOption, IsRefusedWhereRowsFollowEachOther) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--task", "masked-lm", "--next-sentence", "--bad-rows", "skip:1"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--next-sentence as well"));
}

// The same rows as train.csv, compressed and in two files.
void write_gz(const std::string& path, const std::string& text) {
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  gzclose(file);
}

TEST(DataFiles, MayBeAPatternOrAFolderOfCompressedTables) {
  const Toy toy;
  std::filesystem::create_directory(toy.file("data"));
  write_gz(toy.file("data/a.csv.gz"), toy_csv(24));
  write_gz(toy.file("data/b.csv.gz"), toy_csv(8));
  write(toy.file("data/README.txt"), "What this is.\n");
  for (const std::string& words : {toy.file("data"), toy.file("data/*.csv.gz")}) {
    Words command = toy.fit({"--epochs", "1"});
    *std::ranges::find(command, toy.file("train.csv")) = words;
    const Finished run = portatune(command);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr(": 32 rows"));
    std::filesystem::remove_all(toy.output());
  }
}

TEST(DataFiles, APatternThatNothingMatchesIsNamed) {
  const Toy toy;
  Words command = toy.fit();
  *std::ranges::find(command, toy.file("train.csv")) = toy.file("*.jsonl");
  const Finished run = portatune(command);
  EXPECT_EQ(run.exit_code, 66);
  EXPECT_THAT(run.err, HasSubstr("*.jsonl'"));
}

TEST(DataFiles, ColumnsMayBeRenamed) {
  const Toy toy;
  std::string csv = toy_csv(32);
  write(toy.file("train.csv"), "sentence,class" + csv.substr(csv.find('\n')));
  write(toy.file("validation.csv"), read(toy.file("train.csv")));
  const Finished run = portatune(toy.fit({"--epochs", "1", "--rename-columns", "sentence=text", "class=label"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST(DataFiles, ACutGzipFileIsToldWithItsOffset) {
  const Toy toy;
  write_gz(toy.file("train.csv.gz"), toy_csv(1000));
  std::filesystem::resize_file(toy.file("train.csv.gz"), 100);
  Words command = toy.fit();
  *std::ranges::find(command, toy.file("train.csv")) = toy.file("train.csv.gz");
  const Finished run = portatune(command);
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, HasSubstr("at byte offset 100 of the file"));
}

}  // namespace
}  // namespace portatune::cli
