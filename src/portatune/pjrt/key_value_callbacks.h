// A store of several processes, as the PJRT C API calls it. Private to this folder: only its .cpp files include it.
#pragma once

#include "portatune/pjrt/c_api.h"
#include "portatune/process_group.h"

namespace portatune::pjrt {

/// Of a client that is being made; their user_arg is the store, which must outlive the client.
struct KeyValueCallbacks {
  PJRT_KeyValueGetCallback get = nullptr;
  PJRT_KeyValueTryGetCallback try_get = nullptr;
  PJRT_KeyValuePutCallback put = nullptr;
};
/// None for null.
KeyValueCallbacks callbacks_of(KeyValueStore* store);

}  // namespace portatune::pjrt
