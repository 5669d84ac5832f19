#include "portatune/jinja/access.h"

#include <algorithm>

#include "portatune/base/number.h"
#include "portatune/jinja/methods.h"
#include "portatune/jinja/python_text.h"

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

}  // namespace portatune::jinja
