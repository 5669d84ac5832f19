// Filters that select, order or change the items of a list.
#pragma once

#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {

class Renderer;

Value mapped(const Value& value, const Arguments& given, Renderer& r);
Value selected(const Value& value, const Arguments& given, Renderer& r);
Value rejected(const Value& value, const Arguments& given, Renderer& r);
Value selected_by_attribute(const Value& value, const Arguments& given, Renderer& r);
Value rejected_by_attribute(const Value& value, const Arguments& given, Renderer& r);
Value sorted(const Value& value, const Arguments& given, Renderer& r);
Value sorted_dict(const Value& value, const Arguments& given, Renderer& r);
Value unique(const Value& value, const Arguments& given, Renderer& r);
Value summed(const Value& value, const Arguments& given, Renderer& r);
Value least(const Value& value, const Arguments& given, Renderer& r);
Value greatest(const Value& value, const Arguments& given, Renderer& r);

}  // namespace portatune::jinja
