#include "portatune/chat/jinja/selections.h"

#include <algorithm>

#include "portatune/chat/jinja/filters.h"
#include "portatune/chat/jinja/operators.h"
#include "portatune/chat/jinja/print.h"
#include "portatune/chat/jinja/python_text.h"

namespace portatune::jinja {
namespace {

const std::string& name_in(const Value& value, const char* what) {
  if (value.text() == nullptr) throw Fault{std::string(value.type()) + " as the name of " + what, "a text"};
  return *value.text();
}

// The arguments after the first `count`.
Arguments behind(const Arguments& given, size_t count) {
  const auto begin = given.positional.begin() + static_cast<std::ptrdiff_t>(std::min(count, given.positional.size()));
  return {.positional = {begin, given.positional.end()}, .named = given.named};
}

// The items of a value; none for None and 0.
std::vector<Value> items_if_true(const Value& value) {
  return value.is_true() ? items_of(value) : std::vector<Value>();
}

enum class Keep { kTrue, kFalse };

// The items that are true or pass a test, given by its name and arguments. If `by_attribute`, the path of an attribute
// comes first.
Value chosen(const Value& value, const Arguments& given, Keep keep, bool by_attribute) {
  const size_t names = by_attribute ? 1 : 0;
  if (given.positional.size() < names) throw Fault{"no attribute to select by", {}};
  const bool has_test = given.positional.size() > names;
  const Arguments arguments = behind(given, names + 1);
  std::vector<Value> items;
  for (const Value& item : items_if_true(value)) {
    const Value by = by_attribute ? at_path(item, to_text(given.positional[0])) : item;
    const bool passes = has_test ? apply_test(name_in(given.positional[names], "a test"), by, arguments) : by.is_true();
    if (passes == (keep == Keep::kTrue)) items.push_back(item);
  }
  return make_list(std::move(items), List::Kind::kGenerator);
}

// The sort key of an item: its attribute; texts ignore case unless `case_sensitive`.
Value key_of(const Value& item, const Value* attribute, bool case_sensitive) {
  const Value key = attribute == nullptr || attribute->is_none() ? item : at_path(item, to_text(*attribute));
  return case_sensitive || key.text() == nullptr ? key : Value(lower(*key.text()));
}

Value extreme(const char* name, const Value& value, const Arguments& given, const auto& is_better) {
  const Bound a(name, {"case_sensitive", "attribute"}, given);
  const auto key = [&](const Value& item) { return key_of(item, a.has(1) ? &a.at(1) : nullptr, a.flag_or(0, false)); };
  const std::vector<Value> items = items_of(value);
  if (items.empty()) return Value::undefined(std::string("the ") + name + " of no items");
  return *std::ranges::min_element(items, is_better, key);
}

}  // namespace

Value mapped(const Value& value, const Arguments& given, Renderer& r) {
  const Value *attribute = given.find("attribute"), *otherwise = given.find("default");
  const bool by_attribute = given.positional.empty() && attribute != nullptr;
  if (!by_attribute && given.positional.empty()) throw Fault{"map without a filter", "a filter or an attribute"};
  const Arguments arguments = behind(given, 1);
  std::vector<Value> items;
  for (const Value& item : items_if_true(value)) {
    Value result = by_attribute ? at_path(item, to_text(*attribute))
                                : apply_filter(name_in(given.positional[0], "a filter"), item, arguments, r);
    if (by_attribute && result.is_undefined() && otherwise != nullptr) result = *otherwise;
    items.push_back(std::move(result));
  }
  return make_list(std::move(items), List::Kind::kGenerator);
}

Value selected(const Value& value, const Arguments& given, Renderer&) {
  return chosen(value, given, Keep::kTrue, false);
}
Value rejected(const Value& value, const Arguments& given, Renderer&) {
  return chosen(value, given, Keep::kFalse, false);
}
Value selected_by_attribute(const Value& value, const Arguments& given, Renderer&) {
  return chosen(value, given, Keep::kTrue, true);
}
Value rejected_by_attribute(const Value& value, const Arguments& given, Renderer&) {
  return chosen(value, given, Keep::kFalse, true);
}

Value sorted(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("sort", {"reverse", "case_sensitive", "attribute"}, given);
  const auto key = [&](const Value& item) { return key_of(item, a.has(2) ? &a.at(2) : nullptr, a.flag_or(1, false)); };
  std::vector<Value> items = items_of(value);
  const bool is_reverse = a.flag_or(0, false);
  std::ranges::stable_sort(
      items, [&](const Value& x, const Value& y) { return is_reverse ? less(y, x) : less(x, y); }, key);
  return make_list(std::move(items));
}

Value sorted_dict(const Value& value, const Arguments& given, Renderer& r) {
  const Bound a("dictsort", {"case_sensitive", "by", "reverse"}, given);
  if (value.dict() == nullptr) throw Fault{"dictsort of a value of type " + std::string(value.type()), "dict"};
  const std::string_view by = a.text_or(1, "key");
  if (by != "key" && by != "value") throw Fault{"dictsort by " + std::string(by), "key or value"};
  const Value pairs = attribute_of(value, "items").object()->call({}, r);
  const Arguments order{.positional = {a.flag_or(2, false), a.flag_or(0, false), int64_t{by == "key" ? 0 : 1}},
                        .named = {}};
  return sorted(pairs, order, r);
}

Value unique(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("unique", {"case_sensitive", "attribute"}, given);
  std::vector<Value> items, keys;
  for (const Value& item : items_of(value)) {
    Value key = key_of(item, a.has(1) ? &a.at(1) : nullptr, a.flag_or(0, false));
    if (std::ranges::any_of(keys, [&](const Value& seen) { return equal(seen, key); })) continue;
    keys.push_back(std::move(key));
    items.push_back(item);
  }
  return make_list(std::move(items), List::Kind::kGenerator);
}

Value summed(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("sum", {"attribute", "start"}, given);
  Value total = a.at_or(1, int64_t{0});
  for (const Value& item : items_of(value)) {
    const bool has_attribute = a.has(0) && !a.at(0).is_none();
    total = combine("+", total, has_attribute ? at_path(item, to_text(a.at(0))) : item);
  }
  return total;
}

Value least(const Value& value, const Arguments& given, Renderer&) { return extreme("min", value, given, less); }

Value greatest(const Value& value, const Arguments& given, Renderer&) {
  return extreme("max", value, given, [](const Value& x, const Value& y) { return less(y, x); });
}

}  // namespace portatune::jinja
