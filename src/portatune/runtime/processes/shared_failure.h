// Errors that arise in one process and end the work of the whole group.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "portatune/process_group.h"

namespace portatune {

/// Waits until all processes have called it; throws in all if one has failed.
/// processes  the process group, or null for a single process
/// error      the error of this process, or null
/// errors     `error` itself, else the error of the first process that has failed: of the same type, with that process
///            at the start of `where`; an IoError if its type is not one of portatune/error.h. Stopped
///            if that process was stopped
void require_no_failure(ProcessGroup* processes, const std::exception_ptr& error);

/// The texts of all processes, by rank. All processes call it.
std::vector<std::string> gather(ProcessGroup& processes, const std::string& text);

/// Runs `work` in each process and returns its result; throws in all if it fails in one. All processes call it.
/// errors  those of require_no_failure()
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
