#include <algorithm>

#include "portune/data/stage.h"
#include "portune/error.h"

namespace portune::data {
namespace {

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

 private:
  void take_more() {
    const std::optional<Example> example = input_->next();
    at_end_ = !example;
    if (at_end_) return;
    left_.erase(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
    const std::span<const int32_t> values = example->tensor(column_).as<int32_t>();
    left_.insert(left_.end(), values.begin(), values.end());
    origin_ = example->origin();
  }

  std::unique_ptr<Iterator> input_;
  const std::string column_;
  const size_t size_;
  std::vector<int32_t> left_;  // from begin_ on; less than a block and one example
  size_t begin_ = 0;
  Origin origin_;  // of the example that the end of the block is from
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

}  // namespace portune::data
