// fit --adapter lora, the commands that read its folder, and portatune merge.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/toy.h"
#include "portatune/io/safetensors/safetensors.h"
#include "portatune/tensor.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const Words kAdapter = {"--adapter", "lora", "--lora-rank", "4", "--lora-target-modules", "all-linear"};

TEST(AdapterCommand, SavesTheAdapterAloneAndMergesToTheSameScores) {
  const Toy toy;
  const Finished run = portatune(toy.fit(kAdapter));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("in adapters and head"));
  EXPECT_THAT(run.err, HasSubstr("replace the path " + fs::canonical(tiny_bert()).string() + " in adapter_config"));
  EXPECT_TRUE(fs::exists(toy.output() + "/adapter_model.safetensors"));
  EXPECT_FALSE(fs::exists(toy.output() + "/model.safetensors"));

  const auto evaluated = [&](const std::string& model) {
    const Finished scores =
        portatune({"evaluate", "--model", model, "--data", toy.file("validation.csv"), "--json", "--quiet"});
    EXPECT_EQ(scores.exit_code, 0) << scores.err;
    return nlohmann::json::parse(scores.out);
  };
  const Finished merge = portatune({"merge", "--model", toy.output(), "--output", toy.file("merged")});
  ASSERT_EQ(merge.exit_code, 0) << merge.err;
  EXPECT_TRUE(fs::exists(toy.file("merged") + "/model.safetensors"));
  EXPECT_FALSE(fs::exists(toy.file("merged") + "/adapter_config.json"));
  const auto of_merged = evaluated(toy.file("merged")), of_adapter = evaluated(toy.output());
  EXPECT_NEAR(of_merged["loss"], of_adapter["loss"], 1e-6);  // sums of products have another order
  EXPECT_EQ(of_merged["accuracy"], of_adapter["accuracy"]);
  EXPECT_EQ(of_merged["f1"], of_adapter["f1"]);
}

// The weights in a file by their names.
std::map<std::string, std::vector<float>> tensors_in(const std::string& file) {
  const io::SafetensorsFile opened = io::SafetensorsFile::open(file);
  std::map<std::string, std::vector<float>> weights;
  for (const io::SafetensorsEntry& entry : opened.entries()) {
    weights[entry.name] = to_floats(opened.view(entry));
  }
  return weights;
}

