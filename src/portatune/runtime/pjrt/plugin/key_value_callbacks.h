// Callbacks by which the PJRT C API uses a key-value store. Private to this folder: only its .cpp files include it.
#pragma once

#include "portatune/process_group.h"
#include "portatune/runtime/pjrt/c_api.h"

namespace portatune::pjrt {

/// Callbacks for a new client; their user_arg is the store, which must outlive the client.
struct KeyValueCallbacks {
  PJRT_KeyValueGetCallback get = nullptr;
  PJRT_KeyValueTryGetCallback try_get = nullptr;
  PJRT_KeyValuePutCallback put = nullptr;
};
/// The callbacks for a store; all null without a store.
KeyValueCallbacks callbacks_of(KeyValueStore* store);

}  // namespace portatune::pjrt
