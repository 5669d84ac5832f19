#include "portatune/train/evaluation/row_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace portatune::train {
namespace {

using testing::ElementsAre;

// Rows with these indices: text "p", label 10 p, output 100 p.
struct Rows {
  data::Example batch, outputs;
  explicit Rows(std::initializer_list<int64_t> places) {
    std::vector<std::string> texts;
    std::vector<int32_t> labels;
    std::vector<float> logits;
    for (const int64_t place : places) {
      texts.push_back(std::to_string(place));
      labels.push_back(static_cast<int32_t>(10 * place));
      logits.insert(logits.end(), {100.0F * static_cast<float>(place), -1.0F});
    }
    const auto size = static_cast<int64_t>(places.size());
    batch.set("text", texts).set("labels", vector_of(labels));
    batch.set(data::kExamplePlace, Tensor({size}, std::span<const int64_t>(places)));
    outputs.set("logits", Tensor({size, 2}, std::span<const float>(logits)));
  }
};

struct Recorder {
  std::vector<std::string> rows;
  RowOrder order{[this](const data::Example& batch, const data::Example& outputs) {
    EXPECT_EQ(outputs.tensor("logits").shape(), (Shape{1, 2}));
    EXPECT_EQ(batch.tensor("labels").shape(), (Shape{1}));
    rows.push_back(batch.texts("text").at(0) + " " + std::to_string(batch.tensor("labels").as<int32_t>()[0]) + " " +
                   std::to_string(static_cast<int>(outputs.tensor("logits").as<float>()[0])));
  }};
  void add(const Rows& rows) { order.add(rows.batch, rows.outputs); }
};

TEST(RowOrder, PassesRowsInOrder) {
  Recorder recorder;
  recorder.add(Rows({3, 5}));
  EXPECT_TRUE(recorder.rows.empty());
  recorder.add(Rows({1, 4}));
  EXPECT_THAT(recorder.rows, ElementsAre("1 10 100"));
  recorder.add(Rows({2, 0}));  // the second is padding
  EXPECT_THAT(recorder.rows, ElementsAre("1 10 100", "2 20 200", "3 30 300", "4 40 400", "5 50 500"));
}

// Batches that were not full may have been dropped, or rows filtered out.
TEST(RowOrder, PassesRemainingRowsAtTheEnd) {
  Recorder recorder;
  recorder.add(Rows({1, 7, 4}));
  recorder.add(Rows({2, 5}));
  EXPECT_THAT(recorder.rows, ElementsAre("1 10 100", "2 20 200"));
  recorder.order.finish();
  EXPECT_THAT(recorder.rows, ElementsAre("1 10 100", "2 20 200", "4 40 400", "5 50 500", "7 70 700"));
}

}  // namespace
}  // namespace portatune::train
