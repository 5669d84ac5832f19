#include "portatune/chat/jinja/operators.h"

#include <algorithm>
#include <cmath>

#include "portatune/base/text/number.h"
#include "portatune/chat/jinja/methods.h"
#include "portatune/chat/jinja/print.h"
#include "portatune/chat/jinja/python_text.h"

namespace portatune::jinja {
namespace {

Value missing(const Value& value, std::string_view what) {
  return Value::undefined("\"" + std::string(what) + "\" of a " + std::string(value.type()));
}

void require_defined(const Value& value, std::string_view what) {
  if (value.is_undefined()) throw Fault{value.undefined_message() + ", so it has no \"" + std::string(what) + "\"", {}};
}

std::optional<Value> method_or_attribute(const Value& value, std::string_view name) {
  if (const Object* object = value.object()) return object->attribute(name);
  return method_of(value, name);
}

// The index of an item in a sequence of `size`. A negative index counts from the end.
std::optional<size_t> index_in(int64_t index, size_t size) {
  if (index < 0) index += static_cast<int64_t>(size);
  if (index < 0 || index >= static_cast<int64_t>(size)) return std::nullopt;
  return static_cast<size_t>(index);
}

std::optional<Value> at_index(const Value& value, int64_t index) {
  if (const List* list = value.list(); list != nullptr && list->kind <= List::Kind::kTuple) {
    const std::optional<size_t> at = index_in(index, list->items.size());
    return at ? std::optional(list->items[*at]) : std::nullopt;
  }
  if (const std::string* text = value.text()) {
    const std::vector<std::string_view> characters = characters_of(*text);
    const std::optional<size_t> at = index_in(index, characters.size());
    return at ? std::optional(Value(characters[*at])) : std::nullopt;
  }
  return std::nullopt;
}

// The indices of Python's slice(begin, end, step).indices(size).
std::vector<size_t> indices(std::optional<int64_t> begin, std::optional<int64_t> end, int64_t step, int64_t size) {
  const int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  const auto within = [&](std::optional<int64_t> at, int64_t otherwise) {
    if (!at) return otherwise;
    return std::clamp(*at < 0 ? *at + size : *at, lowest, highest);
  };
  const int64_t from = within(begin, step > 0 ? lowest : highest), to = within(end, step > 0 ? highest : lowest);
  std::vector<size_t> result;
  for (int64_t at = from; step > 0 ? at < to : at > to; at += step) result.push_back(static_cast<size_t>(at));
  return result;
}

std::optional<int64_t> bound(const Value& value) {
  if (value.is_undefined() || value.is_none()) return std::nullopt;
  const std::optional<int64_t> number = value.as_integer();
  if (!number) throw Fault{"a slice with a bound of type " + std::string(value.type()), "int"};
  constexpr int64_t kFar = int64_t{1} << 40;  // beyond every sequence, and without overflow
  return std::clamp(*number, -kFar, kFar);
}

[[noreturn]] void refuse(std::string_view operation, const Value& left, const Value& right) {
  for (const Value* value : {&left, &right}) {
    if (value->is_undefined()) throw Fault{value->undefined_message(), "an operand of " + std::string(operation)};
  }
  throw Fault{std::string(left.type()) + " " + std::string(operation) + " " + std::string(right.type()), {}};
}

[[noreturn]] void refuse_size() { throw Fault{"an integer beyond 64 bits", {}}; }

double floor_division(double a, double b) { return std::floor(a / b); }
// The remainder with the sign of the divisor.
double modulo(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1 && __builtin_mul_overflow(result, base, &result)) refuse_size();
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) refuse_size();
  }
  return result;
}

Value of_integers(std::string_view operation, int64_t a, int64_t b) {
  int64_t result = 0;
  bool is_too_large = false;
  if (operation == "+") {
    is_too_large = __builtin_add_overflow(a, b, &result);
  } else if (operation == "-") {
    is_too_large = __builtin_sub_overflow(a, b, &result);
  } else if (operation == "*") {
    is_too_large = __builtin_mul_overflow(a, b, &result);
  } else if (operation == "**") {
    if (b < 0) return std::pow(static_cast<double>(a), static_cast<double>(b));
    result = power(a, b);
  } else {
    if (b == 0) throw Fault{"a division by 0", {}};
    if (operation == "/") return static_cast<double>(a) / static_cast<double>(b);
    if (b == -1) return operation == "%" ? Value(int64_t{0}) : of_integers("-", 0, a);
    const int64_t rest = a % b;
    const bool rounds_down = rest != 0 && (rest < 0) != (b < 0);
    result = operation == "%" ? (rounds_down ? rest + b : rest) : a / b - (rounds_down ? 1 : 0);
  }
  if (is_too_large) refuse_size();
  return result;
}

Value of_reals(std::string_view operation, double a, double b) {
  if (operation == "+") return a + b;
  if (operation == "-") return a - b;
  if (operation == "*") return a * b;
  if (operation == "**") return std::pow(a, b);
  if (b == 0) throw Fault{"a division by 0", {}};
  if (operation == "/") return a / b;
  return operation == "%" ? modulo(a, b) : floor_division(a, b);
}

