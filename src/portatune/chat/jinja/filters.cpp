#include "portatune/chat/jinja/filters.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "portatune/base/text/number.h"
#include "portatune/chat/jinja/operators.h"
#include "portatune/chat/jinja/print.h"
#include "portatune/chat/jinja/python_text.h"
#include "portatune/chat/jinja/selections.h"

namespace portatune::jinja {
namespace {

// ---- filters of any value

Value default_value(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("default", {"default_value", "boolean"}, given);
  const bool is_replaced = value.is_undefined() || (a.flag_or(1, false) && !value.is_true());
  return is_replaced ? a.at_or(0, "") : value;
}

Value length(const Value& value, const Arguments& given, Renderer&) {
  Bound("length", {}, given);
  if (const std::string* text = value.text()) return length_of(*text);
  const bool has_length = value.is_undefined() || value.dict() != nullptr ||
                          (value.list() != nullptr && value.list()->kind != List::Kind::kGenerator);
  if (!has_length) throw Fault{"the length of a value of type " + std::string(value.type()), {}};
  return static_cast<int64_t>(items_of(value).size());
}

Value to_json_filter(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("tojson", {"ensure_ascii", "indent", "separators", "sort_keys"}, given);
  JsonStyle style{.ensure_ascii = a.flag_or(0, false), .sort_keys = a.flag_or(3, false), .indent = {}};
  if (a.has(1) && !a.at(1).is_none()) {
    constexpr int64_t kMaxIndent = 100;
    style.indent = a.at(1).text() != nullptr
                       ? *a.at(1).text()
                       : std::string(static_cast<size_t>(std::clamp<int64_t>(a.integer_or(1, 0), 0, kMaxIndent)), ' ');
    style.between_items = ",";
  }
  if (a.has(2) && !a.at(2).is_none()) {
    const std::vector<Value> separators = items_of(a.at(2));
    if (separators.size() != 2) throw Fault{"separators for tojson", "two texts"};
    style.between_items = to_text(separators[0]);
    style.behind_keys = to_text(separators[1]);
  }
  return to_json(value, style);
}

// ---- filters of numbers

Value to_integer(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("int", {"default", "base"}, given);
  if (a.has(1)) throw Unsupported{"the filter \"int\" with a base"};
  if (const double* real = value.real(); real != nullptr && std::abs(*real) < 9e18) return static_cast<int64_t>(*real);
  if (value.as_integer()) return *value.as_integer();
  if (const std::string* text = value.text()) {
    std::string_view digits = strip(*text);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto number = number_in<double>(digits);
    if (number && std::abs(*number) < 9e15) return static_cast<int64_t>(*number);
  }
  return a.at_or(0, int64_t{0});
}

Value to_real(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("float", {"default"}, given);
  if (value.as_number()) return *value.as_number();
  if (const std::string* text = value.text()) {
    if (const auto number = number_in<double>(strip(*text))) return *number;
  }
  return a.at_or(0, 0.0);
}

Value absolute(const Value& value, const Arguments& given, Renderer&) {
  Bound("abs", {}, given);
  if (!value.as_number()) throw Fault{"abs of a value of type " + std::string(value.type()), "a number"};
  return *value.as_number() < 0 ? negative(value) : combine("+", int64_t{0}, value);
}

// ---- filters of texts; other values are converted to text

Value trimmed(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("trim", {"chars"}, given);
  const std::string text = to_text(value);
  if (!a.has(0) || a.at(0).is_none()) return strip(text, Ends{});
  return strip(text, a.text(0), {});
}

Value replaced(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("replace", {"old", "new", "count"}, given);
  const bool has_count = a.has(2) && !a.at(2).is_none();
  return replace(to_text(value), to_text(a.at(0)), to_text(a.at(1)), has_count ? a.integer_or(2, -1) : -1);
}

Value indented(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("indent", {"width", "first", "blank"}, given);
  const bool is_text = a.has(0) && a.at(0).text() != nullptr;
  const int64_t width = is_text ? 0 : a.integer_or(0, 4);
  require_bytes(static_cast<double>(width));
  const std::string indentation =
      is_text ? *a.at(0).text() : std::string(static_cast<size_t>(std::max<int64_t>(width, 0)), ' ');
  const std::string text = to_text(value) + "\n";
  std::string result = a.flag_or(1, false) ? indentation : "";
  bool is_first = true;
  for (const std::string_view line : split_lines(text)) {
    if (!is_first) {
      result += "\n";
      if (!line.empty() || a.flag_or(2, false)) result += indentation;
    }
    result += line;
    require_bytes(static_cast<double>(result.size()));
    is_first = false;
  }
  return result;
}

Value escaped(const Value& value, const Arguments&, Renderer&) {
  std::string result;
  for (const char c : to_text(value)) {
    constexpr std::string_view kSpecial = "&<>\"'";
    constexpr const char* kNames[] = {"&amp;", "&lt;", "&gt;", "&#34;", "&#39;"};
    const size_t at = kSpecial.find(c);
    if (at == std::string_view::npos) {
      result += c;
    } else {
      result += kNames[at];
    }
  }
  return result;
}

template <auto f>
Value of_text(const Value& value, const Arguments& given, Renderer&) {
  Bound("filter", {}, given);
  return f(to_text(value));
}
std::string title_of_filter(std::string_view text) { return title(text, true); }

// ---- filters of values with items

Value first(const Value& value, const Arguments&, Renderer&) {
  const std::vector<Value> items = items_of(value);
  return items.empty() ? Value::undefined("the first of no items") : items.front();
}

Value last(const Value& value, const Arguments&, Renderer&) {
  const std::vector<Value> items = items_of(value);
  return items.empty() ? Value::undefined("the last of no items") : items.back();
}

Value listed(const Value& value, const Arguments&, Renderer&) { return make_list(items_of(value)); }

Value pairs(const Value& value, const Arguments& given, Renderer& r) {
  if (value.is_undefined()) return make_list({}, List::Kind::kGenerator);
  if (value.dict() == nullptr) throw Fault{"items of a value of type " + std::string(value.type()), "dict"};
  return make_list(items_of(attribute_of(value, "items").object()->call(given, r)), List::Kind::kGenerator);
}

Value joined(const Value& value, const Arguments& given, Renderer&) {
  const Bound a("join", {"d", "attribute"}, given);
  const std::string between = to_text(a.at_or(0, ""));
  std::string text;
  bool is_first = true;
  for (Value item : items_of(value)) {
    if (a.has(1)) item = at_path(item, to_text(a.at(1)));
    if (!is_first) text += between;
    text += to_text(item);
    require_bytes(static_cast<double>(text.size()));
    is_first = false;
  }
  return text;
}

Value reversed(const Value& value, const Arguments&, Renderer&) {
  const std::vector<Value> forward = items_of(value);
  std::vector<Value> items(forward.rbegin(), forward.rend());
  if (value.text() == nullptr) return make_list(std::move(items), List::Kind::kGenerator);
  std::string text;
  for (const Value& item : items) text += *item.text();
  return text;
}

using Filter = Value (*)(const Value& value, const Arguments& given, Renderer& r);
const std::map<std::string_view, Filter> kFilters = {
    {"default", default_value},
    {"d", default_value},
    {"length", length},
    {"count", length},
    {"tojson", to_json_filter},
    {"string", [](const Value& value, const Arguments&, Renderer&) -> Value { return to_text(value); }},
    // Escaping happens only on request, so there is no need to mark texts as safe.
    {"safe", [](const Value& value, const Arguments&, Renderer&) -> Value { return to_text(value); }},
    {"int", to_integer},
    {"float", to_real},
    {"abs", absolute},
    {"trim", trimmed},
    {"replace", replaced},
    {"indent", indented},
    {"escape", escaped},
    {"e", escaped},
    {"upper", of_text<upper>},
    {"lower", of_text<lower>},
    {"capitalize", of_text<capitalize>},
    {"title", of_text<title_of_filter>},
    {"first", first},
    {"last", last},
    {"list", listed},
    {"items", pairs},
    {"join", joined},
    {"reverse", reversed},
    {"map", mapped},
    {"select", selected},
    {"reject", rejected},
    {"selectattr", selected_by_attribute},
    {"rejectattr", rejected_by_attribute},
    {"sort", sorted},
    {"dictsort", sorted_dict},
    {"unique", unique},
    {"sum", summed},
    {"min", least},
    {"max", greatest},
};

using Test = bool (*)(const Value& value, const Arguments& given);

const Value& other(const Arguments& given) {
  if (given.positional.size() != 1) throw Fault{std::to_string(given.positional.size()) + " arguments of a test", "1"};
  return given.positional[0];
}

int64_t integer(const Value& value) {
  if (!value.as_integer()) throw Fault{std::string(value.type()) + " for a test of integers", "int"};
  return *value.as_integer();
}

bool is_list_or_tuple(const Value& value) {
  return value.list() != nullptr && value.list()->kind <= List::Kind::kTuple;
}

template <const char* const& operation>
bool compared(const Value& value, const Arguments& given) {
  return compare(operation, value, other(given));
}

const char *const kEqual = "==", *const kNotEqual = "!=", *const kLess = "<", *const kLessEqual = "<=",
                  *const kGreater = ">", *const kGreaterEqual = ">=", *const kIn = "in";

const std::map<std::string_view, Test> kTests = {
    {"defined", [](const Value& v, const Arguments&) { return !v.is_undefined(); }},
    {"undefined", [](const Value& v, const Arguments&) { return v.is_undefined(); }},
    {"none", [](const Value& v, const Arguments&) { return v.is_none(); }},
    {"boolean", [](const Value& v, const Arguments&) { return v.boolean() != nullptr; }},
    {"true", [](const Value& v, const Arguments&) { return v.boolean() != nullptr && *v.boolean(); }},
    {"false", [](const Value& v, const Arguments&) { return v.boolean() != nullptr && !*v.boolean(); }},
    {"integer", [](const Value& v, const Arguments&) { return v.integer() != nullptr; }},
    {"float", [](const Value& v, const Arguments&) { return v.real() != nullptr; }},
    {"number", [](const Value& v, const Arguments&) { return v.as_number().has_value(); }},
    {"string", [](const Value& v, const Arguments&) { return v.text() != nullptr; }},
    {"mapping", [](const Value& v, const Arguments&) { return v.dict() != nullptr; }},
    // True for all values with a length and items, including dicts and undefined values.
    {"sequence",
     [](const Value& v, const Arguments&) {
       return v.text() != nullptr || v.dict() != nullptr || v.is_undefined() || is_list_or_tuple(v);
     }},
    {"iterable",
     [](const Value& v, const Arguments&) {
       return v.text() != nullptr || v.dict() != nullptr || v.is_undefined() || v.list() != nullptr;
     }},
    {"callable", [](const Value& v, const Arguments&) { return v.object() != nullptr && v.object()->is_callable(); }},
    {"odd", [](const Value& v, const Arguments&) { return integer(v) % 2 != 0; }},
    {"even", [](const Value& v, const Arguments&) { return integer(v) % 2 == 0; }},
    {"divisibleby",
     [](const Value& v, const Arguments& a) { return equal(combine("%", integer(v), integer(other(a))), int64_t{0}); }},
    {"eq", compared<kEqual>},
    {"equalto", compared<kEqual>},
    {"ne", compared<kNotEqual>},
    {"lt", compared<kLess>},
    {"lessthan", compared<kLess>},
    {"le", compared<kLessEqual>},
    {"gt", compared<kGreater>},
    {"greaterthan", compared<kGreater>},
    {"ge", compared<kGreaterEqual>},
    {"==", compared<kEqual>},
    {"!=", compared<kNotEqual>},
    {"<", compared<kLess>},
    {"<=", compared<kLessEqual>},
    {">", compared<kGreater>},
    {">=", compared<kGreaterEqual>},
    {"in", compared<kIn>},
};

}  // namespace

Value apply_filter(const std::string& name, const Value& value, const Arguments& arguments, Renderer& r) {
  const auto found = kFilters.find(name);
  if (found == kFilters.end()) throw Unsupported{"the filter \"" + name + "\""};
  return found->second(value, arguments, r);
}

bool apply_test(const std::string& name, const Value& value, const Arguments& arguments) {
  const auto found = kTests.find(name);
  if (found == kTests.end()) throw Unsupported{"the test \"" + name + "\""};
  return found->second(value, arguments);
}

}  // namespace portatune::jinja
