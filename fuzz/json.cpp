// Any bytes either throw CheckpointError or give an object whose values can be read.
#include "portatune/io/text/json.h"

#include "portatune/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using portatune::io::JsonObject;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const JsonObject object = JsonObject::parse(text, "fuzz");
    for (const std::string& key : object.unread_keys()) {
      try {
        object.get_int_or(key, 0, {.least = 1, .most = 1 << 20});
      } catch (const portatune::CheckpointError&) {
      }
      try {
        object.get_string_map(key);
      } catch (const portatune::CheckpointError&) {
      }
      try {
        object.get_object(key);
      } catch (const portatune::CheckpointError&) {
      }
    }
    object.unread_keys();
  } catch (const portatune::CheckpointError&) {
  }
  return 0;
}
