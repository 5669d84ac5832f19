// Time measurement for input pipelines.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace portatune::data {

/// Measures the stages of a dataset during one pass, as Dataset::named() has named them:
///     Meter meter;
///     for (const Example& batch : dataset.iterate(0, &meter)) ...
///     meter.stages();
/// Costs two clock readings per element and stage. Another thread may read it during the pass.
class Meter {
 public:
  /// Measurements of a stage: all verbs between its name and the previous name.
  struct Stage {
    std::string name;
    int64_t elements = 0;
    double seconds = 0;  ///< time of the consuming thread, including its waits for other threads
  };
  /// The stages in data flow order. Stages with equal names are summed.
  std::vector<Stage> stages() const;
  /// The name of the stage with the most seconds; empty if no stage has a name.
  std::string slowest() const;

 private:
  friend struct MeterAccess;  // for named()

  struct Counter {
    std::string name;
    std::atomic<int64_t> elements = 0, nanoseconds = 0;
  };
  Counter& counter(const std::string& name);

  mutable std::mutex mutex_;
  std::deque<Counter> counters_;  // a deque, so that references stay valid
};

}  // namespace portatune::data
