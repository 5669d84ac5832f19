// Work of the processes of a group in turn.
#pragma once

#include <functional>

#include "portatune/process_group.h"

namespace portatune::run {

/// Calls `body` in the first process, and then in the others. All processes call it.
void in_turn(ProcessGroup* processes, const std::function<void()>& body);

}  // namespace portatune::run
