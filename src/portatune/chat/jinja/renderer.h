// The state of a run of a template: its variables, its output, and its budget.
#pragma once

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {

/// Names and values, on top of those of the enclosing scope.
class Scope {
 public:
  explicit Scope(std::shared_ptr<Scope> parent) : parent_(std::move(parent)) {}

  /// The value of a name; null if no scope has it.
  const Value* find(std::string_view name) const;
  void set(std::string_view name, Value value);
  void clear() { variables_.clear(); }

 private:
  std::vector<std::pair<std::string, Value>> variables_;
  const std::shared_ptr<Scope> parent_;  // shared with the macros that are defined in it
};

/// The value of namespace(), the only mutable value: {{ ns.x }} and {% set ns.x = ... %}.
class Namespace final : public Object {
 public:
  std::string_view type() const override { return "Namespace"; }
  std::optional<Value> attribute(std::string_view name) const override;
  void set(std::string_view name, Value value) const;
  void clear() const { attributes_.clear(); }

 private:
  mutable std::map<std::string, Value, std::less<>> attributes_;
};

/// A range of bytes in the output: begin and end.
using Span = std::pair<size_t, size_t>;

class Renderer {
 public:
  /// Starts a run.
  /// variables  a dict with the variables of the template
  /// now        the local time for strftime_now
  Renderer(const Value& variables, const std::tm& now);
  ~Renderer();
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // These functions count each step, each level of calls and each byte of output. Exceeding the budget is a Fault.
  void step(int line, size_t cost = 1);
  void write(std::string_view text);

  int line() const { return line_; }
  const std::tm& now() const { return now_; }
  const std::string& text() const { return text_; }
  const std::vector<Span>& spans() const { return spans_; }

  Scope& scope() { return *scope_; }
  const std::shared_ptr<Scope>& shared_scope() const { return scope_; }
  std::shared_ptr<const Namespace> new_namespace();
  /// Keeps a scope until the end of the run, because a macro looks names up in it.
  void keep(const std::shared_ptr<Scope>& scope) { kept_.push_back(scope); }

  /// Runs `f` in a new scope within `parent`.
  template <class F>
  void in_scope(const std::shared_ptr<Scope>& parent, const F& f) {
    const Restore<std::shared_ptr<Scope>> restore(scope_, std::make_shared<Scope>(parent));
    f();
  }
  /// The output of `f`.
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
  /// Marks the next `size` bytes of the finished output as the assistant's.
  void add_span(size_t size) { spans_.emplace_back(text_.size(), text_.size() + size); }

 private:
  template <class T>
  class Restore {
   public:
    Restore(T& target, T value) : target_(target), before_(std::exchange(target, std::move(value))) {}
    ~Restore() { target_ = std::move(before_); }
    Restore(const Restore&) = delete;
    Restore& operator=(const Restore&) = delete;

   private:
    T& target_;
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
