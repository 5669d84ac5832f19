#include "portune/io/arrow_plugin.h"

#include <mutex>

#include "portune/io/own_plugin.h"

namespace portune::io {

const PortuneArrowApi& arrow_plugin(const std::string& needed_for) {
  constexpr OwnPlugin kPlugin{.file = "libportune_arrow.so",
                              .variable = "PORTUNE_ARROW_PLUGIN",
                              .function = "portune_arrow_api",
                              .version = kPortuneArrowVersion,
                              .needed_for = "Apache Arrow reads this kind of file"};
  static std::mutex mutex;
  static const PortuneArrowApi* api = nullptr;
  const std::lock_guard lock(mutex);
  if (api == nullptr) api = static_cast<const PortuneArrowApi*>(open_own_plugin(kPlugin, needed_for));
  return *api;
}

}  // namespace portune::io
