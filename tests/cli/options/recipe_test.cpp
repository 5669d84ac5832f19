#include "portatune/cli/options/recipes/recipe.h"

#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/cli/options/command_line.h"
#include "portatune/error.h"
#include "portatune/tasks/question_answering.h"
#include "portatune/tasks/text_classification.h"
#include "portatune/tasks/token_classification.h"
#include "tasks/toy_seq2seq.h"

namespace portatune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RecipeFile : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    write(folder_ / "r.yaml", text);
    return (folder_ / "r.yaml").string();
  }
  FitArguments fit(const std::string& recipe, const Words& more = {}) {
    return std::get<FitArguments>(parse(Words{"fit", "--recipe", file(recipe)} + more));
  }
  std::string complaint(const std::string& recipe, const std::string& command = "fit") {
    return message_of<UsageError>([&] {
      parse({command, "--recipe", file(recipe), "--model", "m", command == "fit" ? "--train" : "--data", "t.csv",
             "--output", "o"});
    });
  }

  TemporaryFolder folder_;
};

TEST(Recipes, AreListedAndShown) {
  const Finished all = portatune({"recipes"});
  EXPECT_THAT(all.out, HasSubstr("glue/cola\nglue/mnli\n"));
  const Finished cola = portatune({"recipes", "glue/cola"});
  EXPECT_THAT(cola.out, HasSubstr("\ncolumn_names: [source, label, mark, sentence]\n"));
  EXPECT_EQ(portatune({"recipes", "glue/kola"}).exit_code, 66);
}

TEST_F(RecipeFile, IsOneOnly) {
  const std::string message = message_of<UsageError>([&] { fit("epochs: 7", {"--recipe=glue/cola"}); });
  EXPECT_THAT(message, testing::AllOf(HasSubstr("r.yaml"), HasSubstr("glue/cola"), HasSubstr("one recipe")));
}

TEST_F(RecipeFile, ColumnOrColumnsOfLabelsGiveWayToTheOtherThatIsTyped) {
  const Words files = {"--model", "m", "--train", "t.csv", "--output", "o"};
  EXPECT_THAT(fit("label_columns: [a, b]", files + Words{"--label-column", "c"})
                  .model.options.of<TextClassificationRunOptions>()
                  .label_columns,
              testing::IsEmpty());
  EXPECT_THAT(message_of<UsageError>([&] { fit("label_columns: [a, b]\nlabel_column: c", files); }),
              HasSubstr("--label-column"));
}

TEST_F(RecipeFile, SetsOptionsByAnyOfTheirNames) {
  const FitArguments a =
      fit("# a comment\n"
          "model_name_or_path: m # another\n"
          "train-file: [a.csv, 'b: c.csv']\n"
          "validation:\n  - v.csv\n"
          "output_dir: o\n"
          "text_column: \"#1 String\"\n"
          "tags_column: ''\n"
          "column_names: [x, y]\n"
          "num_train_epochs: 7\n"
          "null_score_diff_threshold: -1.5\n"
          "learning_rate: 2e-5\n"
          "version_2_with_negative: true\n"
          "quiet: false\n"
          "no_cache: true\n");
  EXPECT_EQ(a.model.folder, "m");
  EXPECT_THAT(a.train, ElementsAre("a.csv", "b: c.csv"));
  EXPECT_THAT(a.validation, ElementsAre("v.csv"));
  EXPECT_EQ(a.output, "o");
  EXPECT_EQ(a.model.options.of<TextClassificationRunOptions>().text_column, "#1 String");
  EXPECT_EQ(a.model.options.of<TokenClassificationRunOptions>().tags_column, "");
  EXPECT_THAT(a.model.table.names, ElementsAre("x", "y"));
  EXPECT_EQ(a.epochs, 7);
  EXPECT_EQ(a.model.options.of<QuestionAnsweringOptions>().null_score_diff_threshold, -1.5);
  EXPECT_EQ(a.training.learning_rate, 2e-5);
  EXPECT_TRUE(a.model.options.of<QuestionAnsweringOptions>().version_2_with_negative);
  EXPECT_FALSE(a.reporting.quiet || a.device.use_cache);
}

TEST_F(RecipeFile, TheCommandLineCountsMore) {
  const FitArguments a =
      fit("model: m\ntrain: [a.csv, b.csv]\noutput: o\nepochs: 7\nresume: true\njson: true\ncolumn_names: [x]\n",
          {"--train_file", "c.csv", "--num-train-epochs=2", "--resume_from_checkpoint", "o/checkpoint-3",
           "--json=false", "--column-names", ""});
  EXPECT_THAT(a.train, ElementsAre("c.csv"));
  EXPECT_EQ(a.epochs, 2);
  EXPECT_FALSE(a.resume || a.reporting.json);
  EXPECT_EQ(a.resume_from_checkpoint, "o/checkpoint-3");
  EXPECT_THAT(a.model.table.names, ElementsAre());
}

