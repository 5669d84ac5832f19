// The state that a client shares with its buffers and executables. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/runtime/pjrt/client.h"

struct PJRT_Api;
struct PJRT_Client;

namespace portatune::pjrt {

/// The plugin's client. It is shared because it must outlive all its buffers and executables.
struct ClientState {
  ClientState(const Plugin& plugin, const Options& options, std::shared_ptr<KeyValueStore> store);
  ~ClientState();
  ClientState(const ClientState&) = delete;
  ClientState& operator=(const ClientState&) = delete;

  /// The handle of a device. UsageError for an invalid index.
  PJRT_Device* device(size_t index) const;

  const Plugin& plugin;
  const PJRT_Api& api;
  const std::shared_ptr<KeyValueStore> store;
  PJRT_Client* const client;
  std::string platform_name;
  std::string platform_version;
  std::vector<Device> devices, all_devices;
  std::vector<PJRT_Device*> device_handles;  ///< in the order of `devices`
};

}  // namespace portatune::pjrt
