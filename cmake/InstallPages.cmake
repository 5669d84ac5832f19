# Writes what the command prints below the prefix: manual pages, completions of shells, the JSON Schema of recipes.
# `built_command` is the command, `prefix` the folder.

function(install_output file)
  message(STATUS "Installing: ${prefix}/${file}")
  cmake_path(GET file PARENT_PATH folder)
  file(MAKE_DIRECTORY "${prefix}/${folder}")
  execute_process(COMMAND "${built_command}" ${ARGN} OUTPUT_FILE "${prefix}/${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND "${built_command}" man --list OUTPUT_VARIABLE topics OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" topics "${topics}")
foreach(topic IN LISTS topics)
  string(REPLACE " " "-" page "portatune-${topic}")
  string(REPLACE " " ";" words "${topic}")
  install_output(share/man/man1/${page}.1 man ${words})
endforeach()
install_output(share/man/man1/portatune.1 man)
install_output(share/bash-completion/completions/portatune completion bash)
install_output(share/zsh/site-functions/_portatune completion zsh)
install_output(share/fish/vendor_completions.d/portatune.fish completion fish)
install_output(share/portatune/recipe.schema.json recipes --schema)