TEST(AdapterCommand, SingleLayersHaveTheirOwnRankAndAlpha) {
  const Toy toy;
  const Finished run = portatune(toy.fit(
      kAdapter + Words{"--lora-rank-pattern", "query=2,output.dense=3", "--lora-alpha-pattern=attention.self.key=7"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string config = read(toy.output() + "/adapter_config.json");
  EXPECT_THAT(config, AllOf(HasSubstr("\"output.dense\": 3"), HasSubstr("\"query\": 2"),
                            HasSubstr("\"attention.self.key\": 7")));
  const auto rank_of =
      [&, weights = io::SafetensorsFile::open(toy.output() + "/adapter_model.safetensors")](const std::string& layer) {
        return weights.find("base_model.model.bert.encoder.layer.0." + layer + ".lora_A.weight")->type.shape[0];
      };
  EXPECT_EQ(rank_of("attention.self.query"), 2);
  EXPECT_EQ(rank_of("attention.output.dense"), 3);
  EXPECT_EQ(rank_of("attention.self.key"), 4);
}

TEST(AdapterCommand, RefusesPatternsOfNoLayer) {
  const Toy toy;
  for (const auto& [pattern, expected] :
       std::map<std::string, std::string>{{"nothing=2", "'nothing', which is no layer with an adapter"},
                                          {"query=0", "MODULE=NUMBER"},
                                          {"query", "MODULE=NUMBER"},
                                          {"query=2,query=3", "MODULE=NUMBER"}}) {
    const Finished run = portatune(toy.fit(kAdapter + Words{"--lora-rank-pattern=" + pattern}));
    EXPECT_EQ(run.exit_code, 2) << pattern;
    EXPECT_THAT(run.err, HasSubstr(expected));
  }
}

// DoRA with biases and a saved module: a mesh, packed rows, recomputed activations and micro-batches train the weights
// that one device trains on padded rows.
TEST(AdapterCommand, DoraTrainsTheSameWeightsInEveryWay) {
  const Toy toy;
  const Words dora =
      kAdapter + Words{"--use-dora", "--lora-bias",    "all", "--modules-to-save", "pooler", "--max-steps",
                       "6",          "--adam-epsilon", "1e-3"};
  const auto weights_of = [&](const std::string& batch_size, const Words& more) {
    Words words = with_batch_size(toy.fit(dora + more), batch_size);
    *std::next(std::ranges::find(words, "--max-length")) = "32";  // two texts in a packed row
    const std::string kept = toy.file("kept");
    fs::remove_all(kept);
    toy.result_without_dropout(words, kept);
    return tensors_in(kept + "/adapter_model.safetensors");
  };
  const auto wanted = weights_of("16", {"--packing", "none"});
  const std::string layer = "base_model.model.bert.encoder.layer.0.output.dense.";
  EXPECT_TRUE(wanted.contains(layer + "lora_magnitude_vector"));
  EXPECT_GT(std::ranges::max(wanted.at(layer + "lora_B.weight")), 1e-4);  // from 0
  for (const auto& [batch_size, more] :
       {std::pair("4", Words{"--packing", "none", "--mesh", "data=2,fsdp=2"}),
        {"16", {"--packing", "none", "--mesh", "tensor=2", "--remat", "layers"}},
        {"16", {"--packing", "exact_examples", "--remat", "dots"}},
        {"4", {"--packing", "exact_examples", "--mesh", "data=2", "--gradient-accumulation-steps", "2"}},
        {"4",
         {"--packing", "exact_examples", "--mesh", "fsdp=2,tensor=2", "--gradient-accumulation-steps", "2", "--remat",
          "layers"}}}) {
    const auto found = weights_of(batch_size, more);
    ASSERT_EQ(found.size(), wanted.size());
    for (const auto& [name, values] : wanted) {
      const std::vector<float>& others = found.at(name);
      ASSERT_EQ(others.size(), values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_NEAR(others[i], values[i], 1e-6) << name << " with " << testing::PrintToString(more);
      }
    }
  }
}

TEST(AdapterCommand, AnAdapterIsTrainedFurtherButGetsNoSecondOne) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit(kAdapter)).exit_code, 0);
  const Words further = {"fit",      "--model",           toy.output(),  "--train", toy.file("train.csv"),
                         "--output", toy.file("further"), "--max-steps", "1",       "--max-length",
                         "16"};
  const Finished run = portatune(further);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(fs::exists(toy.file("further") + "/adapter_model.safetensors"));
  const Finished second = portatune(further + Words{"--overwrite-output"} + kAdapter);
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(second.err, AllOf(HasSubstr("an adapter itself"), HasSubstr("portatune merge")));
}

// Two adapters of one model, the second after more steps.
class AdaptersByName : public testing::Test {
 protected:
  AdaptersByName() {
    EXPECT_EQ(portatune(toy_.fit(kAdapter)).exit_code, 0);
    const Finished second = portatune({"fit", "--model", first_, "--train", toy_.file("train.csv"), "--output", second_,
                                       "--max-steps", "4", "--max-length", "16", "--learning-rate", "1e-2"});
    EXPECT_EQ(second.exit_code, 0) << second.err;
  }

  Words with_both() const {
    return {"--model", tiny_bert(), "--adapter", "a=" + first_, "--adapter", "b=" + second_, "--data", data_};
  }
  nlohmann::json scores_of(const Words& model) const {
    const Finished run = portatune(Words{"evaluate", "--json", "-q", "--data", data_} + model);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return without_times(nlohmann::json::parse(run.out));
  }
  static nlohmann::json without_times(nlohmann::json scores) {
    for (const char* time : {"seconds", "examples_per_second"}) scores.erase(time);
    return scores;
  }

  const Toy toy_;
  const std::string first_ = toy_.output(), second_ = toy_.file("second"), data_ = toy_.file("validation.csv");
};

TEST_F(AdaptersByName, EvaluateMeasuresEach) {
  const Finished both = portatune(Words{"evaluate", "--json", "-q"} + with_both());
  ASSERT_EQ(both.exit_code, 0) << both.err;
  const auto scores = nlohmann::json::parse(both.out);
  EXPECT_EQ(without_times(scores["a"]), scores_of({"--model", first_}));
  EXPECT_EQ(without_times(scores["b"]), scores_of({"--model", second_}));
  EXPECT_NE(without_times(scores["a"]), without_times(scores["b"]));
  const Finished table = portatune(Words{"evaluate", "-q"} + with_both());
  EXPECT_THAT(table.out, testing::MatchesRegex("adapter +loss [^\n]*\na  [^\n]*\nb  [^\n]*\n"));
}

