// The report of fit before training, and the settings that fit refuses to guess.
#include "portatune/cli/terminal/opening_report.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/image_toy.h"
#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// portatune fit with this training file, for one step.
Finished fit(const Toy& toy, const std::string& rows, const Words& more = {}) {
  write(toy.file("rows.csv"), rows);
  Finished run = portatune(Words{"fit", "--model", tiny_bert(), "--train", toy.file("rows.csv"), "--output",
                                 toy.output(), "--max-length", "8", "--max-steps", "1"} +
                           more);
  run.err = unwrapped(run.err);
  return run;
}

TEST(OpeningReport, TellsDeviceModelDataAndRun) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--epochs", "1"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string said = unwrapped(run.err);
  EXPECT_THAT(said, testing::ContainsRegex("(^|\n)portatune [0-9.]+   cpu: [0-9]+ cores?, .*; float32\n"));
  EXPECT_THAT(said, HasSubstr("\nmodel   tiny_bert: BertModel for text-classification, "));
  EXPECT_THAT(said, HasSubstr(" parameters; new: classifier (34)\n"));  // 16 x 2 weights and 2 biases
  EXPECT_THAT(said,
              HasSubstr("\ntrain   train.csv: 64 rows; 2 classes: 0 (32), 1 (32); tokens 11 median, 11 longest; 0 "
                        "texts cut at 16\n"));
  EXPECT_THAT(said, HasSubstr("\neval    validation.csv: 37 rows\n"));
  EXPECT_THAT(said, HasSubstr("\nrun     1 epoch of 4 steps, batch 16, AdamW 0.01 linear, seed 42; metrics in " +
                              toy.output() + "/metrics.jsonl\n"));
  EXPECT_THAT(said, Not(HasSubstr("warning:")));
}

TEST(OpeningReport, CountsTheParametersThatAreTrained) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--max-steps", "1", "--freeze", "bert"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(unwrapped(run.err),
              testing::ContainsRegex("; frozen: bert; trained: 34 parameters \\(0[.][0-9]+ %\\)\n"));
}

TEST(OpeningReport, LinesHaveAtMost80Columns) {
  EXPECT_THAT(labelled("train", "a b"), ElementsAre("train   a b"));
  EXPECT_THAT(labelled("run", std::string(60, 'x') + " 23456789 12 34"),
              ElementsAre("run     " + std::string(60, 'x') + " 23456789 12", "        34"));
}

TEST(OpeningReport, CountsTextsThatAreCutAndRowsWithoutText) {
  const Toy toy;
  const Finished run = fit(toy, "text,label\nthe film was good and we saw the play,1\nbad film,0\n,0\nthe play,1\n");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("4 rows; 2 classes: 0 (2), 1 (2); tokens 4 median, 8 longest; 1 text cut at 8\n"));
  EXPECT_THAT(run.err, HasSubstr("warning: 1 of 4 rows has no text\n"));
}

TEST(OpeningReport, WarnsOfClassesThatAreProbablyNotMeant) {
  const Toy toy;
  const Finished run = fit(toy, "text,label\na,pos\nb,neg\nc,pos \nd,Pos\ne,nan\nf,neg\n");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("5 classes: Pos (1), nan (1), neg (2), pos (1), \"pos \" (1)"));
  EXPECT_THAT(run.err, HasSubstr("warning: the classes \"Pos\", \"pos\", \"pos \" differ only by case or blanks\n"));
  EXPECT_THAT(run.err, HasSubstr("warning: \"nan\" is a class, though it looks like a missing value (1 label)\n"));
  EXPECT_THAT(run.err, Not(HasSubstr("as many classes")));
}

TEST(OpeningReport, WarnsOfClassesThatAreTheSameNumber) {
  const Toy toy;
  const Finished run = fit(toy, "text,label\na,0\nb,1\nc,0.0\nd,1.0\ne,2\n");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("warning: the classes \"0\", \"0.0\" are the same number\n"));
  EXPECT_THAT(run.err, HasSubstr("warning: the classes \"1\", \"1.0\" are the same number\n"));
}

