#include "portatune/run/launch/in_turn.h"

namespace portatune::run {

void in_turn(ProcessGroup* processes, const std::function<void()>& body) {
  if (is_first(processes)) body();
  wait_for_all(processes);
  if (!is_first(processes)) body();
  wait_for_all(processes);
}

}  // namespace portatune::run
