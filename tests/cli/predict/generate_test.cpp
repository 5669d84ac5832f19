// portatune generate by the real command, with a tiny GPT-2 and the words of the tiny BERT.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Generate : public testing::Test {
 protected:
  Generate() { make_model("gpt2_lm_untied", model()); }
  static void make_model(const std::string& name, const std::string& folder) {
    fs::copy(PORTATUNE_TEST_DATA "/models/" + name, folder);
    for (const char* file : {"tokenizer.json", "tokenizer_config.json"}) {
      fs::copy_file(tiny_bert() + "/" + file, folder + "/" + file);
    }
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string model() const { return file("gpt2"); }
  Words generate(const Words& more) const { return Words{"generate", "--model", model()} + more; }
  Words generate_one(const Words& more = {}) const {
    return generate(Words{"--prompt", "the film was", "--max-new-tokens", "8"} + more);
  }
  const TemporaryFolder folder_;
};

TEST_F(Generate, RefusesAModelWithoutAllWeights) {
  auto config = json::parse(read(model() + "/config.json"));
  config["n_layer"] = config["n_layer"].get<int>() + 1;
  write(model() + "/config.json", config.dump());
  const Finished run = portatune(generate_one());
  EXPECT_EQ(run.exit_code, 65) << run.err;
  EXPECT_THAT(run.err, HasSubstr("no weights for "));
}

TEST_F(Generate, PrintsTheCompletionOfAPrompt) {
  const Finished run = portatune(generate_one());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("made 8"));
  const Finished as_json = portatune(generate_one({"--json"}));
  const json object = json::parse(as_json.out);
  EXPECT_EQ(object["prompt"], "the film was");
  EXPECT_EQ(object["completion"].get<std::string>() + "\n", run.out);
  EXPECT_EQ(object["tokens"], 8);
  EXPECT_EQ(object["finish_reason"], "length");
  EXPECT_GT(object["seconds"], 0);
  EXPECT_NEAR(object["tokens_per_second"], 8 / object["seconds"].get<double>(), 1e-3);
  // The second start has compiled nothing, and says nothing when asked to be quiet.
  EXPECT_THAT(as_json.err, Not(HasSubstr("compiled")));
  EXPECT_EQ(portatune(generate_one({"--quiet"})).err, "");
}

TEST_F(Generate, WritesALineForEachAdapter) {
  make_model("gpt2_lm", file("base"));
  const std::string first = PORTATUNE_TEST_DATA "/adapters/gpt2", second = PORTATUNE_TEST_DATA "/adapters/gpt2_dora";
  const Words words = {"generate", "--model", file("base"), "--prompt", "the film was", "--max-new-tokens", "8"};
  const Finished both = portatune(words + Words{"--adapter", first, "--adapter", "dora=" + second});
  ASSERT_EQ(both.exit_code, 0) << both.err;
  const std::vector<json> lines = json_lines(both.out);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[0]["adapter"], "gpt2");
  EXPECT_EQ(lines[1]["adapter"], "dora");
  EXPECT_NE(lines[0]["completion"], lines[1]["completion"]);
  EXPECT_EQ(lines[1]["completion"].get<std::string>() + "\n", portatune(words + Words{"--adapter", second}).out);
}

TEST_F(Generate, RefusesTheAdapterOfAnotherModel) {
  const Finished run = portatune(generate_one({"--adapter", PORTATUNE_TEST_DATA "/adapters/gpt2"}));
  EXPECT_EQ(run.exit_code, 65);
  EXPECT_THAT(run.err, HasSubstr("transformer.h.1.attn.c_attn"));
}

