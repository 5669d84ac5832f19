// Passes that stop at any element and resume from their state.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// The text of an example: its origin, and its columns with their values.
inline std::string to_text(const Example& example) {
  std::string text = to_string(example.origin());
  for (const Example::Entry& entry : example.columns()) {
    text += "|" + entry.name + "=";
    if (const auto* value = std::get_if<std::string>(&entry.value)) text += *value;
    if (const auto* values = std::get_if<std::vector<std::string>>(&entry.value)) {
      for (const std::string& value : *values) text += value + ",";
    }
    if (const auto* array = std::get_if<Tensor>(&entry.value)) {
      text += to_string(array->type());
      text.append(reinterpret_cast<const char*>(array->data()), static_cast<size_t>(array->type().bytes()));
    }
  }
  return text;
}

inline std::vector<std::string> texts_of(Cursor cursor) {
  std::vector<std::string> texts;
  for (const Example& example : cursor) texts.push_back(to_text(example));
  return texts;
}

/// The rest of a pass after `cut` elements, resumed from its state in a new dataset.
/// dataset  makes a new dataset at each call
template <class Make>
std::vector<std::string> rest_after(const Make& dataset, int64_t epoch, size_t cut) {
  std::string state;
  {
    Cursor cursor = dataset().iterate(epoch);
    for (size_t i = 0; i < cut; ++i) cursor.next();
    state = cursor.state();
  }
  return texts_of(dataset().resume(state));
}

/// The elements of a pass that stops and resumes after each element.
template <class Make>
std::vector<std::string> texts_by_resuming(const Make& dataset, int64_t epoch) {
  std::vector<std::string> texts;
  std::string state = dataset().iterate(epoch).state();
  for (;;) {
    state = dataset().resume(state).state();  // the state of a resumed pass before its first element
    Cursor cursor = dataset().resume(state);
    const auto example = cursor.next();
    if (!example) return texts;
    texts.push_back(to_text(*example));
    state = cursor.state();
  }
}

/// Checks the rest of a pass after a cut at every element, and after a resume at each element, in the first two epochs.
template <class Make>
void expect_resumable(const Make& dataset) {
  for (const int64_t epoch : {0, 1}) {
    const std::vector<std::string> whole = texts_of(dataset().iterate(epoch));
    for (size_t cut = 0; cut <= whole.size(); ++cut) {
      const std::vector<std::string> rest(whole.begin() + static_cast<std::ptrdiff_t>(cut), whole.end());
      ASSERT_EQ(rest_after(dataset, epoch, cut), rest) << "after " << cut << " in epoch " << epoch;
    }
    ASSERT_EQ(texts_by_resuming(dataset, epoch), whole) << "resumed after each, in epoch " << epoch;
  }
}

}  // namespace portatune::data