Value repeated(const Value& value, int64_t times) {
  const auto count = static_cast<size_t>(std::max<int64_t>(times, 0));
  if (const std::string* text = value.text()) {
    require_bytes(static_cast<double>(text->size()) * static_cast<double>(count));
    std::string result;
    for (size_t i = 0; i < count && !text->empty(); ++i) result += *text;
    return result;
  }
  const List& list = *value.list();
  require_bytes(static_cast<double>(list.items.size()) * static_cast<double>(count) * sizeof(Value));
  std::vector<Value> items;
  for (size_t i = 0; i < count && !list.items.empty(); ++i) {
    items.insert(items.end(), list.items.begin(), list.items.end());
  }
  return make_list(std::move(items), list.kind);
}

bool is_sequence(const Value& value) {
  return value.text() != nullptr || (value.list() != nullptr && value.list()->kind <= List::Kind::kTuple);
}

Value sum(const Value& left, const Value& right) {
  if (left.text() != nullptr && right.text() != nullptr) {
    require_bytes(static_cast<double>(left.text()->size()) + static_cast<double>(right.text()->size()));
    return *left.text() + *right.text();
  }
  const List *a = left.list(), *b = right.list();
  if (a == nullptr || b == nullptr || a->kind != b->kind || !is_sequence(left)) refuse("+", left, right);
  std::vector<Value> items = a->items;
  items.insert(items.end(), b->items.begin(), b->items.end());
  return make_list(std::move(items), a->kind);
}

}  // namespace

Value attribute_of(const Value& value, std::string_view name) {
  require_defined(value, name);
  if (std::optional<Value> found = method_or_attribute(value, name)) return *found;
  if (const Dict* dict = value.dict()) {
    if (const Value* item = dict->find(name)) return *item;
  }
  return missing(value, name);
}

Value item_of(const Value& value, const Value& index) {
  const std::string* name = index.text();
  require_defined(value, name == nullptr ? "item" : *name);
  if (const Dict* dict = value.dict()) {
    if (const Value* item = dict->find(index)) return *item;
  }
  if (const std::optional<int64_t> number = index.as_integer()) {
    if (std::optional<Value> item = at_index(value, *number)) return *item;
    return missing(value, std::to_string(*number));
  }
  if (name == nullptr) return missing(value, "item");
  if (std::optional<Value> found = method_or_attribute(value, *name)) return *found;
  return missing(value, *name);
}

Value at_path(Value value, std::string_view path) {
  for (const std::string_view part : split(path, ".", -1, false)) {
    const auto index = number_in<int64_t>(part);
    value = item_of(value, index ? Value(*index) : Value(part));
  }
  return value;
}

Value slice_of(const Value& value, const Value& begin, const Value& end, const Value& step) {
  require_defined(value, "[:]");
  const int64_t by = bound(step).value_or(1);
  if (by == 0) throw Fault{"a slice with step 0", "another step"};
  if (const List* list = value.list(); list != nullptr && list->kind <= List::Kind::kTuple) {
    std::vector<Value> items;
    for (const size_t at : indices(bound(begin), bound(end), by, std::ssize(list->items))) {
      items.push_back(list->items[at]);
    }
    return make_list(std::move(items), list->kind);
  }
  if (const std::string* text = value.text()) {
    const std::vector<std::string_view> characters = characters_of(*text);
    std::string part;
    for (const size_t at : indices(bound(begin), bound(end), by, std::ssize(characters))) part += characters[at];
    return part;
  }
  return missing(value, "[:]");
}

bool contains(const Value& container, const Value& value) {
  if (const Dict* dict = container.dict()) return dict->find(value) != nullptr;
  if (const std::string* text = container.text()) {
    if (value.text() != nullptr) return text->find(*value.text()) != std::string::npos;
    throw Fault{std::string(value.type()) + " in a text", "a text in a text"};
  }
  return std::ranges::any_of(items_of(container), [&](const Value& item) { return equal(item, value); });
}

Value combine(std::string_view operation, const Value& left, const Value& right) {
  if (operation == "~") return sum(to_text(left), to_text(right));
  if (left.as_integer() && right.as_integer()) return of_integers(operation, *left.as_integer(), *right.as_integer());
  if (left.as_number() && right.as_number()) return of_reals(operation, *left.as_number(), *right.as_number());
  if (operation == "*" && is_sequence(left) && right.as_integer()) return repeated(left, *right.as_integer());
  if (operation == "*" && is_sequence(right) && left.as_integer()) return repeated(right, *left.as_integer());
  if (operation == "%" && left.text() != nullptr) throw Unsupported{"formatting a text with %"};
  if (operation == "+") return sum(left, right);
  refuse(operation, left, right);
}

bool compare(std::string_view operation, const Value& left, const Value& right) {
  if (operation == "==") return equal(left, right);
  if (operation == "!=") return !equal(left, right);
  if (operation == "in") return contains(right, left);
  if (operation == "not in") return !contains(right, left);
  if (operation == "<") return less(left, right);
  if (operation == ">") return less(right, left);
  if (operation == "<=") return less(left, right) || equal(left, right);
  return less(right, left) || equal(left, right);
}

Value negative(const Value& value) {
  if (value.as_integer()) return of_integers("-", 0, *value.as_integer());
  if (value.real() != nullptr) return -*value.real();
  refuse("-", int64_t{0}, value);
}

}  // namespace portatune::jinja