TEST_F(Generate, AnswersAMessage) {
  write(file("chat.jinja"), "{% for m in messages %}{{ m.content }}{% endfor %}");
  const Finished run = portatune(generate_one({"--chat", "--chat-template", file("chat.jinja")}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(run.out.size(), 1);
}

TEST_F(Generate, WritesALineForEachPromptOfAFile) {
  write(file("prompts.csv"), "id,text\n1,the film was\n2,\"we saw the play, a good one\"\n3,bad\n");
  const Finished run = portatune(generate(
      {"--input", file("prompts.csv"), "--max-new-tokens", "8", "--batch-size", "2", "--output", file("out.jsonl")}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "");
  const std::vector<json> lines = json_lines(read(file("out.jsonl")));
  ASSERT_EQ(lines.size(), 3);
  EXPECT_EQ(lines[1]["prompt"], "we saw the play, a good one");
  EXPECT_EQ(lines[0]["completion"], json::parse(portatune(generate_one({"--json"})).out)["completion"]);
}

TEST_F(Generate, TakesLinesOfTextAndSeveralPrompts) {
  write(file("prompts.txt"), "the film was\nbad\n");
  const Finished from_file = portatune(generate({"--input", file("prompts.txt"), "--max-new-tokens", "4"}));
  const Finished from_options =
      portatune(generate({"--prompt", "the film was", "--prompt", "bad", "--max-new-tokens", "4"}));
  EXPECT_EQ(json_lines(from_file.out).size(), 2);
  EXPECT_EQ(from_file.out, from_options.out);
}

TEST_F(Generate, DrawsBySeed) {
  const Words drawing = {"--do-sample", "--top-k", "0", "--temperature", "2"};
  const Finished once = portatune(generate_one(drawing + Words{"--seed", "1"}));
  ASSERT_EQ(once.exit_code, 0) << once.err;
  EXPECT_EQ(portatune(generate_one(drawing + Words{"--seed", "1"})).out, once.out);
  EXPECT_NE(portatune(generate_one(drawing + Words{"--seed", "2"})).out, once.out);
}

TEST_F(Generate, TakesItsDefaultsFromTheModelAndSaysWhatItDoesNotKnow) {
  write(model() + "/generation_config.json", R"({"max_new_tokens": 3, "do_sample": true, "typical_p": 0.5})");
  const Finished run = portatune(generate({"--prompt", "the film was", "--no-do-sample", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(json::parse(run.out)["tokens"], 3);
  EXPECT_THAT(run.err, HasSubstr("typical_p"));
}

TEST_F(Generate, SearchesWithBeamsAndStopsAtStrings) {
  const Finished beams =
      portatune(generate_one({"--num-beams", "3", "--length-penalty", "0.5", "--early-stopping", "true"}));
  EXPECT_EQ(beams.exit_code, 0) << beams.err;
  EXPECT_FALSE(beams.out.empty());
  const std::string whole = json::parse(portatune(generate_one({"--json"})).out)["completion"];
  const std::string stop = whole.substr(whole.size() / 2, 2);
  const json cut = json::parse(portatune(generate_one({"--json", "--stop-string", stop})).out);
  EXPECT_EQ(cut["completion"], whole.substr(0, whole.find(stop) + 2));
  EXPECT_EQ(cut["finish_reason"], "stop");
}

TEST_F(Generate, RestrictsTheTokens) {
  const Finished once = portatune(generate_one({"--json", "--no-repeat-ngram-size", "1"}));
  ASSERT_EQ(once.exit_code, 0) << once.err;
  const Finished longer = portatune(generate_one(
      {"--json", "--max-length", "9", "--bad-words-ids", "1,2", "--bad-words-ids", "3", "--suppress-tokens", "4,5"}));
  ASSERT_EQ(longer.exit_code, 0) << longer.err;
}

TEST_F(Generate, PrintsALineForEachTextOfAPrompt) {
  const Finished run = portatune(generate(
      {"--prompt", "the film was", "--max-new-tokens", "8", "--num-beams", "3", "--num-return-sequences", "2"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::vector<json> lines = json_lines(run.out);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[1]["prompt"], "the film was");
  EXPECT_NE(lines[0]["completion"], lines[1]["completion"]);
}

TEST_F(Generate, RefusesWhatCannotBeBeforeItCompiles) {
  struct Wrong {
    Words words;
    int exit_code;
    std::string message;
  };
  const std::vector<Wrong> cases = {
      {generate({}), 2, "--prompt TEXT or --input FILE"},
      {generate({"--prompt", "bad", "--max-new-tokens", "60"}), 2, "at most 40, the positions of the model"},
      {generate({"--prompt", "bad", "--top-p", "0"}), 2, "--top-p"},
      {generate({"--prompt", "bad", "--num-beams", "2", "--do-sample"}), 2, "beam search or sampling"},
      {generate({"--prompt", "bad", "--eos-token-id", "100"}), 2, "0 to 99"},
      {generate({"--input", file("none.txt")}), 66, "none.txt"},
      {{"generate", "--model", tiny_bert(), "--prompt", "bad"}, 2, "generation for a Bert checkpoint"},
  };
  for (const Wrong& wrong : cases) {
    const Finished run = portatune(wrong.words);
    EXPECT_EQ(run.exit_code, wrong.exit_code) << wrong.message;
    EXPECT_THAT(run.err, HasSubstr(wrong.message));
    EXPECT_THAT(run.err, Not(HasSubstr("compiled")));
  }
}

TEST_F(Generate, StopsAtASignalAndLeavesNothingBehind) {
  std::string prompts;
  for (int i = 0; i < 20000; ++i) prompts += "the film was bad and the play was good\n";
  write(file("prompts.txt"), prompts);
  // A cache of its own, so that it compiles and says so.
  Program program(generate({"--input", file("prompts.txt"), "--max-new-tokens", "25", "--batch-size", "1", "--output",
                            file("out.jsonl"), "--no-cache"}));
  ASSERT_TRUE(program.says("compiled making tokens"));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait().exit_code, 128 + SIGINT);
  EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"gpt2", "prompts.txt"}));
}

}  // namespace
}  // namespace portatune::cli
