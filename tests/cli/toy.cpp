#include "cli/toy.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace portatune::cli {

std::string toy_csv(int count) {
  constexpr std::array kPraise = {"good", "fine", "great", "lovely"};
  constexpr std::array kBlame = {"bad", "poor", "awful", "dreary"};
  constexpr std::array kThings = {"film", "play", "book", "story", "music"};
  std::string text = "text,label\n";
  for (int i = 0; i < count; ++i) {
    const auto& words = i % 2 == 1 ? kPraise : kBlame;
    text += std::string("the ") + kThings[i % 5] + " was " + words[i / 2 % 4] + " and we saw the " +
            kThings[i / 5 % 5] + (i % 2 == 1 ? ",1\n" : ",0\n");
  }
  return text;
}

Toy::Toy() {
  write(file("train.csv"), toy_csv(64));
  write(file("validation.csv"), toy_csv(37));  // no multiple of a batch
}

std::vector<std::string> Toy::left_behind() const {
  std::vector<std::string> names = names_in(path());
  std::erase_if(names, [](const std::string& name) { return name == "train.csv" || name == "validation.csv"; });
  return names;
}

std::filesystem::path Toy::copy_of_model() const {
  std::filesystem::copy(tiny_bert(), path() / "model");
  return path() / "model";
}

std::string Toy::result_without_dropout(Words words, const std::string& kept) const {
  const std::filesystem::path model = std::filesystem::exists(path() / "model") ? path() / "model" : copy_of_model();
  auto config = nlohmann::json::parse(read(model / "config.json"));
  config["hidden_dropout_prob"] = config["attention_probs_dropout_prob"] = 0;
  write(model / "config.json", config.dump());
  *std::next(std::ranges::find(words, "--model")) = model.string();
  words.emplace_back("--json");
  const Finished run = portatune(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  if (kept.empty()) {
    std::filesystem::remove_all(output());
  } else {
    std::filesystem::rename(output(), kept);
  }
  return run.out;
}

Words Toy::fit_of_an_overflow(const Words& more) const {
  if (!std::filesystem::exists(file("scores.csv"))) {  // a resumed run must find the file unchanged
    std::string rows = "text,score\n";
    for (int i = 0; i < 16; ++i) rows += "a good film," + std::string(i == 2 ? "3e38" : "0.5") + "\n";
    write(file("scores.csv"), rows);
  }
  return Words{"fit",
               "--model",
               tiny_bert(),
               "--train",
               file("scores.csv"),
               "--label-column",
               "score",
               "--head",
               "regression",
               "--max-length",
               "8",
               "--batch-size",
               "4",
               "--epochs",
               "3",
               "--output",
               output()} +
         more;
}

Words Toy::fit(const Words& more) const {
  return Words{"fit",
               "--model",
               tiny_bert(),
               "--train",
               file("train.csv"),
               "--validation",
               file("validation.csv"),
               "--output",
               output(),
               "--max-length",
               "16",
               "--batch-size",
               "16",
               "--learning-rate",
               "1e-2"} +
         more;
}

Words with_batch_size(Words words, const std::string& size) {
  *std::next(std::ranges::find(words, "--batch-size")) = size;
  return words;
}

std::string tiny_bert() { return PORTATUNE_TEST_DATA "/tiny_bert"; }

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace portatune::cli
