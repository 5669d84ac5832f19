// The errors of a model on labelled rows: scores of each class, classes that are confused, and the worst rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/metrics.h"

namespace portatune {

struct ErrorAnalysis {
  /// A class, a label that applies or not, or a type of entities.
  struct Class {
    std::string name;
    metrics::ClassCounts counts;
  };
  /// Rows of a class that are predicted as another one.
  struct Confusion {
    std::string label, prediction;
    double count = 0;  ///< sum of the weights of these rows
  };
  /// A row with a wrong prediction.
  struct Mistake {
    data::Origin row;
    std::string label, prediction;
    std::optional<double> probability;  ///< probability of the prediction, in [0, 1]; none in regression
    double loss = 0;                    ///< cross-entropy, without weights; in regression the absolute error
  };
  std::vector<Class> classes;         ///< classes that are predicted or true, in the order of their ids
  std::vector<Confusion> confusions;  ///< the most frequent ones first; empty unless each row has one class
  std::vector<Mistake> mistakes;      ///< the highest losses first
};

/// Analyses one pass over labelled rows, batch by batch. Rows of weight 0 do not count.
class ErrorAnalyzer {
 public:
  virtual ~ErrorAnalyzer() = default;
  /// batch: with its labels, weights and origins; outputs: those of Forward.
  virtual void update(const data::Example& batch, const data::Example& outputs) = 0;
  virtual ErrorAnalysis result() const = 0;
};

}  // namespace portatune