TEST_F(AdaptersByName, PredictWritesAFileForEach) {
  const Finished both = portatune(Words{"predict", "--output", toy_.file("p.jsonl")} + with_both());
  ASSERT_EQ(both.exit_code, 0) << both.err;
  ASSERT_EQ(portatune({"predict", "--model", second_, "--data", data_, "--output", toy_.file("q.jsonl")}).exit_code, 0);
  EXPECT_EQ(read(toy_.file("p-b.jsonl")), read(toy_.file("q.jsonl")));
  EXPECT_NE(read(toy_.file("p-b.jsonl")), read(toy_.file("p-a.jsonl")));
  const Finished no_file = portatune(Words{"predict"} + with_both());
  EXPECT_EQ(no_file.exit_code, 2);
  EXPECT_THAT(no_file.err, HasSubstr("--output FILE"));
}

TEST_F(AdaptersByName, PredictWritesAllFilesOrNone) {
  fs::resize_file(second_ + "/adapter_model.safetensors", 100);
  const Finished run = portatune(Words{"predict", "--output", toy_.file("p.jsonl")} + with_both());
  EXPECT_EQ(run.exit_code, 65) << run.err;
  for (const std::string& name : names_in(toy_.path())) EXPECT_EQ(name.find("p-"), std::string::npos) << name;
}

TEST_F(AdaptersByName, TheModelMayBeAnotherFolderThanItsConfigNames) {
  const auto wanted = scores_of({"--model", first_});
  const std::string file = first_ + "/adapter_config.json";
  auto config = nlohmann::json::parse(read(file));
  config["base_model_name_or_path"] = "/nowhere";
  write(file, config.dump());
  EXPECT_NE(portatune({"evaluate", "--model", first_, "--data", data_}).exit_code, 0);
  EXPECT_EQ(scores_of({"--model", toy_.copy_of_model(), "--adapter", first_}), wanted);
}

TEST_F(AdaptersByName, ARecipeOfFitServesEvaluateToo) {
  write(toy_.file("lora.yaml"), "adapter: lora\n");
  EXPECT_EQ(scores_of({"--model", first_, "--recipe", toy_.file("lora.yaml")}), scores_of({"--model", first_}));
}

TEST_F(AdaptersByName, AFolderMayHaveTheNameOfAMethod) {
  const auto wanted = scores_of({"--model", first_});
  const fs::path before = fs::current_path();
  fs::create_directory_symlink(first_, toy_.path() / "lora");
  fs::current_path(toy_.path());
  EXPECT_EQ(scores_of({"--model", tiny_bert(), "--adapter", "lora"}), wanted);
  fs::current_path(before);
}

TEST_F(AdaptersByName, RefusesWhatIsNoAdapter) {
  const Finished model = portatune({"evaluate", "--model", tiny_bert(), "--adapter", tiny_bert(), "--data", data_});
  EXPECT_EQ(model.exit_code, 2);
  EXPECT_THAT(model.err, HasSubstr("adapter_config.json"));
  const Finished twice =
      portatune({"evaluate", "--model", tiny_bert(), "--adapter", first_, "--adapter", first_, "--data", data_});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("NAME=FOLDER"));
}

TEST(AdapterCommand, MergeRefusesAModel) {
  const Toy toy;
  const Finished model = portatune({"merge", "--model", tiny_bert(), "--output", toy.file("merged")});
  EXPECT_EQ(model.exit_code, 2);
  EXPECT_THAT(model.err, HasSubstr("a whole model"));
}

TEST(AdapterCommand, OptionsOfAdaptersNeedOne) {
  const Toy toy;
  const Finished run = portatune(toy.fit({"--lora-rank", "4"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("--adapter lora"));
}

TEST(AdapterCommand, MergeHasAJsonResult) {
  const Toy toy;
  ASSERT_EQ(portatune(toy.fit(kAdapter)).exit_code, 0);
  const Finished merge = portatune({"merge", "--model", toy.output(), "--output", toy.file("merged"), "--json"});
  EXPECT_EQ(merge.exit_code, 0) << merge.err;
  EXPECT_THAT(merge.out, HasSubstr("\"merged_layers\":"));
}

}  // namespace
}  // namespace portatune::cli
