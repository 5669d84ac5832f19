#include "portatune/jinja/operators.h"

#include <cmath>

#include "portatune/jinja/access.h"
#include "portatune/jinja/print.h"
#include "portatune/jinja/python_text.h"

namespace portatune::jinja {
namespace {

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
