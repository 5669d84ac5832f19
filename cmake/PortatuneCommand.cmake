# portatune_command(NAME SOURCES task.cpp ...)
#   the command `portatune` under another name, with the tasks that these files add to it (portatune/tasks/task_spec.h).
#   Links beside it lead to the recipes and plug-ins of Portatune's build folder or installation.
function(portatune_command name)
  cmake_parse_arguments(arg "" "" "SOURCES" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE portatune::main)
  get_target_property(files portatune::main PORTATUNE_SHIPPED_FILES)
  foreach(file IN LISTS files)
    get_filename_component(link ${file} NAME)
    add_custom_command(TARGET ${name} POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -E create_symlink ${file} $<TARGET_FILE_DIR:${name}>/${link})
  endforeach()
endfunction()
