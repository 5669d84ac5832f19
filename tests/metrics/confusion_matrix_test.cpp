// tests/oracle/tasks/make_metric_cases.py writes tests/data/metrics.json with results of scikit-learn.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "portatune/error.h"
#include "portatune/metrics.h"

namespace portatune::metrics {
namespace {

using Floats = std::vector<float>;

void expect_near(const std::optional<double>& found, const nlohmann::json& wanted) {
  ASSERT_EQ(found.has_value(), !wanted.is_null());
  if (found) {
    EXPECT_NEAR(*found, wanted.get<double>(), 1e-12);
  }
}

TEST(ConfusionMatrix, AgreesWithScikitLearn) {
  const auto golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/metrics.json"))["multi_class_cases"];
  for (const auto& each : golden) {
    SCOPED_TRACE(each["name"].get<std::string>());
    const auto& wanted = each["confusion_matrix"];
    ConfusionMatrix found(std::ssize(wanted));
    found.update(each["predicted"].get<Floats>(), each["labels"].get<Floats>(), each["weights"].get<Floats>());
    for (int64_t target = 0; target < found.classes(); ++target) {
      for (int64_t predicted = 0; predicted < found.classes(); ++predicted) {
        expect_near(found.count(target, predicted), wanted[target][predicted]);
      }
      const auto& of_class = each["precision_recall_f1_support"][target];
      const ClassCounts counts = found.of_class(target);
      expect_near(counts.precision(), of_class[0]);
      expect_near(counts.recall(), of_class[1]);
      expect_near(counts.f1(), of_class[2]);
      expect_near(counts.expected, of_class[3]);
    }
  }
}

TEST(ConfusionMatrix, RefusesOtherClasses) {
  ConfusionMatrix matrix(2);
  for (const float id : {-1.0F, 2.0F, 0.5F}) {
    EXPECT_THROW(matrix.update(Floats{id}, Floats{0}), DataError);
    EXPECT_THROW(matrix.update(Floats{0}, Floats{id}), DataError);
  }
  matrix.update(Floats{7}, Floats{0}, Floats{0});  // a row that fills up a batch
  EXPECT_EQ(matrix.count(0, 0), 0);
  EXPECT_THROW(ConfusionMatrix(0), UsageError);
}

}  // namespace
}  // namespace portatune::metrics
