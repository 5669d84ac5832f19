#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "portatune/data.h"
#include "portatune/data/stage.h"

namespace portatune::data {

struct MeterAccess {
  using Counter = Meter::Counter;
  static Counter& counter(Meter& meter, const std::string& name) { return meter.counter(name); }
};

namespace {

using Clock = std::chrono::steady_clock;

// Time of this thread in the named stages inside the one being measured.
thread_local int64_t inner_nanoseconds = 0;

class NamedIterator final : public Iterator {
 public:
  NamedIterator(std::unique_ptr<Iterator> input, MeterAccess::Counter& counter)
      : input_(std::move(input)), counter_(counter) {}

  std::optional<Example> next() override {
    const int64_t of_caller = std::exchange(inner_nanoseconds, 0);
    const Clock::time_point start = Clock::now();
    std::optional<Example> example = input_->next();
    const int64_t all = std::chrono::nanoseconds(Clock::now() - start).count();
    counter_.nanoseconds.fetch_add(all - inner_nanoseconds, std::memory_order_relaxed);
    if (example) counter_.elements.fetch_add(1, std::memory_order_relaxed);
    inner_nanoseconds = of_caller + all;
    return example;
  }

  int64_t skip(int64_t count) override { return input_->skip(count); }

  // The state of the input, so that neither names nor measurement change states.
  nlohmann::json state() const override { return input_->state(); }
  void restore(const nlohmann::json& state) override { input_->restore(state); }

 private:
  std::unique_ptr<Iterator> input_;
  MeterAccess::Counter& counter_;
};

struct Named final : Stage {
  const StagePtr input;
  const std::string name;
  Named(StagePtr input, std::string name) : input(std::move(input)), name(std::move(name)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    std::unique_ptr<Iterator> iterator = input->iterate(pass);
    if (pass.meter == nullptr) return iterator;
    return std::make_unique<NamedIterator>(std::move(iterator), MeterAccess::counter(*pass.meter, name));
  }
  std::optional<int64_t> size() const override { return input->size(); }
  Example at(Pass pass, int64_t index) const override { return input->at(pass, index); }
};

}  // namespace

Dataset Dataset::named(std::string name) const { return Dataset(std::make_shared<Named>(stage_, std::move(name))); }

// Counters are in the order of the data, because the input of a stage is iterated before the stage itself.
Meter::Counter& Meter::counter(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(counters_, name, &Counter::name);
  if (found != counters_.end()) return *found;
  Counter& counter = counters_.emplace_back();
  counter.name = name;
  return counter;
}

std::vector<Meter::Stage> Meter::stages() const {
  const std::lock_guard lock(mutex_);
  std::vector<Stage> stages;
  for (const Counter& counter : counters_) {
    stages.push_back({counter.name, counter.elements, 1e-9 * static_cast<double>(counter.nanoseconds)});
  }
  return stages;
}

std::string Meter::slowest() const {
  const std::lock_guard lock(mutex_);
  const auto longest = [](const Counter& a, const Counter& b) { return a.nanoseconds < b.nanoseconds; };
  const auto found = std::ranges::max_element(counters_, longest);
  return found == counters_.end() ? std::string() : found->name;
}

}  // namespace portatune::data
