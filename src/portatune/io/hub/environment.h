// The environment variables of the Hugging Face Hub, with the meaning that huggingface_hub gives them.
#pragma once

#include <filesystem>
#include <string>

namespace portatune::io {

/// The cache of the Hub: $HF_HUB_CACHE, else $HUGGINGFACE_HUB_CACHE, else $HF_HOME/hub, else
/// $XDG_CACHE_HOME/huggingface/hub, else ~/.cache/huggingface/hub.
std::filesystem::path hub_cache();

/// The URL of the Hub without a final slash: $HF_ENDPOINT, else https://huggingface.co.
std::string hub_endpoint();

/// The variable that forbids requests: "HF_HUB_OFFLINE" or "TRANSFORMERS_OFFLINE". Empty if neither is set.
std::string offline_variable();

/// The access token: $HF_TOKEN, else $HUGGING_FACE_HUB_TOKEN, else the content of the file $HF_TOKEN_PATH or
/// $HF_HOME/token. Empty if there is none, and if $HF_HUB_DISABLE_IMPLICIT_TOKEN is set.
/// errors  UsageError for a token with blanks or control characters, without the token
std::string hub_token();

}  // namespace portatune::io
