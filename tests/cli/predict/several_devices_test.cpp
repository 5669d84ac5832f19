// portatune evaluate, predict and generate on a mesh, and in several processes.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// A toy model of two steps, with 37 rows of texts of different lengths, which no number of devices divides.
class SeveralDevices : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    toy_ = std::make_unique<Toy>();
    ASSERT_EQ(portatune(toy_->fit({"--max-steps", "2"})).exit_code, 0);
  }
  static void TearDownTestSuite() { toy_.reset(); }

  static Words words(const std::string& command, const Words& more) {
    return Words{command, "--model", toy_->output(), "--data", toy_->file("validation.csv"), "--batch-size", "4"} +
           more;
  }

  static json scores_of(const Words& more, const Conditions& conditions = {}) {
    const Finished run = portatune(words("evaluate", more + Words{"--json"}), conditions);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);  // which one process alone has printed
  }
  static std::string lines_of(const Words& more, const Conditions& conditions = {}) {
    const Finished run = portatune(words("predict", more), conditions);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return run.out;
  }

  static std::unique_ptr<Toy> toy_;
};
std::unique_ptr<Toy> SeveralDevices::toy_;

void expect_same_scores(const json& found, const json& wanted) {
  EXPECT_EQ(found["examples"], 37);
  for (const auto& [name, value] : wanted.items()) {
    if (name.find("second") != std::string::npos) continue;
    EXPECT_NEAR(found[name].get<double>(), value.get<double>(), 1e-6) << name;
  }
  EXPECT_GT(found["examples_per_second"], 0);
}

TEST_F(SeveralDevices, EvaluateAndPredictLikeOne) {
  const json scores = scores_of({});
  const std::string lines = lines_of({});
  ASSERT_EQ(json_lines(lines).size(), 37);
  for (const char* mesh : {"data=2", "data=4", "data=2,fsdp=2"}) {
    expect_same_scores(scores_of({"--mesh", mesh}), scores);
    EXPECT_EQ(lines_of({"--mesh", mesh}), lines) << mesh;
  }
  expect_same_scores(scores_of({"--mesh", "tensor=2"}), scores);
}

TEST_F(SeveralDevices, PredictFewerRowsThanThereAreDevices) {
  const Words one = {"predict", "--model", toy_->output(), "--text", "the film was lovely"};
  EXPECT_EQ(portatune(one + Words{"--mesh", "data=4"}).out, portatune(one).out);
}

TEST_F(SeveralDevices, SayHowFastTheyPredict) {
  const Finished run = portatune(words("predict", {"--mesh", "data=2"}));
  EXPECT_THAT(run.err, AllOf(HasSubstr("predicted 37 examples in "), HasSubstr(" per second")));
}

TEST_F(SeveralDevices, RefuseALossThatCannotBeDivided) {
  const Finished run = portatune({"evaluate", "--model", tiny_bert(), "--task", "masked-lm", "--next-sentence",
                                  "--data", toy_->file("validation.csv"), "--mesh", "data=2"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("--mesh"), HasSubstr("several means")));
}

class SeveralProcesses : public SeveralDevices, public testing::WithParamInterface<By> {
 protected:
  void SetUp() override {
    const char* plugin = GetParam() == By::kMpirun ? "libportatune_mpi.so" : "libportatune_gloo.so";
    if (!std::filesystem::exists(std::filesystem::path(PORTATUNE_COMMAND).parent_path() / plugin)) {
      GTEST_SKIP() << "built without " << plugin;
    }
  }
  static Conditions in(int processes, const Words& last = {}) {
    return {.processes = processes, .by = GetParam(), .last = last};
  }
};
std::string name_of(const testing::TestParamInfo<By>& launch) {
  return launch.param == By::kMpirun ? "ByMpirun" : "ByEnvironment";
}
INSTANTIATE_TEST_SUITE_P(All, SeveralProcesses, testing::Values(By::kMpirun, By::kEnvironment), name_of);

TEST_P(SeveralProcesses, EvaluateAndPredictLikeOne) {
  expect_same_scores(scores_of({}, in(2)), scores_of({}));
  EXPECT_EQ(lines_of({}, in(2)), lines_of({}));
}