TEST(OpeningReport, WarnsOfAsManyClassesAsRows) {
  const Toy toy;
  const Finished run = fit(toy, "text,label\na,x1\nb,x2\nc,x3\nd,x4\n");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("warning: there are as many classes as rows, 4: is this the column of the label?\n"));
}

TEST(OpeningReport, WarnsOfATrainingFileThatIsTheValidationFile) {
  const Toy toy;
  const std::string rows = toy_csv(8);
  write(toy.file("copy.csv"), rows);
  const Finished copy = fit(toy, rows, {"--validation", toy.file("copy.csv")});
  EXPECT_THAT(copy.err, HasSubstr("warning: the validation file " + toy.file("copy.csv") + " is the same file as " +
                                  toy.file("rows.csv")));
  std::filesystem::remove_all(toy.output());
  const Finished same = fit(toy, rows, {"--validation", toy.file("rows.csv")});
  EXPECT_THAT(same.err, HasSubstr("rows.csv is a training file, too"));
  std::filesystem::remove_all(toy.output());
  write(toy.file("copy.csv"), toy_csv(7));
  EXPECT_THAT(fit(toy, rows, {"--validation", toy.file("copy.csv")}).err, Not(HasSubstr("warning:")));
}

TEST(OpeningReport, WarnsOfAValidationFileInTheFolderOrPatternOfTheTrainingFiles) {
  const Toy toy;
  std::filesystem::create_directory(toy.file("parts"));
  write(toy.file("parts/a.csv"), toy_csv(8));
  write(toy.file("parts/b.csv"), toy_csv(7));
  for (const std::string& train : {toy.file("parts"), toy.file("parts/*.csv")}) {
    std::filesystem::remove_all(toy.output());
    const Finished run =
        portatune({"fit", "--model", tiny_bert(), "--train", train, "--validation", toy.file("parts/b.csv"), "--output",
                   toy.output(), "--max-length", "8", "--max-steps", "1"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(unwrapped(run.err), HasSubstr("parts/b.csv is a training file, too")) << train;
  }
}

TEST(OpeningReport, TellsOfAHeadThatIsReplaced) {
  const Toy toy;
  ASSERT_EQ(fit(toy, "text,label\na,bad\nb,good\n").exit_code, 0);
  write(toy.file("stars.csv"), "text,label\na,1\nb,2\nc,5\nd,5\n");
  const Finished run = portatune({"fit", "--model", toy.output(), "--train", toy.file("stars.csv"), "--output",
                                  toy.file("again"), "--max-length", "8", "--max-steps", "1"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string said = unwrapped(run.err);
  EXPECT_THAT(said, HasSubstr("; replaced: classifier (51)\n"));
  EXPECT_THAT(said, HasSubstr("warning: the checkpoint's classifier has 2 classes (bad, good), the data 3 (1, 2, 5): "
                              "it is replaced\n"));
}

TEST(OpeningReport, WarnsOfClassesThatTakeThePlaceOfOthers) {
  const Toy toy;
  ASSERT_EQ(fit(toy, "text,label\na,bad\nb,good\n").exit_code, 0);
  const auto said = [&](const std::string& rows) {
    write(toy.file("others.csv"), rows);
    std::filesystem::remove_all(toy.file("again"));
    const Finished run = portatune({"fit", "--model", toy.output(), "--train", toy.file("others.csv"), "--output",
                                    toy.file("again"), "--max-length", "8", "--max-steps", "1"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return unwrapped(run.err);
  };
  EXPECT_THAT(said("text,label\na,amazing\nb,bad\n"), HasSubstr("is kept: class 1 \"good\" becomes \"amazing\"\n"));
  EXPECT_EQ(json::parse(read(toy.file("again/config.json")))["id2label"], json({{"0", "bad"}, {"1", "amazing"}}));
  EXPECT_THAT(said("text,label\na,good\nb,bad\n"), Not(HasSubstr("becomes")));
  EXPECT_THAT(said("text,label\na,0\nb,1\n"), Not(HasSubstr("becomes")));
}

TEST(OpeningReport, TellsOfTagsLabelsNumbersAndImages) {
  const Toy toy;
  write(toy.file("tags.jsonl"), R"({"tokens": ["a", "film"], "ner_tags": ["O", "B"]}
{"tokens": ["the", "play"], "ner_tags": ["O", "O"]}
)");
  const auto said = [&](const std::string& file, const Words& more) {
    std::filesystem::remove_all(toy.output());
    const Finished run = portatune(Words{"fit", "--model", tiny_bert(), "--train", toy.file(file), "--output",
                                         toy.output(), "--max-length", "8", "--max-steps", "1"} +
                                   more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return unwrapped(run.err);
  };
  EXPECT_THAT(said("tags.jsonl", {"--task", "token-classification"}),
              HasSubstr("tags.jsonl: 2 rows; 2 tags: B (1), O (3); tokens 4 median"));
  write(toy.file("several.csv"), "text,label\na,\"x,y\"\nb,x\nc,\n");
  EXPECT_THAT(said("several.csv", {"--head", "multi_label_classification"}), HasSubstr("2 labels: x (2), y (1);"));
  write(toy.file("numbers.csv"), "text,label\na,0.5\nb,-2\nc,3\n");
  EXPECT_THAT(said("numbers.csv", {"--head", "regression"}), HasSubstr("3 rows; labels -2 to 3; tokens"));

  const ImageToy images;
  images.add_pictures("photos", 2);
  const Finished run = portatune(images.fit(images.file("photos"), {"--max-steps", "1"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(unwrapped(run.err), HasSubstr("train   photos: 6 rows; 3 classes: blue (2), green (2), red (2)\n"));
}

TEST(Labels, NumbersWithFractionsMustBeExplained) {
  const Toy toy;
  const std::string rows = "text,label\na,0.5\nb,1.0\nc,0.0\n";
  const Finished run = fit(toy, rows);
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, AllOf(HasSubstr("column \"label\" of " + toy.file("rows.csv")),
                             HasSubstr("given     0.0, 0.5, 1.0: numbers with fractions"),
                             HasSubstr("--head regression"), HasSubstr("--head softmax")));
  EXPECT_EQ(fit(toy, rows, {"--head", "softmax"}).exit_code, 0);
  const json config = json::parse(read(toy.output() + "/config.json"));
  EXPECT_EQ(config["id2label"], json({{"0", "0.0"}, {"1", "0.5"}, {"2", "1.0"}}));
  // The tuned model knows these classes.
  EXPECT_EQ(portatune({"fit", "--model", toy.output(), "--train", toy.file("rows.csv"), "--output", toy.file("again"),
                       "--max-length", "8", "--max-steps", "1"})
                .exit_code,
            0);
}

TEST(Labels, OneClassIsAFaultOfTheData) {
  const Toy toy;
  const Finished run = fit(toy, "text,label\na,good\nb,good\n");
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, HasSubstr("one class only, \"good\", in all rows"));
  EXPECT_THAT(run.err, Not(HasSubstr("--labels")));
}

TEST(Labels, OneThatOnlyTheValidationRowsHaveIsFoundBeforeAnyWork) {
  const Toy toy;
  write(toy.file("dev.csv"), "text,label\na,0\nb,2\n");
  const Finished run = fit(toy, toy_csv(4), {"--validation", toy.file("dev.csv")});
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, HasSubstr("dev.csv:3"));
  EXPECT_THAT(run.err, Not(HasSubstr("measuring")));
}

TEST(MaxLength, DefaultIsLoweredToThePositionsOfTheModel) {
  const Toy toy;
  const Words words = {"fit",      "--model",    tiny_bert(),   "--train", toy.file("train.csv"),
                       "--output", toy.output(), "--max-steps", "1"};
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--max-length is 32, not 128: the model has no more positions\n"));
  const Finished typed = portatune(words + Words{"--max-length", "128", "--overwrite-output"});
  EXPECT_EQ(typed.exit_code, 2);
  EXPECT_THAT(typed.err, HasSubstr("--max-length"));
}

}  // namespace
}  // namespace portatune::cli
