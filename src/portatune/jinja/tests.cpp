// Jinja's tests, which follow `is`.
#include <map>

#include "portatune/jinja/access.h"
#include "portatune/jinja/filters.h"
#include "portatune/jinja/operators.h"

namespace portatune::jinja {
namespace {

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

bool apply_test(const std::string& name, const Value& value, const Arguments& arguments) {
  const auto found = kTests.find(name);
  if (found == kTests.end()) throw Unsupported{"the test \"" + name + "\""};
  return found->second(value, arguments);
}

}  // namespace portatune::jinja
