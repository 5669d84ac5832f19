#include "portatune/data/order/indexed.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "portatune/data/saved_state.h"

namespace portatune::data {
namespace {

class IndexedIterator final : public Iterator {
 public:
  explicit IndexedIterator(Indexed source) : source_(std::move(source)) {}

  std::optional<Example> next() override {
    if (next_ == source_.size) return std::nullopt;
    return source_.at(next_++);
  }

  int64_t skip(int64_t count) override {
    const int64_t skipped = std::min(count, source_.size - next_);
    next_ += skipped;
    return skipped;
  }

  nlohmann::json state() const override {
    nlohmann::json state = {{"stage", source_.stage}, {"next", next_}, {"size", source_.size}};
    if (!source_.fingerprint.empty()) state["fingerprint"] = source_.fingerprint;
    return state;
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(source_.stage, state);
    saved.require_same("size", source_.size);
    if (!source_.fingerprint.empty()) saved.require_same("fingerprint", source_.fingerprint);
    next_ = saved.count("next", source_.size);
  }

 private:
  Indexed source_;
  int64_t next_ = 0;
};

}  // namespace

std::unique_ptr<Iterator> iterate_by_index(Indexed source) {
  return std::make_unique<IndexedIterator>(std::move(source));
}

}  // namespace portatune::data
