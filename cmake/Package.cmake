# Packages of an installation: `make deb` and `make tarball`.
set(CPACK_PACKAGE_NAME portatune)
set(CPACK_PACKAGE_VENDOR Portatune)
set(CPACK_PACKAGE_CONTACT "Portatune maintainers <maintainers@portatune.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "fine-tunes Hugging Face transformers through XLA")
set(CPACK_PACKAGE_DESCRIPTION "Portatune trains, evaluates and runs pretrained transformers on CPUs,
GPUs and TPUs. It reads and writes the model folders of transformers, and
needs no Python. The package has the command, the C++ library with its CMake
package, and the XLA plugin for CPUs. \"portatune plugin install\" gets the
plugins for GPUs and TPUs.")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Libraries of Arrow, which are beside the plug-in that needs them.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${pyarrow})
# Libraries that the command opens when it needs them.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libcurl4, libssl3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openmpi-bin")
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/PackageConfig.cmake)
include(CPack)
