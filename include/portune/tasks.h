// Tasks: what a row of data becomes, what is computed from it, how it is scored.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "portune/data.h"
#include "portune/nn.h"

namespace portune {

/// Columns of a batch as values of the graph.
using Columns = std::map<std::string, Value, std::less<>>;

/// What the forward pass of a task computes.
struct Forward {
  /// Sum over the examples of weight x loss, and sum of the weights: float32 scalars. Sums rather than a mean, so that
  /// a step made of several batches is normalised by all of its examples.
  Value loss_sum, weight_sum;
  /// What evaluation and prediction see, with a leading batch dimension: "logits", say.
  std::vector<std::pair<std::string, Value>> outputs;
};

/// Name and value of a metric, such as {"accuracy", 0.91}.
using Scores = std::vector<std::pair<std::string, double>>;

/// Metrics that are accumulated batch by batch. Rows of weight 0 do not count.
class Metrics {
 public:
  virtual ~Metrics() = default;
  /// batch: with its labels and weights; outputs: those of Forward.
  virtual void update(const data::Example& batch, const data::Example& outputs) = 0;
  virtual Scores result() const = 0;
};

/// A model with its inputs, its loss and its metrics: what a Trainer needs to know. Immutable.
class Task {
 public:
  virtual ~Task() = default;

  /// The columns that a batch must have, arrays all of them.
  virtual std::vector<std::string> inputs() const = 0;
  /// Builds the forward pass over a batch.
  virtual Forward forward(const nn::Scope& root, const Columns& batch) const = 0;
  virtual std::unique_ptr<Metrics> metrics() const = 0;
  /// Standard deviation of weights that no checkpoint has.
  virtual double initializer_range() const { return 0.02; }
};

}  // namespace portune
