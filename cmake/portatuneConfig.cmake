# find_package(portatune) gives:
#   portatune::portatune   the library, for programs with a main() of their own
#   portatune_command()    the command with tasks of your own: see PortatuneCommand.cmake
include(CMakeFindDependencyMacro)
include(${CMAKE_CURRENT_LIST_DIR}/PortatuneDependencies.cmake)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
foreach(dependency IN LISTS PORTATUNE_DEPENDENCIES)
  find_dependency(${dependency})
endforeach()
list(REMOVE_ITEM CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})

include(${CMAKE_CURRENT_LIST_DIR}/portatuneTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/PortatuneCommand.cmake)
get_filename_component(portatune_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
file(GLOB portatune_SHIPPED_FILES ${portatune_PREFIX}/share/portatune/recipes
  ${portatune_PREFIX}/lib/portatune/xla_cpu_pjrt.so ${portatune_PREFIX}/lib/portatune/libportatune_*.so)
set_target_properties(portatune::main PROPERTIES PORTATUNE_SHIPPED_FILES "${portatune_SHIPPED_FILES}")
