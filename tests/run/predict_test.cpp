// run::evaluate() and run::predict() give the results of the command.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/error.h"
#include "portatune/run.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::run {
namespace {

// A trained model of the toy task.
class Inference : public testing::Test {
 protected:
  Inference() {
    const cli::Finished run = cli::portatune(toy_.fit({"--epochs", "1"}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }

  template <class Options>
  Options options() const {
    Options options;
    options.model.folder = toy_.output();
    options.model.options.template of<TextClassificationRunOptions>().max_length = 16;
    options.data = {toy_.file("validation.csv")};
    options.device.plugin = std::filesystem::path(PORTATUNE_COMMAND).parent_path() / "xla_cpu_pjrt.so";
    return options;
  }

  const cli::Toy toy_;
  Events unobserved_;
};

TEST_F(Inference, EvaluationEqualsTheCommand) {
  const Evaluation evaluation = evaluate(options<EvaluateOptions>(), unobserved_);
  EXPECT_EQ(evaluation.examples, 37);
  const cli::Finished command = cli::portatune(
      {"evaluate", "--model", toy_.output(), "--data", toy_.file("validation.csv"), "--max-length", "16", "--json"});
  ASSERT_EQ(command.exit_code, 0) << command.err;
  const auto expected = nlohmann::json::parse(command.out);
  for (const auto& [name, value] : evaluation.scores) EXPECT_EQ(value, expected.at(name)) << name;
}

// Collects the origins of the predicted rows, and an empty one at the end.
struct Rows final : PredictionSink {
  explicit Rows(std::vector<data::Origin>& rows) : rows(rows) {}
  void add(const data::Example& batch, const data::Example&) override {
    rows.insert(rows.end(), batch.row_origins().begin(), batch.row_origins().end());
  }
  void finish() override { rows.emplace_back(); }

  std::vector<data::Origin>& rows;
};

TEST_F(Inference, PredictionsComeInTheOrderOfTheRows) {
  std::vector<data::Origin> rows;
  const auto open = [&](const RowTask&, const data::Dataset&) { return std::make_unique<Rows>(rows); };
  predict(options<PredictOptions>(), open, unobserved_);
  ASSERT_EQ(rows.size(), 38u);  // and the end
  for (size_t i = 1; i < 37; ++i) EXPECT_GT(rows[i].row, rows[i - 1].row);
}

TEST_F(Inference, PredictionNeedsRows) {
  PredictOptions nothing = options<PredictOptions>();
  nothing.data.clear();
  const auto open = [](const RowTask&, const data::Dataset&) { return std::unique_ptr<PredictionSink>(); };
  EXPECT_THROW(predict(nothing, open, unobserved_), UsageError);
}

}  // namespace
}  // namespace portatune::run
