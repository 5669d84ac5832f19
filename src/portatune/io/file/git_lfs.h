// Git LFS pointers: a clone without Git LFS has these short texts in place of large files.
#pragma once

#include <string>
#include <string_view>

namespace portatune::io {

inline constexpr std::string_view kGitLfsPointer = "version https://git-lfs";  ///< the first bytes of a pointer

/// Throws an E, such as DataError, if a file is a pointer.
/// bytes  the first bytes of the file; kGitLfsPointer.size() bytes suffice
template <class E>
void refuse_git_lfs_pointer(std::string_view bytes, const std::string& where) {
  if (!bytes.starts_with(kGitLfsPointer)) return;
  throw E({.where = where,
           .given = "a Git LFS pointer",
           .expected = "the file itself",
           .fix = "run `git lfs pull` in its folder"});
}

}  // namespace portatune::io
