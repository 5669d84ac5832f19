#include "portatune/runtime/pjrt/event.h"

#include "portatune/runtime/pjrt/c_api.h"

namespace portatune::pjrt {

void Event::Destroy::operator()(PJRT_Event* event) const {
  PORTATUNE_PJRT_DESTROY(*api, PJRT_Event_Destroy, .event = event);
}

void Event::wait() const { PORTATUNE_PJRT(*handle_.get_deleter().api, PJRT_Event_Await, .event = handle_.get()); }

bool Event::is_ready() const {
  return PORTATUNE_PJRT(*handle_.get_deleter().api, PJRT_Event_IsReady, .event = handle_.get()).is_ready;
}

}  // namespace portatune::pjrt
