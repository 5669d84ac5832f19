// Where the time of an input pipeline goes.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace portatune::data {

/// Measures a pass over a dataset, by the stages that Dataset::named() has given names:
///     Meter meter;
///     for (const Example& batch : dataset.iterate(0, &meter)) ...
///     meter.stages();
/// Costs two readings of a clock for each element and stage. May be read while the pass goes on.
class Meter {
 public:
  /// What a stage has done: all that lies between its name and the names before it.
  struct Stage {
    std::string name;
    int64_t elements = 0;
    double seconds = 0;  ///< of the thread that pulls; what other threads do for it counts as far as it waits for them
  };
  /// In the order in which the data run through them. Stages of one name count as one.
  std::vector<Stage> stages() const;
  /// The name of the stage that took longest; empty if no stage has a name.
  std::string slowest() const;

 private:
  friend struct MeterAccess;  // for named()

  struct Counter {
    std::string name;
    std::atomic<int64_t> elements = 0, nanoseconds = 0;
  };
  Counter& counter(const std::string& name);

  mutable std::mutex mutex_;
  std::deque<Counter> counters_;  // stay where they are
};

}  // namespace portatune::data
