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

constexpr const char* kBucketByLength = "bucket_by_length";

// Reorders the input's examples: each group of `size` examples comes from one bucket, or from the rest of several.
//
// Between two windows all buckets are empty. So whole windows can be skipped without making their examples, and the
// state is the position of the input at the beginning of the window and the number of examples given since then.
class BucketIterator final : public Iterator {
 public:
  BucketIterator(std::unique_ptr<Iterator> input, int64_t size, int64_t window, const PaddedColumns& columns)
      : input_(std::move(input)),
        size_(static_cast<size_t>(size)),
        window_(window),
        columns_(columns),
        buckets_(columns.buckets()) {}

  std::optional<Example> next() override {
    if (is_between_windows()) begin_ = window_begin();
    while (ready_.empty()) {
      std::optional<Example> example = pulled_ < window_ ? input_->next() : std::nullopt;
      if (example) {
        take(std::move(*example));
      } else if (pulled_ == 0) {
        return std::nullopt;
      } else {
        end_window();
        if (ready_.empty()) begin_ = window_begin();  // all its examples were given before
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
      number_ += skipped;
    }
    return skipped + Iterator::skip(count - skipped);
  }

  nlohmann::json state() const override {
    const Window window = is_between_windows() ? window_begin() : begin_;
    return {{"stage", kBucketByLength},      {"size", size_},          {"window", window_},
            {"lengths", columns_.lengths()}, {"place", window.number}, {"given", window.given},
            {"input", window.input}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kBucketByLength, state);
    // The number of examples given identifies them only if the window is reordered in the same way.
    saved.require_same("size", size_);
    saved.require_same("window", window_);
    saved.require_same("lengths", columns_.lengths());
    input_->restore(saved.part("input"));
    number_ = saved.count("place");
    const int64_t given = saved.count("given", window_);
    if (Iterator::skip(given) < given) saved.refuse("given", "at most the remaining examples of the input");
  }

 private:
  using Bucket = std::vector<Example>;

  // The beginning of a window, and the number of its examples given since then.
  struct Window {
    nlohmann::json input;
    int64_t number = 0, given = 0;
  };
  bool is_between_windows() const { return pulled_ == 0 && ready_.empty(); }
  Window window_begin() const { return {input_->state(), number_, 0}; }

  void take(Example example) {
    ++pulled_;
    example.set(kExamplePlace, Tensor({}, {++number_}));
    Bucket& bucket = buckets_[columns_.bucket_of(example)];
    bucket.push_back(std::move(example));
    if (bucket.size() == size_) release(bucket, size_);
  }

  // Moves the rest of each bucket to the next one until it makes a batch; the last rest comes at the end.
  void end_window() {
    pulled_ = 0;
    Bucket left;
    for (Bucket& bucket : buckets_) {
      left.insert(left.end(), std::move_iterator(bucket.begin()), std::move_iterator(bucket.end()));
      bucket.clear();
      if (left.size() >= size_) release(left, size_);  // at most one batch: each bucket has less than a batch
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
  const int64_t window_;  // size in examples
  const PaddedColumns columns_;
  std::vector<Bucket> buckets_;
  std::deque<Example> ready_;
  int64_t pulled_ = 0;  // examples read in this window
  int64_t number_ = 0;  // examples read in the pass
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
  require_at_least(kBucketByLength, "size", size, 1);
  require_at_least(kBucketByLength, "window", options.window, 1);
  const int64_t max_batches = std::numeric_limits<int64_t>::max() / size;
  const int64_t window = std::min(options.window, max_batches) * size;
  PaddedColumns columns(kBucketByLength, options.padding);
  auto buckets = std::make_shared<Buckets>(stage_, size, window, std::move(columns));
  return padded_batches(kBucketByLength, std::move(buckets), size, std::move(options.padding));
}

}  // namespace portatune::data
