// A run of a template: its variables, its output, and what it may spend.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/jinja/value.h"

namespace portatune::jinja {

/// Names and values, over those of the scope around it.
class Scope {
 public:
  explicit Scope(std::shared_ptr<Scope> parent) : parent_(std::move(parent)) {}

  /// Null if it is in no scope.
  const Value* find(std::string_view name) const;
  void set(std::string_view name, Value value);
  void clear() { variables_.clear(); }

 private:
  std::vector<std::pair<std::string, Value>> variables_;
  const std::shared_ptr<Scope> parent_;  // shared with the macros that are defined in it
};

/// {{ ns.x }} and {% set ns.x = ... %}: the only values that change.
class Namespace final : public Object {
 public:
  std::string_view type() const override { return "Namespace"; }
  std::optional<Value> attribute(std::string_view name) const override;
  void set(std::string_view name, Value value) const;
  void clear() const { attributes_.clear(); }

 private:
  mutable std::map<std::string, Value, std::less<>> attributes_;
};

/// Bytes of the output: begin and end.
using Span = std::pair<size_t, size_t>;

class Renderer {
 public:
  /// variables  a dict: what the template finds by name
  /// now        the local time that strftime_now tells
  Renderer(const Value& variables, const std::tm& now);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // Each step, each level of calls and each byte of output is counted: what spends too much is a Fault.
  void step(int line, size_t cost = 1);
  void write(std::string_view text);

  int line() const { return line_; }
  const std::tm& now() const { return now_; }
  const std::string& text() const { return text_; }
  const std::vector<Span>& spans() const { return spans_; }

  Scope& scope() { return *scope_; }
  const std::shared_ptr<Scope>& shared_scope() const { return scope_; }
  std::shared_ptr<const Namespace> new_namespace();
  /// The scope outlives what it is the scope of, as a macro looks names up in it.
  void keep(const std::shared_ptr<Scope>& scope) { kept_.push_back(scope); }

  /// Runs `f` in a scope of its own within `parent`.
  template <class F>
  void in_scope(const std::shared_ptr<Scope>& parent, const F& f) {
    const Restore<std::shared_ptr<Scope>> restore(scope_, std::make_shared<Scope>(parent));
    f();
  }
  /// What `f` writes.
  template <class F>
  std::string captured(const F& f) {
    std::string text;
    const Restore<std::string*> restore(out_, &text);
    f();
    return text;
  }
  /// Runs `f` one level deeper.
  template <class F>
  auto nested(const F& f) {
    const Restore<int> restore(depth_, depth_ + 1);
    require_depth();
    return f();
  }
  /// What begins here in the finished output is the assistant's: `size` bytes.
  void add_span(size_t size) { spans_.emplace_back(text_.size(), text_.size() + size); }

 private:
  template <class T>
  class Restore {
   public:
    Restore(T& place, T value) : place_(place), before_(std::exchange(place, std::move(value))) {}
    ~Restore() { place_ = std::move(before_); }
    Restore(const Restore&) = delete;
    Restore& operator=(const Restore&) = delete;

   private:
    T& place_;
    T before_;
  };
  void require_depth() const;

  const std::tm now_;
  std::string text_;
  std::string* out_ = &text_;
  std::vector<Span> spans_;
  std::shared_ptr<Scope> scope_;
  std::vector<std::shared_ptr<Scope>> kept_;
  std::vector<std::shared_ptr<const Namespace>> namespaces_;
  size_t steps_ = 0, written_ = 0;
  int depth_ = 0, line_ = 1;
};

}  // namespace portatune::jinja
