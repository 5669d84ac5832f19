# Adds what the policy of Debian asks for to the tree of a package: compressed manual pages, a changelog, the copyright
# in place of LICENSE, overrides of lintian, and the completion of zsh in the folder of packages.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(GLOB pages ${share}/man/man1/*.1)
set(document ${share}/doc/portatune)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${document}/changelog "portatune (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md of the repository.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9n ${pages} ${document}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(MAKE_DIRECTORY ${share}/zsh/vendor-completions)
file(RENAME ${share}/zsh/site-functions/_portatune ${share}/zsh/vendor-completions/_portatune)
file(REMOVE_RECURSE ${share}/zsh/site-functions)
file(REMOVE ${document}/LICENSE)
file(WRITE ${document}/copyright "Copyright 2026 the contributors of Portatune, Apache Arrow and OpenXLA.
Portatune, Apache Arrow (libarrow, libarrow_s3, libparquet) and OpenXLA
(xla_cpu_pjrt.so) are licensed under the Apache License, Version 2.0. On Debian
systems, its text is in /usr/share/common-licenses/Apache-2.0.
")
file(MAKE_DIRECTORY ${share}/lintian/overrides)
file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/lintian-overrides ${share}/lintian/overrides/portatune)
