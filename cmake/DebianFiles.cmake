# Adds what the policy of Debian asks for to the tree of a package: compressed manual pages, a changelog, and the
# copyright in place of LICENSE.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(GLOB pages ${share}/man/man1/*.1)
set(document ${share}/doc/portatune)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${document}/changelog "portatune (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md of the repository.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND gzip -9n ${pages} ${document}/changelog COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE ${document}/LICENSE)
file(WRITE ${document}/copyright "Portatune is licensed under the Apache License, Version 2.0.
On Debian systems, its text is in /usr/share/common-licenses/Apache-2.0.
")
