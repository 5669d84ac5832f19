#include "portatune/chat/jinja/renderer.h"

#include <algorithm>

#include "portatune/chat/jinja/objects.h"

namespace portatune::jinja {

const Value* Scope::find(std::string_view name) const {
  const auto found = std::ranges::find_if(variables_, [&](const auto& variable) { return variable.first == name; });
  if (found != variables_.end()) return &found->second;
  return parent_ == nullptr ? nullptr : parent_->find(name);
}

void Scope::set(std::string_view name, Value value) {
  const auto found = std::ranges::find_if(variables_, [&](const auto& variable) { return variable.first == name; });
  if (found != variables_.end()) {
    found->second = std::move(value);
  } else {
    variables_.emplace_back(name, std::move(value));
  }
}

std::optional<Value> Namespace::attribute(std::string_view name) const {
  const auto found = attributes_.find(name);
  return found == attributes_.end() ? std::nullopt : std::optional(found->second);
}

void Namespace::set(std::string_view name, Value value) const {
  if (name.starts_with('_')) throw Fault{"an attribute \"" + std::string(name) + "\" of a namespace", "no _ before it"};
  attributes_.insert_or_assign(std::string(name), std::move(value));
}

Renderer::Renderer(const Value& variables, const std::tm& now)
    : now_(now), scope_(std::make_shared<Scope>(std::make_shared<Scope>(nullptr))) {
  add_globals(*scope_);
  scope_ = std::make_shared<Scope>(scope_);
  for (const auto& [name, value] : variables.dict()->items) scope_->set(*name.text(), value);
}

// Macros hold their scope, and namespaces may contain themselves. Clearing all of them breaks the cycles.
Renderer::~Renderer() {
  for (const auto& scope : kept_) scope->clear();
  for (const auto& space : namespaces_) space->clear();
}

void Renderer::step(int line, size_t cost) {
  constexpr size_t kMaxSteps = 5'000'000;
  line_ = line;
  steps_ += cost;
  if (steps_ > kMaxSteps) throw Fault{"a template that does not end", "at most five million steps"};
}

void Renderer::write(std::string_view text) {
  constexpr size_t kMaxBytes = size_t{1} << 26;
  written_ += text.size();
  if (written_ > kMaxBytes) throw Fault{"a template that writes without end", "at most 64 MB"};
  out_->append(text);
}

void Renderer::require_depth() const {
  constexpr int kMaxDepth = 1000;
  if (depth_ > kMaxDepth) throw Fault{"nested expressions or macros", "at most 1000 levels"};
}

std::shared_ptr<const Namespace> Renderer::new_namespace() {
  namespaces_.push_back(std::make_shared<const Namespace>());
  return namespaces_.back();
}

}  // namespace portatune::jinja
