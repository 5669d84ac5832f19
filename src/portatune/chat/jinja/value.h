// Values of a template: immutable Python values, as in the sandbox of chat templates. Also the arguments of calls, and
// the failures of a run, which Template::render() turns into errors that name file and line.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace portatune::jinja {

/// A conversation that the template does not accept, or a mistake in the template. The reference refuses it, too.
struct Fault {
  std::string given, expected;
};

/// A construct that this interpreter lacks.
struct Unsupported {
  std::string what;
};

class Renderer;
class Value;
struct Arguments;
struct List;
struct Dict;

/// The value of a missing name or attribute. It prints as nothing; access to its attributes is a Fault.
struct Undefined {
  std::shared_ptr<const std::string> name;  // null: unknown
};

struct None {
  bool operator==(const None&) const = default;
};

/// A value with attributes or a call: namespaces, `loop`, macros, methods, functions.
class Object {
 public:
  virtual ~Object() = default;
  /// The type in messages: "namespace".
  virtual std::string_view type() const = 0;
  virtual std::optional<Value> attribute(std::string_view name) const;
  virtual bool is_callable() const { return false; }
  virtual Value call(const Arguments& arguments, Renderer& renderer) const;
};

class Value {
 public:
  Value() = default;  ///< undefined
  Value(None none) : data_(none) {}
  Value(bool value) : data_(value) {}
  Value(int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(std::string text) : data_(std::make_shared<const std::string>(std::move(text))) {}
  Value(std::string_view text) : Value(std::string(text)) {}
  Value(const char* text) : Value(std::string(text)) {}
  Value(std::shared_ptr<const List> list) : data_(std::move(list)) {}
  Value(std::shared_ptr<const Dict> dict) : data_(std::move(dict)) {}
  Value(std::shared_ptr<const Object> object) : data_(std::move(object)) {}

  static Value undefined(std::string name);

  bool is_undefined() const { return std::holds_alternative<Undefined>(data_); }
  bool is_none() const { return std::holds_alternative<None>(data_); }
  // These functions return null for another type.
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const int64_t* integer() const { return std::get_if<int64_t>(&data_); }
  const double* real() const { return std::get_if<double>(&data_); }
  const std::string* text() const { return pointee<std::string>(); }
  const List* list() const { return pointee<List>(); }
  const Dict* dict() const { return pointee<Dict>(); }
  const Object* object() const { return pointee<Object>(); }
  /// A Python int: an integer or a bool.
  std::optional<int64_t> as_integer() const;
  /// The value of any number.
  std::optional<double> as_number() const;

  bool is_true() const;
  /// Python's name for the type: "str".
  std::string_view type() const;
  /// The message about an undefined value: "'x' is undefined".
  std::string undefined_message() const;

 private:
  template <class T>
  const T* pointee() const {
    const auto* pointer = std::get_if<std::shared_ptr<const T>>(&data_);
    return pointer == nullptr ? nullptr : pointer->get();
  }

  // A shared_ptr, because values are immutable and copied much more often than made.
  std::variant<Undefined, None, bool, int64_t, double, std::shared_ptr<const std::string>, std::shared_ptr<const List>,
               std::shared_ptr<const Dict>, std::shared_ptr<const Object>>
      data_;
};

/// The size and depth of nested values. Both are limited when values are made, so that walks over a value end.
struct Extent {
  int64_t values = 1;
  int depth = 1;
};

struct List {
  enum class Kind {
    kList,
    kTuple,
    kView,      ///< the result of dict.items(): has a length, no index
    kGenerator  ///< the result of filters: true even if it is empty, without length and index
  };
  std::vector<Value> items;
  Kind kind = Kind::kList;
  Extent extent;
};

struct Dict {
  std::vector<std::pair<Value, Value>> items;  // in the order of insertion
  std::map<std::string, size_t, std::less<>> by_text;
  Extent extent;

  /// The value of a key; null if the key is missing.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  std::optional<size_t> index_of(const Value& key) const;
};

// Makes a list or dict.
// errors  Fault if there are more than a million values, or more than a hundred levels of them
Value make_list(std::vector<Value> items, List::Kind kind = List::Kind::kList);
/// If a key occurs twice, its last value counts.
Value make_dict(std::vector<std::pair<Value, Value>> items);

bool equal(const Value& a, const Value& b);
/// Compares by order.
/// errors  Fault for types without an order
bool less(const Value& a, const Value& b);

/// The values that a `for` iterates over: items, keys, characters.
/// errors  Fault for a value that is not iterable
std::vector<Value> items_of(const Value& value);

/// Arguments of functions, methods, filters and tests.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  const Value* find(std::string_view name) const;
};

/// Arguments in the order of a function's parameters.
class Bound {
 public:
  /// Assigns arguments to parameters.
  /// errors  Fault for too many arguments, an unknown name, or a name that occurs twice
  Bound(std::string_view function, std::initializer_list<std::string_view> parameters, const Arguments& arguments);

  bool has(size_t i) const { return given_[i] != nullptr; }
  /// The argument of parameter i.
  /// errors  Fault if it is missing
  const Value& at(size_t i) const;
  Value at_or(size_t i, Value fallback) const { return has(i) ? *given_[i] : fallback; }
  /// The argument of parameter i as a text.
  /// errors  Fault for another type
  std::string_view text(size_t i) const;
  std::string_view text_or(size_t i, std::string_view fallback) const { return has(i) ? text(i) : fallback; }
  int64_t integer_or(size_t i, int64_t fallback) const;
  bool flag_or(size_t i, bool fallback) const { return has(i) ? given_[i]->is_true() : fallback; }

 private:
  [[noreturn]] void refuse(size_t i, std::string_view wanted) const;

  std::string function_;
  std::vector<std::string_view> parameters_;
  std::vector<const Value*> given_;
};

}  // namespace portatune::jinja
