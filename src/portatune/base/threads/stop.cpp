#include "portatune/base/threads/stop.h"

namespace portatune {
namespace {

thread_local const StopToken* current = nullptr;  // null: no token

}  // namespace

StopScope::StopScope(StopToken token) : token_(std::move(token)), outer_(std::exchange(current, &token_)) {}
StopScope::~StopScope() { current = outer_; }

StopToken current_stop() { return current == nullptr ? StopToken() : *current; }

void stop_if_requested() {
  if (current != nullptr && current->stop_requested()) throw Stopped();
}

}  // namespace portatune
