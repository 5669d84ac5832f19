// Values of a template: Python's, and immutable, as the sandbox of chat templates has them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "portatune/jinja/fault.h"

namespace portatune::jinja {

class Renderer;
class Value;
struct Arguments;
struct List;
struct Dict;

/// What a name or an attribute stands for that is not there: empty when printed, a Fault when an attribute is taken.
struct Undefined {
  std::shared_ptr<const std::string> name;  // null: nobody knows
};

struct None {
  bool operator==(const None&) const = default;
};

/// What has attributes or can be called: namespaces, `loop`, macros, methods, functions.
class Object {
 public:
  virtual ~Object() = default;
  /// For messages: "namespace".
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
  // Null if it is something else.
  const bool* boolean() const { return std::get_if<bool>(&data_); }
  const int64_t* integer() const { return std::get_if<int64_t>(&data_); }
  const double* real() const { return std::get_if<double>(&data_); }
  const std::string* text() const { return pointee<std::string>(); }
  const List* list() const { return pointee<List>(); }
  const Dict* dict() const { return pointee<Dict>(); }
  const Object* object() const { return pointee<Object>(); }
  /// A Python int: an integer or a bool.
  std::optional<int64_t> as_integer() const;
  /// Any number.
  std::optional<double> as_number() const;

  bool is_true() const;
  /// Python's name of the type: "str".
  std::string_view type() const;
  /// What an undefined value was to be: "'x' is undefined".
  std::string undefined_message() const;

 private:
  template <class T>
  const T* pointee() const {
    const auto* pointer = std::get_if<std::shared_ptr<const T>>(&data_);
    return pointer == nullptr ? nullptr : pointer->get();
  }

  // shared_ptr: values are immutable, and copied far more often than made.
  std::variant<Undefined, None, bool, int64_t, double, std::shared_ptr<const std::string>, std::shared_ptr<const List>,
               std::shared_ptr<const Dict>, std::shared_ptr<const Object>>
      data_;
};

/// How far values contain each other. Bounded when they are made, so that whatever walks through one ends.
struct Extent {
  int64_t values = 1;
  int depth = 1;
};

struct List {
  enum class Kind {
    kList,
    kTuple,
    kView,      ///< what dict.items() gives: has a length, no index
    kGenerator  ///< what filters give: true even if it is empty, without length and index
  };
  std::vector<Value> items;
  Kind kind = Kind::kList;
  Extent extent;
};

struct Dict {
  std::vector<std::pair<Value, Value>> items;  // in the order in which they were written
  std::map<std::string, size_t, std::less<>> by_text;
  Extent extent;

  /// Null if there is no such key.
  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  std::optional<size_t> index_of(const Value& key) const;
};

// errors  Fault if there are more than a million values, or more than a hundred levels of them
Value make_list(std::vector<Value> items, List::Kind kind = List::Kind::kList);
/// Of a key that comes twice the last value counts.
Value make_dict(std::vector<std::pair<Value, Value>> items);

bool equal(const Value& a, const Value& b);
/// errors  Fault for types that have no order
bool less(const Value& a, const Value& b);

/// The values that a `for` sees: items, keys, characters.
/// errors  Fault for what is not iterable
std::vector<Value> items_of(const Value& value);

}  // namespace portatune::jinja
