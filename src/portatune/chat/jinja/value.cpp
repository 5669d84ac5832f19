#include "portatune/chat/jinja/value.h"

#include <algorithm>

#include "portatune/chat/jinja/python_text.h"

namespace portatune::jinja {
namespace {

constexpr int64_t kMaxValues = 1'000'000;
constexpr int kMaxLevels = 100;

Extent extent_of(const Value& value) {
  if (const List* list = value.list()) return list->extent;
  if (const Dict* dict = value.dict()) return dict->extent;
  return {};
}

void include(Extent& extent, const Value& value) {
  const Extent inner = extent_of(value);
  extent.values += inner.values;
  extent.depth = std::max(extent.depth, inner.depth + 1);
  if (extent.values > kMaxValues) throw Fault{"a list or dict of more than a million values", {}};
  if (extent.depth > kMaxLevels) throw Fault{"nested lists or dicts", "at most 100 levels"};
}

// Python compares lists only with lists, and tuples only with tuples.
bool same_kind(const List& a, const List& b) {
  return (a.kind == List::Kind::kTuple) == (b.kind == List::Kind::kTuple);
}

bool equal_dicts(const Dict& a, const Dict& b) {
  return a.items.size() == b.items.size() && std::ranges::all_of(a.items, [&](const auto& item) {
           const Value* other = b.find(item.first);
           return other != nullptr && equal(item.second, *other);
         });
}

}  // namespace

std::optional<Value> Object::attribute(std::string_view) const { return std::nullopt; }

Value Object::call(const Arguments&, Renderer&) const {
  throw Fault{"a call of a " + std::string(type()), "something that can be called"};
}

Value Value::undefined(std::string name) {
  Value value;
  value.data_ = Undefined{std::make_shared<const std::string>(std::move(name))};
  return value;
}

std::optional<int64_t> Value::as_integer() const {
  if (const bool* flag = boolean()) return *flag ? 1 : 0;
  if (const int64_t* number = integer()) return *number;
  return std::nullopt;
}

std::optional<double> Value::as_number() const {
  if (const double* number = real()) return *number;
  const std::optional<int64_t> number = as_integer();
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

bool Value::is_true() const {
  if (is_undefined() || is_none()) return false;
  if (const std::optional<double> number = as_number()) return *number != 0;
  if (const std::string* characters = text()) return !characters->empty();
  if (const Dict* pairs = dict()) return !pairs->items.empty();
  if (const List* values = list()) return values->kind == List::Kind::kGenerator || !values->items.empty();
  return true;
}

std::string_view Value::type() const {
  if (const Object* thing = object()) return thing->type();
  if (const List* values = list()) {
    constexpr std::string_view kNames[] = {"list", "tuple", "dict_items", "generator"};
    return kNames[static_cast<size_t>(values->kind)];
  }
  constexpr std::string_view kNames[] = {"Undefined", "NoneType", "bool", "int", "float", "str", "list", "dict"};
  return kNames[data_.index()];
}

std::string Value::undefined_message() const {
  const auto* undefined = std::get_if<Undefined>(&data_);
  const bool has_name = undefined != nullptr && undefined->name != nullptr;
  return has_name ? *undefined->name + " is undefined" : "something undefined";
}

const Value* Dict::find(std::string_view key) const {
  const auto found = by_text.find(key);
  return found == by_text.end() ? nullptr : &items[found->second].second;
}

std::optional<size_t> Dict::index_of(const Value& key) const {
  if (const std::string* text = key.text()) {
    const auto found = by_text.find(*text);
    return found == by_text.end() ? std::nullopt : std::optional(found->second);
  }
  const auto found = std::ranges::find_if(items, [&](const auto& item) { return equal(item.first, key); });
  return found == items.end() ? std::nullopt : std::optional(static_cast<size_t>(found - items.begin()));
}

const Value* Dict::find(const Value& key) const {
  const std::optional<size_t> index = index_of(key);
  return index ? &items[*index].second : nullptr;
}

Value make_list(std::vector<Value> items, List::Kind kind) {
  Extent extent;
  for (const Value& item : items) include(extent, item);
  return std::make_shared<const List>(List{std::move(items), kind, extent});
}

Value make_dict(std::vector<std::pair<Value, Value>> items) {
  auto dict = std::make_shared<Dict>();
  for (auto& [key, value] : items) {
    if (key.list() != nullptr || key.dict() != nullptr) throw Fault{"a key of type " + std::string(key.type()), {}};
    include(dict->extent, value);
    if (const std::optional<size_t> index = dict->index_of(key)) {
      dict->items[*index].second = std::move(value);
      continue;
    }
    if (const std::string* text = key.text()) dict->by_text.emplace(*text, dict->items.size());
    dict->items.emplace_back(std::move(key), std::move(value));
  }
  return std::shared_ptr<const Dict>(std::move(dict));
}

bool equal(const Value& a, const Value& b) {
  if (const std::optional<double> x = a.as_number()) {
    const std::optional<int64_t> i = a.as_integer(), j = b.as_integer();
    return i && j ? *i == *j : b.as_number() && *x == *b.as_number();
  }
  if (a.text() != nullptr) return b.text() != nullptr && *a.text() == *b.text();
  if (a.list() != nullptr) {
    return b.list() != nullptr && same_kind(*a.list(), *b.list()) &&
           std::ranges::equal(a.list()->items, b.list()->items, equal);
  }
  if (a.dict() != nullptr) return b.dict() != nullptr && equal_dicts(*a.dict(), *b.dict());
  if (a.object() != nullptr) return a.object() == b.object();
  return (a.is_none() && b.is_none()) || (a.is_undefined() && b.is_undefined());
}

bool less(const Value& a, const Value& b) {
  if (a.as_number() && b.as_number()) {
    const std::optional<int64_t> i = a.as_integer(), j = b.as_integer();
    return i && j ? *i < *j : *a.as_number() < *b.as_number();
  }
  // The order of bytes in UTF-8 is the order of code points.
  if (a.text() != nullptr && b.text() != nullptr) return *a.text() < *b.text();
  if (a.list() != nullptr && b.list() != nullptr && same_kind(*a.list(), *b.list())) {
    return std::ranges::lexicographical_compare(a.list()->items, b.list()->items, less);
  }
  if (a.is_undefined() || b.is_undefined()) throw Fault{(a.is_undefined() ? a : b).undefined_message(), {}};
  throw Fault{"a comparison of " + std::string(a.type()) + " with " + std::string(b.type()), {}};
}

std::vector<Value> items_of(const Value& value) {
  if (const List* list = value.list()) return list->items;
  std::vector<Value> items;
  if (value.is_undefined()) return items;
  if (const Dict* dict = value.dict()) {
    for (const auto& [key, item] : dict->items) items.push_back(key);
    return items;
  }
  if (const std::string* text = value.text()) {
    for (const std::string_view character : characters_of(*text)) items.emplace_back(character);
    return items;
  }
  throw Fault{"a loop over a value of type " + std::string(value.type()), "something iterable"};
}

const Value* Arguments::find(std::string_view name) const {
  const auto found = std::ranges::find_if(named, [&](const auto& argument) { return argument.first == name; });
  return found == named.end() ? nullptr : &found->second;
}

Bound::Bound(std::string_view function, std::initializer_list<std::string_view> parameters, const Arguments& arguments)
    : function_(function), parameters_(parameters), given_(parameters.size(), nullptr) {
  if (arguments.positional.size() > parameters_.size()) {
    throw Fault{std::to_string(arguments.positional.size()) + " arguments of " + function_,
                "at most " + std::to_string(parameters_.size())};
  }
  for (size_t i = 0; i < arguments.positional.size(); ++i) given_[i] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    const auto found = std::ranges::find(parameters_, name);
    if (found == parameters_.end()) throw Fault{"an argument \"" + name + "\" of " + function_, {}};
    const Value*& slot = given_[static_cast<size_t>(found - parameters_.begin())];
    if (slot != nullptr) throw Fault{"two arguments \"" + name + "\" of " + function_, "one"};
    slot = &value;
  }
}

const Value& Bound::at(size_t i) const {
  if (!has(i)) throw Fault{function_ + " without an argument \"" + std::string(parameters_[i]) + "\"", {}};
  return *given_[i];
}

void Bound::refuse(size_t i, std::string_view wanted) const {
  throw Fault{std::string(at(i).type()) + " as argument \"" + std::string(parameters_[i]) + "\" of " + function_,
              std::string(wanted)};
}

std::string_view Bound::text(size_t i) const {
  if (at(i).text() == nullptr) refuse(i, "str");
  return *at(i).text();
}

int64_t Bound::integer_or(size_t i, int64_t fallback) const {
  if (!has(i)) return fallback;
  const std::optional<int64_t> value = at(i).as_integer();
  if (!value) refuse(i, "int");
  return *value;
}

}  // namespace portatune::jinja
