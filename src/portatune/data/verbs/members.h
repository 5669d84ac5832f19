// The examples of each class or group.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

namespace portatune::data {

/// The indices of the examples of each class; the classes in the order of their first examples.
inline std::vector<std::vector<size_t>> examples_by_class(const std::vector<std::string>& classes) {
  std::vector<std::vector<size_t>> members;
  std::unordered_map<std::string, size_t> number_of;
  for (size_t i = 0; i < classes.size(); ++i) {
    const size_t number = number_of.try_emplace(classes[i], members.size()).first->second;
    if (number == members.size()) members.emplace_back();
    members[number].push_back(i);
  }
  return members;
}

}  // namespace portatune::data
