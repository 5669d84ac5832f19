// Errors that arise in one of several processes, and end the work of all.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "portatune/process_group.h"

namespace portatune {

/// Waits for all processes, each of which calls it; throws in all if one has failed.
/// processes  null: this one is alone
/// error      that of this process; null: it has not failed
/// errors     `error` itself; else, in the words of the first process that has failed, one of the same kind whose
///            `where` begins with that process: an IoError for what is not one of portatune/error.h
void require_no_failure(ProcessGroup* processes, const std::exception_ptr& error);

/// A text of each process, by rank. All call it.
std::vector<std::string> gather(ProcessGroup& processes, const std::string& text);

/// What `work` returns, which each process does by itself; throws in all if it fails in one. All call it.
/// errors  as require_no_failure()
template <class Work>
std::invoke_result_t<Work> in_all(ProcessGroup* processes, const Work& work) {
  if (processes == nullptr) return work();
  std::optional<std::invoke_result_t<Work>> result;
  std::exception_ptr error;
  try {
    result.emplace(work());
  } catch (...) {
    error = std::current_exception();
  }
  require_no_failure(processes, error);
  return std::move(*result);
}

}  // namespace portatune
