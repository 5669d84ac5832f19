#include "portatune/io/plugin/arrow_plugin.h"

#include <mutex>

#include "portatune/io/plugin/own_plugin.h"

namespace portatune::io {

const PortatuneArrowApi& arrow_plugin(const std::string& needed_for) {
  constexpr OwnPlugin kPlugin{.file = "libportatune_arrow.so",
                              .variable = "PORTATUNE_ARROW_PLUGIN",
                              .function = "portatune_arrow_api",
                              .version = kPortatuneArrowVersion,
                              .needed_for = "Apache Arrow reads this kind of file",
                              .fix = "pip install 'portatune[arrow]'"};
  static std::mutex mutex;
  static const PortatuneArrowApi* api = nullptr;
  const std::lock_guard lock(mutex);
  if (api == nullptr) api = static_cast<const PortatuneArrowApi*>(open_own_plugin(kPlugin, needed_for));
  return *api;
}

}  // namespace portatune::io
