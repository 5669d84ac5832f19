#include "portatune/runtime/pjrt/plugin/key_value_callbacks.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>

namespace portatune::pjrt {
namespace {

using namespace std::chrono_literals;

KeyValueStore& store_of(void* user_arg) { return *static_cast<KeyValueStore*>(user_arg); }

PJRT_Error* error_of(PJRT_CallbackError* make, PJRT_Error_Code code, std::string_view message) {
  return (*make)(code, message.data(), message.size());
}

// Runs the body, which may throw or return an error.
template <class Args, class Body>
PJRT_Error* run(Args* args, const Body& body) {
  try {
    return body(store_of(args->user_arg));
  } catch (const std::exception& exception) {
    return error_of(args->callback_error, PJRT_Error_Code_UNAVAILABLE, exception.what());
  }
}

void free_value(char* value) { std::free(value); }

// Returns the value of a key to the plugin.
template <class Args>
PJRT_Error* get_within(Args* args, std::chrono::milliseconds timeout, PJRT_Error_Code if_missing) {
  return run(args, [&](KeyValueStore& store) -> PJRT_Error* {
    const std::string key(args->key, args->key_size);
    const std::optional<std::string> value = store.get(key, timeout);
    if (!value) return error_of(args->callback_error, if_missing, "no process has put the key " + key);
    args->value = static_cast<char*>(std::malloc(value->size() + 1));
    if (args->value == nullptr) throw std::bad_alloc();
    std::memcpy(args->value, value->data(), value->size());
    args->value_size = value->size();
    args->value_deleter_callback = free_value;
    return nullptr;
  });
}

PJRT_Error* get(PJRT_KeyValueGetCallback_Args* args) {
  return get_within(args, std::chrono::milliseconds(args->timeout_in_ms), PJRT_Error_Code_DEADLINE_EXCEEDED);
}

PJRT_Error* try_get(PJRT_KeyValueTryGetCallback_Args* args) { return get_within(args, 0ms, PJRT_Error_Code_NOT_FOUND); }

PJRT_Error* put(PJRT_KeyValuePutCallback_Args* args) {
  return run(args, [&](KeyValueStore& store) -> PJRT_Error* {
    store.put({args->key, args->key_size}, {args->value, args->value_size});
    return nullptr;
  });
}

}  // namespace

KeyValueCallbacks callbacks_of(KeyValueStore* store) {
  if (store == nullptr) return {};
  return {.get = get, .try_get = try_get, .put = put};
}

}  // namespace portatune::pjrt