TEST_F(RecipeFile, OptionsOfOtherCommandsAreSkipped) {
  const auto a = std::get<EvaluateArguments>(
      parse({"evaluate", "--recipe", file("learning_rate: 1\nbatch_size: 5\nvalidation_file: v.csv"), "--model", "m"}));
  EXPECT_EQ(a.batch_size, 5);
  EXPECT_THAT(a.data, ElementsAre("v.csv"));
}

TEST_F(RecipeFile, AnUnknownKeyIsNamedWithItsLineAndTheNearestOption) {
  const std::string text = complaint("epochs: 3\n\nbatch_siz: 4\n");
  EXPECT_THAT(text,
              HasSubstr("r.yaml:3\n  given     unknown option \"batch_siz\"\n  fix       did you mean batch_size?"));
  EXPECT_THAT(complaint("xyzzy: 3\n"), HasSubstr("see portatune fit --help"));
  EXPECT_THAT(complaint("recipe: other.yaml\n"), HasSubstr("r.yaml:1\n  given     unknown option \"recipe\""));
}

TEST_F(RecipeFile, ValuesOfTheWrongKindAreNamedWithTheirLine) {
  EXPECT_THAT(complaint("seed: 1\nbatch_size: many\n"),
              HasSubstr("r.yaml:2\n  given     --batch-size many\n  expected  an integer of at least 1"));
  EXPECT_THAT(complaint("seed: 1\nper_device_train_batch_size: 0\n"), HasSubstr("r.yaml:2\n"));
  EXPECT_THAT(complaint("dtype: float8\n"), HasSubstr("r.yaml:1\n"));
  EXPECT_THAT(complaint("epochs: [3]\n"), HasSubstr("r.yaml:1\n  given     a list for \"epochs\""));
  EXPECT_THAT(complaint("resume: 3\n"),
              HasSubstr("r.yaml:1\n  given     \"3\" for \"resume\"\n  expected  true or false"));
  EXPECT_THAT(complaint("resume: [true]\n"), HasSubstr("r.yaml:1\n"));
  EXPECT_THAT(complaint("resume: []\n"), HasSubstr("r.yaml:1\n"));
  EXPECT_THAT(complaint("epochs:\n"), HasSubstr("r.yaml:1\n  given     \"epochs\" without a value"));
  EXPECT_THAT(complaint("epochs: {a: 3}\n"), HasSubstr("r.yaml:1\n"));
}

TEST_F(RecipeFile, VariablesOfTheShellAreNoPaths) {
  EXPECT_THAT(complaint("seed: 1\ntrain_file: ${DATA}/train.csv\n"),
              HasSubstr("r.yaml:2\n  given     ${DATA}/train.csv\n  expected  a path as it is"));
  EXPECT_THAT(complaint("datasets:\n  - path: a\n"), HasSubstr("recipes are flat"));
}

TEST_F(RecipeFile, AnOptionIsSetOnce) {
  EXPECT_THAT(complaint("epochs: 3\nepochs: 4\n"), HasSubstr("r.yaml:2\n  given     \"epochs\", which line 1 sets"));
  EXPECT_THAT(complaint("epochs: 3\nnum_train_epochs: 3\n"), HasSubstr("r.yaml:2\n"));
}

TEST_F(RecipeFile, WhatIsNoMapIsRefused) {
  EXPECT_THAT(complaint("epochs: 3\nseed: [1\n"), HasSubstr("no YAML"));
  EXPECT_THAT(complaint("- epochs\n"), HasSubstr("r.yaml"));
  EXPECT_THAT(complaint(""), HasSubstr("r.yaml"));
  EXPECT_THAT(complaint("a: 1\n---\na: 2\n"), HasSubstr("one YAML document"));
  // yaml-cpp would read such for ever.
  for (const char* text : {", a", "a: 1\n, b"}) EXPECT_THAT(complaint(text), HasSubstr("r.yaml")) << text;
  EXPECT_THAT(message_of<NotFoundError>([] { read_recipe("gleu/cola"); }), HasSubstr("--recipe gleu/cola"));
  EXPECT_THAT(message_of<NotFoundError>([] { read_recipe("glue"); }), HasSubstr("portatune recipes lists the names"));
}

TEST_F(RecipeFile, AnOptionOfAnotherTaskIsNamedWithItsLine) {
  const Toy toy;
  const std::string recipe = file("epochs: 1\ndoc_stride: 32\n");
  const Finished run = portatune(toy.fit({"--recipe", recipe}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("r.yaml:2\n  given     --doc-stride with --task text-classification\n"));
  EXPECT_THAT(run.err, HasSubstr("belongs to question-answering"));
}

TEST_F(RecipeFile, TrainsAndGoesOnAfterAnInterruption) {
  const Toy toy;
  const std::string recipe =
      file("model: " + tiny_bert() + "\ntrain: " + toy.file("train.csv") + "\noutput: " + toy.output() +
           "\nmax_length: 16\nbatch_size: 16\nlearning_rate: 1e-2\nepochs: 100\n");
  Program program({"fit", "--recipe", recipe});
  ASSERT_TRUE(program.says("epoch 3/"));
  program.signal(SIGTERM);
  const Finished stopped = program.wait();
  ASSERT_EQ(stopped.exit_code, 75) << stopped.err;
  std::string go_on = stopped.err.substr(stopped.err.find("portatune fit --recipe "));
  go_on.resize(go_on.find('\n'));

  const Finished refused = portatune_by_shell(go_on + " --learning-rate 0.5");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("expected  learning_rate 0.01, as in the run"));
  const Finished last = portatune_by_shell(go_on);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_THAT(names_in(toy.output()), testing::Contains("model.safetensors"));
}

