#include "portatune/python/computed_metrics.h"

#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "portatune/error.h"
#include "portatune/tasks.h"
#include "portatune/tensor.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

struct Function {
  const nb::object& compute;
  CallingThread& caller;
};
// The function of the training on this thread.
thread_local std::optional<Function> current;

nb::object as_python(const Tensor& tensor) {
  nb::list shape;
  for (const int64_t size : tensor.shape()) shape.append(size);
  return nb::make_tuple(nb::bytes(tensor.data(), static_cast<size_t>(tensor.type().bytes())),
                        std::string(name_of(tensor.dtype())), shape);
}

const Tensor& required(const data::Example& columns, const char* name) {
  if (columns.has(name)) return columns.tensor(name);
  throw UsageError({.where = "compute_metrics",
                    .given = std::string("a task whose batches have no \"") + name + "\"",
                    .expected = "a task with labels and logits, such as text-classification"});
}

class PythonMetrics final : public Metrics {
 public:
  explicit PythonMetrics(const Function& function) : function_(function) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    const Tensor& logits = required(outputs, "logits");
    batches_.push_back({.logits = Tensor(logits.shape(), std::span<const float>(to_floats(logits.view()))),
                        .labels = required(batch, "labels")});
    if (batch.has(data::kExampleWeight)) batches_.back().weights = batch.tensor(data::kExampleWeight);
  }

  bool in_row_order() const override { return true; }

  Scores result() const override {
    Scores scores;
    function_.caller.call([&] {
      nb::list batches;
      for (const Batch& batch : batches_) {
        batches.append(nb::make_tuple(as_python(batch.logits), as_python(batch.labels),
                                      batch.weights ? as_python(*batch.weights) : nb::none()));
      }
      const auto computed = nb::cast<nb::dict>(function_.compute(batches));
      for (const auto& [name, value] : computed) {
        scores.emplace_back(nb::cast<std::string>(name), nb::cast<double>(value));
      }
    });
    return scores;
  }

 private:
  struct Batch {
    Tensor logits, labels;
    std::optional<Tensor> weights = {};
  };

  const Function function_;
  std::vector<Batch> batches_;
};

const AddedMetrics kAdded([](const Task&) -> std::unique_ptr<Metrics> {
  return current ? std::make_unique<PythonMetrics>(*current) : nullptr;
});

}  // namespace

ComputedMetrics::ComputedMetrics(const nb::object& compute, CallingThread& caller) {
  if (!compute.is_none()) current.emplace(compute, caller);
}
ComputedMetrics::~ComputedMetrics() { current.reset(); }

}  // namespace portatune::python