TEST_P(SeveralProcesses, EvaluateAndPredictTheFirstRowsLikeOne) {
  const json scores = scores_of({"--max-eval-samples", "13"}, in(2));
  EXPECT_EQ(scores["examples"], 13);
  EXPECT_NEAR(scores["loss"], scores_of({"--max-eval-samples", "13"})["loss"].get<double>(), 1e-6);
  const std::string lines = lines_of({"--max-predict-samples", "13"}, in(2));
  EXPECT_EQ(json_lines(lines).size(), 13);
  EXPECT_TRUE(lines_of({}).starts_with(lines));
}

TEST_P(SeveralProcesses, EndWithTheOneThatFails) {
  const Words predict = words("predict", {});
  Words other = predict;
  *std::ranges::find(other, toy_->file("validation.csv")) = toy_->file("none.csv");
  const Finished missing = portatune(predict, in(2, other));
  EXPECT_EQ(missing.exit_code, 66) << missing.err;
  EXPECT_THAT(missing.err, HasSubstr("process 1 of 2"));
  const Finished no_folder = portatune(predict + Words{"--output", toy_->file("none/lines.jsonl")}, in(2));
  EXPECT_NE(no_folder.exit_code, 0);
  EXPECT_THAT(no_folder.err, HasSubstr("none"));
}

TEST_P(SeveralProcesses, RefuseOtherRowsAndOptionsThanThoseOfTheFirst) {
  write(toy_->file("other.csv"), toy_csv(36) + "one more,1\n");
  const Words evaluate = words("evaluate", {});
  Words other = evaluate;
  *std::ranges::find(other, toy_->file("validation.csv")) = toy_->file("other.csv");
  const Finished rows = portatune(evaluate, in(2, other));
  EXPECT_EQ(rows.exit_code, 65) << rows.err;
  EXPECT_THAT(rows.err, HasSubstr("different batches in process 1"));
  const Finished options = portatune(evaluate, in(2, with_batch_size(evaluate, "8")));
  EXPECT_EQ(options.exit_code, 2) << options.err;
  EXPECT_THAT(options.err, AllOf(HasSubstr("--batch-size"), HasSubstr("process 1")));
}

TEST_P(SeveralProcesses, EndTogetherAtASignalToOne) {
  write(toy_->file("many.csv"), toy_csv(40'000));
  Program run({"predict", "--model", toy_->output(), "--data", toy_->file("many.csv"), "--padding", "max_length",
               "--output", toy_->file("many.jsonl")},
              in(2));
  ASSERT_TRUE(run.makes(toy_->path(), "tmp.many.jsonl"));
  ASSERT_EQ(run.processes().size(), 2);
  kill(run.processes()[1], SIGTERM);
  const Finished stopped = run.wait();
  EXPECT_EQ(stopped.exit_code, 128 + SIGTERM) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(toy_->file("many.jsonl")));
}

TEST_P(SeveralProcesses, RefuseStandardInput) {
  const Finished run = portatune({"predict", "--model", toy_->output(), "--data", "-"}, in(2));
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("--data"), HasSubstr("standard input")));
}

constexpr const char* kDecoder = "gpt2_lm_untied";
constexpr const char* kEncoderDecoder = "t5_lm";

// A model of tests/data/models with the words of the tiny BERT.
std::string model_with_words(const Toy& toy, const char* name) {
  const std::filesystem::path model = toy.path() / name;
  if (std::filesystem::exists(model)) return model;
  std::filesystem::copy(std::string(PORTATUNE_TEST_DATA "/models/") + name, model);
  for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
    std::filesystem::copy_file(tiny_bert() + "/" + file, model / file);
  }
  return model;
}

// Texts for prompts of different lengths.
Words generate(const Toy& toy, const Words& more, const char* model = kDecoder) {
  write(toy.file("prompts.txt"), "the film was\nwe saw the play and the music was good\nbad\nthe book\nthe play\n");
  return Words{"generate",
               "--model",
               model_with_words(toy, model),
               "--input",
               toy.file("prompts.txt"),
               "--max-new-tokens",
               "12",
               "--batch-size",
               "2"} +
         more;
}

