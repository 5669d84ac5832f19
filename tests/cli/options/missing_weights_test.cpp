// Checkpoints that lack weights: no command answers with random ones.
#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/io/safetensors/safetensors.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Leaves those tensors out of the folder's model.safetensors whose names `is_lost` says.
void lose(const fs::path& folder, const std::function<bool(const std::string&)>& is_lost) {
  const fs::path whole = folder / "whole", file = folder / "model.safetensors";
  fs::rename(file, whole);
  {
    const io::SafetensorsFile weights = io::SafetensorsFile::open(whole);
    std::vector<NamedTensorView> kept;
    for (const io::SafetensorsEntry& entry : weights.entries()) {
      if (!is_lost(entry.name)) kept.push_back({entry.name, weights.view(entry)});
    }
    io::write_safetensors(file, kept);
  }
  fs::remove(whole);
}

void lose_query(const fs::path& folder) {
  lose(folder, [](const std::string& name) { return name.ends_with("layer.0.attention.self.query.weight"); });
}

class MissingWeights : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return toy_.file(name); }
  // A fine-tuned model in tuned/.
  void train() const { ASSERT_EQ(portatune(toy_.fit({"--epochs", "1"})).exit_code, 0); }
  Words evaluate(const std::string& model) const {
    return {"evaluate", "-q", "--json", "--model", model, "--data", file("validation.csv"), "--max-length", "16"};
  }
  Words fit_of(const std::string& model, const Words& more = {}) const {
    Words words = toy_.fit({"--epochs", "1"});
    std::ranges::replace(words, tiny_bert(), model);
    return words + more;
  }
  // The message of a command that refuses to compute.
  static std::string refusal(const Words& words) {
    const Finished run = portatune(words);
    EXPECT_EQ(run.exit_code, 65) << run.err;
    EXPECT_THAT(run.out, IsEmpty());
    return run.err;
  }
  const Toy toy_;
};

TEST_F(MissingWeights, OfATrainedModelAreRefusedWhereNothingIsTrained) {
  train();
  lose_query(toy_.output());
  const auto names_it = AllOf(HasSubstr(toy_.output()), HasSubstr("no weights for 1 of "),
                              HasSubstr("bert.encoder.layer.0.attention.self.query.weight"));
  EXPECT_THAT(refusal(evaluate(toy_.output())), names_it);
  EXPECT_THAT(refusal({"predict", "--model", toy_.output(), "--data", file("validation.csv"), "--max-length", "16"}),
              names_it);
  EXPECT_THAT(refusal({"parity", "--against", "no-kernels", "--model", toy_.output(), "--train", file("train.csv")}),
              HasSubstr("--allow-new-weights"));
}

// transformers leaves id2label out of config.json if it is the default.
TEST_F(MissingWeights, ClassesWithoutNamesAreNotMissing) {
  train();
  const Finished named = portatune(evaluate(toy_.output()));
  auto config = nlohmann::json::parse(read(toy_.output() + "/config.json"));
  config.erase("id2label");
  config.erase("label2id");
  write(toy_.output() + "/config.json", config.dump());
  const Finished unnamed = portatune(evaluate(toy_.output()));
  ASSERT_EQ(unnamed.exit_code, 0) << unnamed.err;
  for (const char* score : {"loss", "roc_auc"}) {
    EXPECT_EQ(nlohmann::json::parse(unnamed.out)[score], nlohmann::json::parse(named.out)[score]);
  }
  const Finished predicted =
      portatune({"predict", "-q", "--model", toy_.output(), "--text", "good", "--max-length", "16"});
  EXPECT_THAT(predicted.out, AllOf(HasSubstr("\"LABEL_0\":"), HasSubstr("\"LABEL_1\":"))) << predicted.err;

  const std::string trained = file("trained again");
  write(file("named.csv"), "text,label\ngood film,good\nbad film,bad\n");
  const Finished again = portatune({"fit", "-q", "--model", toy_.output(), "--train", file("named.csv"), "--max-length",
                                    "16", "--batch-size", "2", "--max-steps", "1", "--output", trained});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(nlohmann::json::parse(read(trained + "/config.json"))["id2label"],
            (nlohmann::json{{"0", "bad"}, {"1", "good"}}));
}

TEST_F(MissingWeights, OfAHeadAreRefusedWithAdvice) {
  write(file("choices.jsonl"), R"({"q": "good", "c": ["film", "story"], "label": 1})"
                               "\n");
  EXPECT_THAT(refusal({"evaluate", "--task", "multiple-choice", "--model", tiny_bert(), "--data", file("choices.jsonl"),
                       "--max-length", "16", "--context-column", "q", "--endings-column", "c"}),
              AllOf(HasSubstr("classifier.weight, classifier.bias"), HasSubstr("portatune fit")));
  EXPECT_THAT(refusal(evaluate(tiny_bert()) + Words{"--task", "text-classification"}),
              HasSubstr("an encoder without a head"));
}

TEST_F(MissingWeights, OfAnotherModelTypeAreRefused) {
  train();
  auto config = nlohmann::json::parse(read(toy_.output() + "/config.json"));
  config["model_type"] = "electra";
  config["embedding_size"] = config["hidden_size"];
  write(toy_.output() + "/config.json", config.dump());
  EXPECT_THAT(refusal(evaluate(toy_.output())),
              AllOf(HasSubstr("electra.embeddings"), HasSubstr("but tensors without a parameter, such as bert."),
                    HasSubstr("model_type")));
}

TEST_F(MissingWeights, OfTheBodyAreTrainedOnlyIfAskedFor) {
  const std::string model = toy_.copy_of_model().string();
  lose_query(model);
  EXPECT_THAT(refusal(fit_of(model)), AllOf(HasSubstr("query.weight"), HasSubstr("--allow-new-weights")));
  const Finished run = portatune(fit_of(model, {"--allow-new-weights"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(unwrapped(run.err), HasSubstr("warning: the checkpoint lacks 1 of the body's weights, which start at "
                                            "random: bert.encoder.layer.0.attention.self.query.weight"));
}

TEST_F(MissingWeights, OfAPoolerAreNewAsThoseOfAHead) {
  const std::string model = toy_.copy_of_model().string();
  lose(model, [](const std::string& name) { return name.find("pooler.") != std::string::npos; });
  const Finished run = portatune(fit_of(model));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(unwrapped(run.err), AllOf(HasSubstr("new: bert.pooler.dense (272), classifier (34)"),
                                        Not(HasSubstr("warning: the checkpoint lacks"))));
}

}  // namespace
}  // namespace portatune::cli
