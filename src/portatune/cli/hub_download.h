// Downloads from the Hugging Face Hub, reported on stderr.
#pragma once

#include <filesystem>

#include "portatune/cli/commands.h"
#include "portatune/hub/find_model.h"

namespace portatune::cli {

/// Downloads a model into the Hugging Face cache and returns its snapshot.
/// errors  errors of hub::download_model()
std::filesystem::path download_from_hub(const hub::HubName& name, hub::Contents contents, const Talk& talk);

}  // namespace portatune::cli
