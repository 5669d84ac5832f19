// Trains on a data source and a verb of its own:  own_data MODEL TRAIN VALIDATION OUTPUT
// The files have fastText's format: lines such as "__label__good the film was good".
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "portatune/portatune.h"

using namespace portatune;

// A source: the lines of a file. The position in a pass is an offset and a line number.
class LabelledLines final : public data::CustomIterator {
 public:
  explicit LabelledLines(const std::string& path)
      : path_(std::make_shared<const std::string>(path)), file_(path, std::ios::binary) {
    if (!file_) throw NotFoundError({.where = path, .given = "no such file"});
  }

  std::optional<data::Example> next() override {
    std::string line;
    if (!std::getline(file_, line)) return std::nullopt;
    offset_ += std::ssize(line) + 1;
    data::Example row(data::Origin{path_, ++line_});
    const size_t end = line.find(' ');
    if (!line.starts_with(kLabel) || end == std::string::npos) {
      throw DataError({.where = to_string(row.origin()), .given = line, .expected = "__label__CLASS TEXT"});
    }
    return row.set("text", line.substr(end + 1)).set("label", line.substr(kLabel.size(), end - kLabel.size()));
  }

  std::string state() const override { return std::to_string(offset_) + " " + std::to_string(line_); }
  void restore(const std::string& state) override {
    if (!(std::istringstream(state) >> offset_ >> line_)) {
      throw DataError({.where = *path_, .given = "state " + state, .expected = "an offset and a line"});
    }
    file_.seekg(offset_);
  }

 private:
  static constexpr std::string_view kLabel = "__label__";

  const std::shared_ptr<const std::string> path_;  // shared by the origins of all rows
  std::ifstream file_;
  int64_t offset_ = 0, line_ = 0;
};

// A verb: the rows whose text did not come before. The state has the hashes of the texts so far, and that of the input.
class DistinctTexts final : public data::CustomIterator {
 public:
  explicit DistinctTexts(data::Cursor input) : input_(std::move(input)) {}

  std::optional<data::Example> next() override {
    while (std::optional<data::Example> row = input_.next()) {
      if (seen_.insert(std::hash<std::string>()(row->text("text"))).second) return row;
    }
    return std::nullopt;
  }

  std::string state() const override {
    std::ostringstream state;
    state << seen_.size() << ' ';
    for (const size_t hash : seen_) state << hash << ' ';
    state << input_.state();
    return state.str();
  }
  void restore(const std::string& state) override {
    std::istringstream from(state);
    size_t count = 0, hash = 0;
    for (from >> count; seen_.size() < count && from >> hash;) seen_.insert(hash);
    std::string of_input;
    if (!std::getline(from >> std::ws, of_input)) {
      throw DataError({.where = "distinct texts", .given = "state " + state, .expected = "hashes, and an input"});
    }
    input_.restore(of_input);
  }

 private:
  data::Cursor input_;
  std::set<size_t> seen_;
};

data::Dataset labelled_lines(const std::string& path) {
  return data::from_iterator("labelled_lines", [path](int64_t) { return std::make_unique<LabelledLines>(path); });
}

data::Dataset distinct_texts(const data::Dataset& rows) {
  const auto begin = [](data::Cursor input) { return std::make_unique<DistinctTexts>(std::move(input)); };
  return rows.apply("distinct_texts", begin);
}

int main(int argc, char** argv) try {
  if (argc != 5) throw UsageError({.where = "own_data", .expected = "own_data MODEL TRAIN VALIDATION OUTPUT"});
  require_place_to_save(argv[4]);
  const data::Dataset rows = distinct_texts(labelled_lines(argv[2])), held_out = labelled_lines(argv[3]);
  const LabelScan scan = labels_of(rows, "label");
  std::printf("%ld distinct texts\n", static_cast<long>(scan.examples));

  const Device device;
  const TextClassification task(argv[1], {.max_length = 32, .labels = scan.labels});
  Trainer trainer(device, task, {.learning_rate = 5e-5});
  const data::Dataset train = task.batches(rows.shuffle({.buffer = scan.examples, .seed = 1}), 16).prefetch(2);
  const FitResult result = trainer.fit(train, {.num_train_epochs = 3, .validation = {{task.batches(held_out, 16)}}});
  for (const auto& [name, value] : result.scores) std::printf("%s %.4f\n", name.c_str(), value);
  trainer.save(argv[4]);
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
