// What a client and everything made by it have in common. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/pjrt/client.h"

struct PJRT_Api;
struct PJRT_Client;

namespace portatune::pjrt {

/// Shared by the Client, its buffers and its executables: the plugin's client must outlive all of them.
struct ClientState {
  ClientState(const Plugin& plugin, const Options& options, std::shared_ptr<KeyValueStore> store);
  ~ClientState();
  ClientState(const ClientState&) = delete;
  ClientState& operator=(const ClientState&) = delete;

  /// UsageError if there is no such device.
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
