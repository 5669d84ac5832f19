// The variable `loop` in the body of a `for`.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "portatune/jinja/value.h"

namespace portatune::jinja {

class Loop final : public Object {
 public:
  explicit Loop(std::vector<Value> items) : items_(std::move(items)) {}

  size_t size() const { return items_.size(); }
  bool is_at_end() const { return at_ == items_.size(); }
  const Value& item() const { return items_[at_]; }
  void advance() { ++at_; }

  std::string_view type() const override { return "loop"; }
  std::optional<Value> attribute(std::string_view name) const override;

 private:
  const std::vector<Value> items_;
  size_t at_ = 0;
};

}  // namespace portatune::jinja
