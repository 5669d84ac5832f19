#include "portatune/chat/jinja/methods.h"

#include <algorithm>
#include <map>

#include "portatune/chat/jinja/python_text.h"
#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {
namespace {

using Method = Value (*)(const Value& self, const Arguments& given);
using Methods = std::map<std::string_view, Method>;

class BoundMethod final : public Object {
 public:
  BoundMethod(Value self, Method method) : self_(std::move(self)), method_(method) {}
  std::string_view type() const override { return "method"; }
  bool is_callable() const override { return true; }
  Value call(const Arguments& arguments, Renderer&) const override { return method_(self_, arguments); }

 private:
  const Value self_;
  const Method method_;
};

Value list_of(const std::vector<std::string_view>& texts, List::Kind kind = List::Kind::kList) {
  return make_list(std::vector<Value>(texts.begin(), texts.end()), kind);
}

void require_none(const Arguments& given) { Bound("a method", {}, given); }

// ---- methods of texts

template <std::string (*f)(std::string_view)>
Value with_case(const Value& self, const Arguments& given) {
  require_none(given);
  return f(*self.text());
}
std::string title_of_method(std::string_view text) { return title(text, false); }

Value stripped(const Value& self, const Arguments& given, Ends ends) {
  const Bound a("strip", {"chars"}, given);
  if (!a.has(0) || a.at(0).is_none()) return strip(*self.text(), ends);
  return strip(*self.text(), a.text(0), ends);
}

Value split_text(const Value& self, const Arguments& given, bool from_right) {
  const Bound a("split", {"sep", "maxsplit"}, given);
  const bool at_blanks = !a.has(0) || a.at(0).is_none();
  if (!at_blanks && a.text(0).empty()) throw Fault{"split() at an empty text", {}};
  return list_of(split(*self.text(), at_blanks ? "" : a.text(0), a.integer_or(1, -1), from_right));
}

// True if `holds` is true for the text, or for one text of the tuple.
bool any_of(std::string_view name, const Arguments& given, const auto& holds) {
  const Bound a(name, {"text"}, given);
  const List* several = a.at(0).list();
  if (several == nullptr) return holds(a.text(0));
  return std::ranges::any_of(several->items,
                             [&](const Value& one) { return one.text() != nullptr && holds(*one.text()); });
}

Value partition(const Value& self, const Arguments& given, bool from_right) {
  const Bound a("partition", {"sep"}, given);
  const std::string_view text = *self.text(), separator = a.text(0);
  if (separator.empty()) throw Fault{"partition() at an empty text", {}};
  const size_t at = from_right ? text.rfind(separator) : text.find(separator);
  if (at == std::string_view::npos) {
    return from_right ? list_of({"", "", text}, List::Kind::kTuple) : list_of({text, "", ""}, List::Kind::kTuple);
  }
  return list_of({text.substr(0, at), separator, text.substr(at + separator.size())}, List::Kind::kTuple);
}

Value find_text(const Value& self, const Arguments& given, bool from_right) {
  const Bound a("find", {"sub"}, given);
  const size_t at = from_right ? self.text()->rfind(a.text(0)) : self.text()->find(a.text(0));
  return at == std::string::npos ? int64_t{-1} : length_of(std::string_view(*self.text()).substr(0, at));
}

Value all_digits(const Value& self, const Arguments& given) {
  require_none(given);
  const auto is_digit = [](char c) {
    if (static_cast<unsigned char>(c) >= 0x80) throw Unsupported{"isdigit() of a text with characters beyond ASCII"};
    return c >= '0' && c <= '9';
  };
  return !self.text()->empty() && std::ranges::all_of(*self.text(), is_digit);
}

const Methods kTextMethods = {
    {"strip", [](const Value& self, const Arguments& a) { return stripped(self, a, {}); }},
    {"lstrip", [](const Value& self, const Arguments& a) { return stripped(self, a, {.right = false}); }},
    {"rstrip", [](const Value& self, const Arguments& a) { return stripped(self, a, {.left = false}); }},
    {"split", [](const Value& self, const Arguments& a) { return split_text(self, a, false); }},
    {"rsplit", [](const Value& self, const Arguments& a) { return split_text(self, a, true); }},
    {"splitlines",
     [](const Value& self, const Arguments& a) {
       require_none(a);
       return list_of(split_lines(*self.text()));
     }},
    {"partition", [](const Value& self, const Arguments& a) { return partition(self, a, false); }},
    {"rpartition", [](const Value& self, const Arguments& a) { return partition(self, a, true); }},
    {"startswith",
     [](const Value& self, const Arguments& a) -> Value {
       return any_of("startswith", a, [&](std::string_view text) { return self.text()->starts_with(text); });
     }},
    {"endswith",
     [](const Value& self, const Arguments& a) -> Value {
       return any_of("endswith", a, [&](std::string_view text) { return self.text()->ends_with(text); });
     }},
    {"removeprefix",
     [](const Value& self, const Arguments& given) -> Value {
       const std::string_view text = *self.text(), prefix = Bound("removeprefix", {"prefix"}, given).text(0);
       return text.substr(text.starts_with(prefix) ? prefix.size() : 0);
     }},
    {"removesuffix",
     [](const Value& self, const Arguments& given) -> Value {
       const std::string_view text = *self.text(), suffix = Bound("removesuffix", {"suffix"}, given).text(0);
       return text.substr(0, text.size() - (text.ends_with(suffix) ? suffix.size() : 0));
     }},
    {"replace",
     [](const Value& self, const Arguments& given) -> Value {
       const Bound a("replace", {"old", "new", "count"}, given);
       return replace(*self.text(), a.text(0), a.text(1), a.integer_or(2, -1));
     }},
    {"join",
     [](const Value& self, const Arguments& given) -> Value {
       std::string joined;
       bool is_first = true;
       for (const Value& item : items_of(Bound("join", {"iterable"}, given).at(0))) {
         if (item.text() == nullptr) throw Fault{"join() of " + std::string(item.type()), "texts"};
         require_bytes(static_cast<double>(joined.size()) + static_cast<double>(self.text()->size()));
         joined += (is_first ? "" : *self.text()) + *item.text();
         is_first = false;
       }
       return joined;
     }},
    {"find", [](const Value& self, const Arguments& a) { return find_text(self, a, false); }},
    {"rfind", [](const Value& self, const Arguments& a) { return find_text(self, a, true); }},
    {"count",
     [](const Value& self, const Arguments& given) -> Value {
       return count_of(*self.text(), Bound("count", {"sub"}, given).text(0));
     }},
    {"upper", with_case<upper>},
    {"lower", with_case<lower>},
    {"capitalize", with_case<capitalize>},
    {"title", with_case<title_of_method>},
    {"isdigit", all_digits},
    {"isspace",
     [](const Value& self, const Arguments& a) -> Value {
       require_none(a);
       return !self.text()->empty() && strip(*self.text()).empty();
     }},
};

Value copied(const Value& self, const Arguments& given) {
  require_none(given);
  return self;  // a copy is not needed, because neither can change
}

// ---- methods of dicts

Value pairs_of(const Value& self) {
  std::vector<Value> pairs;
  for (const auto& [key, value] : self.dict()->items) pairs.push_back(make_list({key, value}, List::Kind::kTuple));
  return make_list(std::move(pairs), List::Kind::kView);
}

const Methods kDictMethods = {
    {"items",
     [](const Value& self, const Arguments& a) {
       require_none(a);
       return pairs_of(self);
     }},
    {"keys",
     [](const Value& self, const Arguments& a) {
       require_none(a);
       return make_list(items_of(self), List::Kind::kView);
     }},
    {"values",
     [](const Value& self, const Arguments& a) {
       require_none(a);
       std::vector<Value> values;
       for (const auto& [key, value] : self.dict()->items) values.push_back(value);
       return make_list(std::move(values), List::Kind::kView);
     }},
    {"get",
     [](const Value& self, const Arguments& given) {
       const Bound a("get", {"key", "default"}, given);
       const Value* found = self.dict()->find(a.at(0));
       return found != nullptr ? *found : a.at_or(1, None{});
     }},
    {"copy", copied},
};

// ---- methods of lists and tuples

const Methods kListMethods = {
    {"index",
     [](const Value& self, const Arguments& given) -> Value {
       const Bound a("index", {"value"}, given);
       const std::vector<Value>& items = self.list()->items;
       const auto found = std::ranges::find_if(items, [&](const Value& item) { return equal(item, a.at(0)); });
       if (found == items.end()) throw Fault{"index() of a value that is not in the list", {}};
       return static_cast<int64_t>(found - items.begin());
     }},
    {"count",
     [](const Value& self, const Arguments& given) -> Value {
       const Bound a("count", {"value"}, given);
       return static_cast<int64_t>(
           std::ranges::count_if(self.list()->items, [&](const Value& item) { return equal(item, a.at(0)); }));
     }},
    {"copy", copied},
};

}  // namespace

std::optional<Value> method_of(const Value& value, std::string_view name) {
  const bool is_list = value.list() != nullptr && value.list()->kind <= List::Kind::kTuple;
  const Methods* methods = value.text() != nullptr   ? &kTextMethods
                           : value.dict() != nullptr ? &kDictMethods
                           : is_list                 ? &kListMethods
                                                     : nullptr;
  if (methods == nullptr) return std::nullopt;
  const auto found = methods->find(name);
  if (found == methods->end()) return std::nullopt;
  return Value(std::make_shared<const BoundMethod>(value, found->second));
}

}  // namespace portatune::jinja
