#include "portune/pjrt/event.h"

#include "portune/pjrt/c_api.h"

namespace portune::pjrt {

void Event::Destroy::operator()(PJRT_Event* event) const {
  PORTUNE_PJRT_DESTROY(*api, PJRT_Event_Destroy, .event = event);
}

void Event::wait() const { PORTUNE_PJRT(*handle_.get_deleter().api, PJRT_Event_Await, .event = handle_.get()); }

bool Event::is_ready() const {
  return PORTUNE_PJRT(*handle_.get_deleter().api, PJRT_Event_IsReady, .event = handle_.get()).is_ready;
}

}  // namespace portune::pjrt
