#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "portatune/data/batch/batching.h"
#include "portatune/data/batch/padded_columns.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

constexpr const char* kStage = "bucket_by_length";

// The input's examples in another order: each `size` of them, counted from the beginning, are of one bucket, or what
// was left in several.
//
// Between two windows all buckets are empty. So whole windows can be passed over without making their examples, and a
// position is that of the input at the window's beginning and a number of examples since.
class BucketIterator final : public Iterator {
 public:
  BucketIterator(std::unique_ptr<Iterator> input, int64_t size, int64_t window, const PaddedColumns& columns)
      : input_(std::move(input)),
        size_(static_cast<size_t>(size)),
        window_(window),
        columns_(columns),
        buckets_(columns.lengths().size()) {}

  std::optional<Example> next() override {
    if (is_between_windows()) begin_ = place();
    while (ready_.empty()) {
      std::optional<Example> example = pulled_ < window_ ? input_->next() : std::nullopt;
      if (example) {
        take(std::move(*example));
      } else if (pulled_ == 0) {
        return std::nullopt;
      } else {
        end_window();
        if (ready_.empty()) begin_ = place();  // all of it had been given
      }
    }
    Example example = std::move(ready_.front());
    ready_.pop_front();
    ++begin_.given;
    return example;
  }

  int64_t skip(int64_t count) override {
    int64_t skipped = 0;
    if (is_between_windows()) {
      skipped = input_->skip(count / window_ * window_);
      place_ += skipped;
    }
    return skipped + Iterator::skip(count - skipped);
  }

  nlohmann::json state() const override {
    const Window window = is_between_windows() ? place() : begin_;
    return {{"stage", kStage},       {"size", size_},         {"window", window_},    {"lengths", columns_.lengths()},
            {"place", window.place}, {"given", window.given}, {"input", window.input}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kStage, state);
    // How many examples of a window have been given says which only if it is put in order as it was.
    saved.require_same("size", size_);
    saved.require_same("window", window_);
    saved.require_same("lengths", columns_.lengths());
    input_->restore(saved.part("input"));
    place_ = saved.count("place");
    const int64_t given = saved.count("given", window_);
    if (Iterator::skip(given) < given) saved.refuse("given", "no more examples than there are");
  }

 private:
  using Bucket = std::vector<Example>;

  // Where a window begins, and how many of its examples have been given since.
  struct Window {
    nlohmann::json input;
    int64_t place = 0, given = 0;
  };
  bool is_between_windows() const { return pulled_ == 0 && ready_.empty(); }
  Window place() const { return {input_->state(), place_, 0}; }

  void take(Example example) {
    ++pulled_;
    example.set(kExamplePlace, Tensor({}, {++place_}));
    Bucket& bucket = buckets_[columns_.bucket_of(columns_.length_of(example))];
    bucket.push_back(std::move(example));
    if (bucket.size() == size_) release(bucket, size_);
  }

  // What is left goes up from bucket to bucket until it makes a batch, the rest to the end.
  void end_window() {
    pulled_ = 0;
    Bucket left;
    for (Bucket& bucket : buckets_) {
      left.insert(left.end(), std::move_iterator(bucket.begin()), std::move_iterator(bucket.end()));
      bucket.clear();
      if (left.size() >= size_) release(left, size_);  // once: each bucket has less than a batch
    }
    release(left, left.size());
  }

  void release(Bucket& bucket, size_t count) {
    const auto end = bucket.begin() + static_cast<std::ptrdiff_t>(count);
    ready_.insert(ready_.end(), std::move_iterator(bucket.begin()), std::move_iterator(end));
    bucket.erase(bucket.begin(), end);
  }

  std::unique_ptr<Iterator> input_;
  const size_t size_;
  const int64_t window_;  // examples
  const PaddedColumns columns_;
  std::vector<Bucket> buckets_;
  std::deque<Example> ready_;
  int64_t pulled_ = 0;  // in this window
  int64_t place_ = 0;   // of the last example that was pulled
  Window begin_;
};

struct Buckets final : Stage {
  const StagePtr input;
  const int64_t size, window;
  const PaddedColumns columns;
  Buckets(StagePtr input, int64_t size, int64_t window, PaddedColumns columns)
      : input(std::move(input)), size(size), window(window), columns(std::move(columns)) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<BucketIterator>(input->iterate(pass), size, window, columns);
  }
};

}  // namespace

Dataset Dataset::bucket_by_length(int64_t size, BucketOptions options) const {
  require_at_least(kStage, "size", size, 1);
  require_at_least(kStage, "window", options.window, 1);
  const int64_t most = std::numeric_limits<int64_t>::max() / size;
  const int64_t window = std::min(options.window, most) * size;
  PaddedColumns columns(kStage, options.padding);
  auto buckets = std::make_shared<Buckets>(stage_, size, window, std::move(columns));
  return padded_batches(kStage, std::move(buckets), size, std::move(options.padding));
}

}  // namespace portatune::data
