#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/data/order/rewindable.h"
#include "portatune/data/saved_state.h"
#include "portatune/data/stage.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

constexpr const char* kBlocks = "blocks";

class BlocksIterator final : public Iterator {
 public:
  BlocksIterator(std::unique_ptr<Iterator> input, const std::string& column, int64_t size)
      : input_(std::move(input)), column_(column), size_(static_cast<size_t>(size)) {}

  std::optional<Example> next() override {
    while (left_.size() - begin_ < size_ && !at_end_) take_more();
    const size_t length = std::min(size_, left_.size() - begin_);
    if (length == 0) return std::nullopt;
    Example block(origin_);
    block.set(column_, Tensor({static_cast<int64_t>(length)}, std::span<const int32_t>(left_).subspan(begin_, length)));
    begin_ += length;
    return block;
  }

  // The remaining values are the end of the example that was read last.
  nlohmann::json state() const override {
    const size_t left = left_.size() - begin_;
    return {{"stage", kBlocks}, {"left", left}, {"input", input_.position_of(input_.taken() - (left > 0 ? 1 : 0))}};
  }
  void restore(const nlohmann::json& state) override {
    const SavedState saved(kBlocks, state);
    input_.restore(saved, "input");
    const auto left = static_cast<size_t>(saved.count("left"));
    if (left == 0) return;
    take_more();
    if (left > left_.size())
      saved.refuse("left", "at most " + std::to_string(left_.size()) + ", the number in its example");
    begin_ = left_.size() - left;
  }

 private:
  void take_more() {
    input_.release(input_.taken());
    const std::optional<Example> example = input_.next();
    at_end_ = !example;
    if (at_end_) return;
    left_.erase(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
    const std::span<const int32_t> values = example->tensor(column_).as<int32_t>();
    left_.insert(left_.end(), values.begin(), values.end());
    origin_ = example->origin();
  }

  RewindableInput input_;
  const std::string column_;
  const size_t size_;
  std::vector<int32_t> left_;  // remaining values from begin_; less than a block and one example
  size_t begin_ = 0;
  Origin origin_;  // of the example that contains the end of the block
  bool at_end_ = false;
};

struct Blocks final : Stage {
  const StagePtr input;
  const std::string column;
  const int64_t size;
  Blocks(StagePtr input, std::string column, int64_t size)
      : input(std::move(input)), column(std::move(column)), size(size) {}

  std::unique_ptr<Iterator> iterate(Pass pass) const override {
    return std::make_unique<BlocksIterator>(input->iterate(pass), column, size);
  }
};

}  // namespace

Dataset Dataset::blocks(std::string column, int64_t size) const {
  require_at_least("blocks", "size", size, 1);
  return Dataset(std::make_shared<Blocks>(stage_, std::move(column), size));
}

}  // namespace portatune::data