TEST(ShippedRecipes, AreFoundByName) {
  for (const char* task : {"cola", "sst2", "mrpc", "stsb", "qqp", "mnli", "qnli", "rte", "wnli"}) {
    const Finished run = portatune({"fit", "--recipe", std::string("glue/") + task, "--model", tiny_bert(), "--train",
                                    "absent.tsv", "--output", "never", "--max-length", "16"});
    EXPECT_EQ(run.exit_code, 66) << run.err;  // every option is fine, and the file is not there
    EXPECT_THAT(run.err, HasSubstr("absent.tsv"));
  }
  EXPECT_THAT(portatune({"fit", "--recipe", "glue/colaa"}).err, HasSubstr("did you mean glue/cola?"));
}

// The files have the layout of GLUE: CoLA has no header, and quotes are ordinary characters.
TEST(ShippedRecipes, ColaReadsItsFiles) {
  const TemporaryFolder folder;
  write(folder / "train.tsv", "gj04\t1\t\t\"We won, she said.\ngj04\t0\t*\tWon we.\n");
  const Finished run =
      portatune({"fit", "--recipe", "glue/cola", "--model", tiny_bert(), "--train", (folder / "train.tsv").string(),
                 "--validation", (folder / "train.tsv").string(), "--output", (folder / "tuned").string(),
                 "--max-length", "16", "--max-steps", "1", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(nlohmann::json::parse(run.out)["after"].contains("matthews_correlation"));
}

// Rows have the columns of the data sets on the Hub.
TEST(ShippedRecipes, OfTextsReadTheirRows) {
  struct Case {
    const char *recipe, *row, *score;
  };
  for (const auto& [recipe, row, score] :
       {Case{"summarization/xsum", R"({"document": "a b", "summary": "a", "id": "1"})", "rougeL"},
        Case{"summarization/cnn_dailymail", R"({"article": "a b", "highlights": "a\nb", "id": "1"})", "rougeLsum"},
        Case{"translation/wmt16-en-ro", R"({"translation": {"en": "a b", "ro": "b"}})", "bleu"}}) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "t5");
    write_toy_t5(folder / "t5", {"a", "b"});
    const std::string file = (folder / "rows.jsonl").string();
    write(file, std::string(row) + "\n" + row + "\n");
    const Finished run = portatune({"fit", "--recipe", recipe, "--model", (folder / "t5").string(), "--from-config",
                                    "--train", file, "--validation", file, "--output", (folder / "tuned").string(),
                                    "--max-length", "16", "--max-target-length", "8", "--max-steps", "1", "--json"});
    ASSERT_EQ(run.exit_code, 0) << recipe << run.err;
    EXPECT_TRUE(nlohmann::json::parse(run.out)["after"].contains(score)) << run.out;
  }
}

TEST(ShippedRecipes, MnliReportsBothValidationSetsByName) {
  const TemporaryFolder folder;
  const std::string train = "sentence1\tsentence2\tlabel1\tgold_label\na\tb\tneutral\tneutral\n";
  const std::string dev = "sentence1\tsentence2\tgold_label\na\tb\tcontradiction\nb\ta\tentailment\n";
  write(folder / "train.tsv", train);
  write(folder / "a.tsv", dev);
  write(folder / "b.tsv", dev + "b\tb\tentailment\n");
  const std::string output = (folder / "tuned").string();
  const Words sets = {"matched=" + (folder / "a.tsv").string(), "mismatched=" + (folder / "b.tsv").string()};
  const Words common = {"--recipe", "glue/mnli", "--max-length", "16", "--json"};
  const Finished run = portatune(Words{"fit", "--model", tiny_bert(), "--train", (folder / "train.tsv").string(),
                                       "--output", output, "--max-steps", "1"} +
                                 common + Words{"--validation"} + sets);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json after = nlohmann::json::parse(run.out)["after"];
  EXPECT_EQ(after.size(), 8u) << after;
  EXPECT_TRUE(after.contains("matched_accuracy") && after.contains("mismatched_loss")) << after;
  EXPECT_EQ(nlohmann::json::parse(read(folder / "tuned" / "config.json"))["label2id"],
            nlohmann::json::parse(R"({"entailment": 0, "neutral": 1, "contradiction": 2})"));
  const Finished again = portatune(Words{"evaluate", "--model", output} + common + Words{"--data"} + sets);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(scores_in(again.out), after);
}

}  // namespace
}  // namespace portatune::cli