TEST(GenerationOnSeveralDevices, GivesTheTextsOfOne) {
  const Toy toy;
  const Words ways_of_search[] = {{}, {"--do-sample", "--seed", "7"}, {"--num-beams", "2"}, {"--stop-string", "book"}};
  for (const Words& search : ways_of_search) {
    const Finished one = portatune(generate(toy, search));
    ASSERT_EQ(one.exit_code, 0) << one.err;
    ASSERT_EQ(json_lines(one.out).size(), 5);
    for (const char* mesh : {"data=2", "fsdp=2", "tensor=2", "data=2,tensor=2"}) {
      const Finished run = portatune(generate(toy, search + Words{"--mesh", mesh}));
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(run.out, one.out) << mesh;
    }
  }
}

TEST_P(SeveralProcesses, RefuseOtherPromptsThanThoseOfTheFirst) {
  const Words words = generate(*toy_, {});
  write(toy_->file("other.txt"), "the film\n");
  Words other = words;
  *std::ranges::find(other, toy_->file("prompts.txt")) = toy_->file("other.txt");
  const Finished run = portatune(words, in(2, other));
  EXPECT_EQ(run.exit_code, 65) << run.err;
  EXPECT_THAT(run.err, HasSubstr("prompts"));
}

TEST_P(SeveralProcesses, GenerateLikeOne) {
  const std::string one = portatune(generate(*toy_, {})).out;
  for (const char* mesh : {"data=2", "fsdp=2", "tensor=2"}) {
    const Finished run = portatune(generate(*toy_, {"--mesh", mesh}), in(2));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, one) << mesh;
  }
}

TEST_P(SeveralProcesses, GenerateFromSourcesLikeOne) {
  for (const char* model : {kEncoderDecoder, "bart_lm"}) {
    const std::string one = portatune(generate(*toy_, {"--num-beams", "2"}, model)).out;
    ASSERT_EQ(json_lines(one).size(), 5);
    for (const char* mesh : {"data=2", "tensor=2"}) {
      const Finished run = portatune(generate(*toy_, {"--num-beams", "2", "--mesh", mesh}, model), in(2));
      ASSERT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(run.out, one) << model << " " << mesh;
    }
  }
}

TEST_P(SeveralProcesses, PredictGeneratedTextsLikeOne) {
  write(toy_->file("sources.csv"), "text\nthe film was\nwe saw the play and the music was good\nbad\n");
  const Words predict = {"predict",
                         "--task",
                         "text-to-text",
                         "--model",
                         model_with_words(*toy_, kEncoderDecoder),
                         "--data",
                         toy_->file("sources.csv"),
                         "--max-length",
                         "16",
                         "--max-target-length",
                         "8",
                         "--num-beams",
                         "2",
                         "--batch-size",
                         "2"};
  const Finished one = portatune(predict), two = portatune(predict, in(2));
  ASSERT_EQ(one.exit_code, 0) << one.err;
  ASSERT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(json_lines(one.out).size(), 3);
  EXPECT_EQ(two.out, one.out);
}

TEST_P(SeveralProcesses, ScoreGeneratedTextsLikeOne) {
  write(toy_->file("pairs.csv"),
        "text,target\nthe film was,good\nwe saw the play and the music was good,play\nbad,the book\nthe book,bad\n"
        "the play,the film\n");
  const auto scores = [](const Conditions& conditions) {
    const Finished run =
        portatune({"evaluate", "--task", "text-to-text", "--model", model_with_words(*toy_, kEncoderDecoder), "--data",
                   toy_->file("pairs.csv"), "--max-length", "16", "--max-target-length", "8", "--predict-with-generate",
                   "--num-beams", "2", "--metrics", "all", "--batch-size", "2", "--json"},
                  conditions);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return json::parse(run.out);
  };
  const json one = scores({}), two = scores(in(2));
  EXPECT_EQ(two["examples"], 5);
  for (const auto& [name, value] : one.items()) {
    if (name.find("second") != std::string::npos) continue;
    EXPECT_NEAR(two[name].get<double>(), value.get<double>(), 1e-5) << name;
  }
}

}  // namespace
}  // namespace portatune::cli
