#include <exception>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>

#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/data/tolerance.h"
#include "portatune/data/verbs/cache_file.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kCache = "cache";

// The cache holds the pass of epoch 0, independently of the epoch that is read first.
const Pass kHeldPass{.epoch = 0};

// The next example of the input. All passes share the held examples, so no single pass may skip a bad row.
std::optional<Example> next_of(Iterator& input) {
  try {
    return input.next();
  } catch (const DataError& error) {
    Report report = error.report();
    report.fix += (report.fix.empty() ? "" : "; ") + std::string("call skip_bad_rows() before cache()");
    throw DataError(std::move(report));
  }
}

// The examples that a cache holds. Thread-safe, and shared by several passes.
class Held {
 public:
  virtual ~Held() = default;
  virtual std::optional<Example> get(int64_t index) = 0;
  virtual bool has(int64_t index) = 0;
  virtual int64_t size() = 0;
};

// Reads the input only up to the requested example.
class HeldInMemory final : public Held {
 public:
  explicit HeldInMemory(StagePtr input) : input_(std::move(input)) {}

  std::optional<Example> get(int64_t index) override {
    const std::lock_guard lock(mutex_);
    return read_up_to(index) ? std::optional(examples_[static_cast<size_t>(index)]) : std::nullopt;
  }
  bool has(int64_t index) override {
    const std::lock_guard lock(mutex_);
    return read_up_to(index);
  }
  int64_t size() override {
    const std::lock_guard lock(mutex_);
    read_up_to(std::numeric_limits<int64_t>::max());
    return std::ssize(examples_);
  }

 private:
  // Returns whether there is an example with this index.
  bool read_up_to(int64_t index) {
    if (index < std::ssize(examples_)) return true;
    if (error_) std::rethrow_exception(error_);
    if (!ended_ && !rows_) rows_ = input_->iterate(kHeldPass);
    try {
      while (!ended_ && index >= std::ssize(examples_)) read_one();
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
    return index < std::ssize(examples_);
  }

  void read_one() {
    if (auto example = next_of(*rows_)) {
      examples_.push_back(std::move(*example));
    } else {
      ended_ = true;
      rows_.reset();
    }
  }

  std::mutex mutex_;
  const StagePtr input_;
  std::unique_ptr<Iterator> rows_;
  bool ended_ = false;
  std::exception_ptr error_;  // of the input, thrown in every later call
  std::vector<Example> examples_;
};

class HeldInFile final : public Held {
 public:
  HeldInFile(StagePtr input, std::filesystem::path path) : input_(std::move(input)), path_(std::move(path)) {}

  std::optional<Example> get(int64_t index) override {
    return has(index) ? std::optional(file().at(index)) : std::nullopt;
  }
  bool has(int64_t index) override { return index < file().size(); }
  int64_t size() override { return file().size(); }

 private:
  // The file, which the first call writes if it does not exist.
  const CacheFile& file() {
    const std::lock_guard lock(mutex_);
    if (file_) return *file_;
    const std::unique_ptr<Iterator> rows = input_->iterate(kHeldPass);
    const std::string made_from = without_bad_rows(rows->state()).dump();
    const bool exists = std::filesystem::exists(path_);
    if (!exists) {
      CacheFile::write(
          path_, [&] { return next_of(*rows); }, [&] { return rows->state().dump(); }, made_from);
    }
    const CacheFile& file = file_.emplace(path_, made_from);
    // Restores the bad rows that were skipped when the file was written.
    if (exists) input_->iterate(kHeldPass)->restore(nlohmann::json::parse(file.end_state()));
    return file;
  }

  std::mutex mutex_;
  const StagePtr input_;
  const std::filesystem::path path_;
  std::optional<CacheFile> file_;
};

class CacheIterator final : public Iterator {
 public:
  CacheIterator(StagePtr input, std::shared_ptr<Held> held) : input_(std::move(input)), held_(std::move(held)) {}

  std::optional<Example> next() override {
    auto example = held_->get(next_);
    if (example) ++next_;
    return example;
  }

  int64_t skip(int64_t count) override {
    int64_t skipped = 0;
    for (; skipped < count && held_->has(next_); ++skipped) ++next_;
    return skipped;
  }

  // Has the state of the input at its beginning, which detects changed data.
  nlohmann::json state() const override {
    if (input_state_.is_null()) input_state_ = input_->iterate(kHeldPass)->state();
    return {{"stage", kCache}, {"next", next_}, {"input", input_state_}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kCache, state);
    next_ = saved.count("next");
    input_->iterate(kHeldPass)->restore(saved.part("input"));
  }

 private:
  StagePtr input_;
  std::shared_ptr<Held> held_;
  int64_t next_ = 0;
  mutable nlohmann::json input_state_;
};

struct Cache final : Stage {
  const StagePtr input;
  const std::shared_ptr<Held> held;  // shared with the passes, which may outlive the stage
  Cache(StagePtr input, std::shared_ptr<Held> held) : input(std::move(input)), held(std::move(held)) {}

  std::unique_ptr<Iterator> iterate(Pass) const override { return std::make_unique<CacheIterator>(input, held); }
  std::optional<int64_t> size() const override { return held->size(); }
  Example at(Pass, int64_t index) const override { return held->get(index).value(); }
};

}  // namespace

Dataset Dataset::cache(const std::filesystem::path& file) const {
  std::shared_ptr<Held> held;
  if (file.empty()) {
    held = std::make_shared<HeldInMemory>(stage_);
  } else {
    held = std::make_shared<HeldInFile>(stage_, file);
  }
  return Dataset(std::make_shared<Cache>(stage_, std::move(held)));
}

}  // namespace portatune::data
