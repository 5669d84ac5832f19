# Files that `cmake --install` copies. The tree may be moved as a whole: the command, the CMake package and portatune.pc
# each find their files relative to themselves.
include(CMakePackageConfigHelpers)
set(package ${PROJECT_BINARY_DIR}/package)

# The component "command" is the content of the wheel, whose dependencies are Python packages with the other libraries.
install(TARGETS portatune RUNTIME DESTINATION bin COMPONENT command)
install(PROGRAMS ${cpu_plugin}/xla_cpu_pjrt.so DESTINATION lib/portatune)
foreach(plugin portatune_arrow portatune_audio_plugin portatune_gloo portatune_mpi)
  if(TARGET ${plugin})
    install(TARGETS ${plugin} LIBRARY DESTINATION lib/portatune COMPONENT command)
  endif()
endforeach()
if(SKBUILD AND TCMALLOC_SHARED_LIBRARY)  # for `portatune run`, beside the module
  file(REAL_PATH ${TCMALLOC_SHARED_LIBRARY} tcmalloc)
  install(FILES ${tcmalloc} RENAME libtcmalloc_minimal.so.4 DESTINATION lib/portatune COMPONENT command)
endif()
if(TARGET portatune_arrow)
  install(FILES ${pyarrow}/libarrow.so.2600 ${pyarrow}/libparquet.so.2600 ${pyarrow}/libarrow_s3.so.2600
    DESTINATION lib/portatune)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/recipes DESTINATION share/portatune COMPONENT command)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/portatune)
# pip installs the pages and completions of a wheel below the environment.
set(pages_prefix "\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}")
if(SKBUILD)
  set(pages_prefix ${SKBUILD_DATA_DIR})
endif()
install(CODE "set(built_command \"$<TARGET_FILE:portatune>\")\nset(prefix \"${pages_prefix}\")" COMPONENT command)
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/InstallPages.cmake COMPONENT command)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/portatune DESTINATION include)
install(TARGETS portatune_all portatune_main EXPORT portatune ARCHIVE DESTINATION lib)
install(EXPORT portatune NAMESPACE portatune:: FILE portatuneTargets.cmake DESTINATION lib/cmake/portatune)
write_basic_package_version_file(${package}/portatuneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(GLOB find_modules ${PROJECT_SOURCE_DIR}/cmake/Find*.cmake)
install(FILES ${package}/portatuneConfigVersion.cmake ${PROJECT_SOURCE_DIR}/cmake/portatuneConfig.cmake
  ${PROJECT_SOURCE_DIR}/cmake/PortatuneCommand.cmake ${PROJECT_SOURCE_DIR}/cmake/PortatuneDependencies.cmake
  ${find_modules} DESTINATION lib/cmake/portatune)
configure_file(${PROJECT_SOURCE_DIR}/cmake/portatune.pc.in ${package}/portatune.pc @ONLY)
install(FILES ${package}/portatune.pc DESTINATION lib/pkgconfig)
