#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "io/temporary_folder.h"
#include "portatune/base/files/shipped_files.h"

namespace portatune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uid_t kNobody = 65534;

TEST(TrustedPath, IsOwnedByThisUserAndNotWritableByAll) {
  const TemporaryFolder folder;
  EXPECT_THAT(why_untrusted(folder.path()), IsEmpty());
  EXPECT_THAT(why_untrusted(folder / "none"), IsEmpty());
  ASSERT_EQ(chmod(folder.path().c_str(), 0775), 0);
  EXPECT_THAT(why_untrusted(folder.path()), IsEmpty());
  ASSERT_EQ(chmod(folder.path().c_str(), 01777), 0);
  EXPECT_THAT(why_untrusted(folder.path()), AllOf(HasSubstr(folder.path().string()), HasSubstr("by every user")));
}

TEST(TrustedPath, MayBeOwnedByRootButNotByAnotherUser) {
  EXPECT_THAT(why_untrusted("/"), IsEmpty());
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  const TemporaryFolder folder;
  ASSERT_EQ(chown(folder.path().c_str(), kNobody, kNobody), 0);
  EXPECT_THAT(why_untrusted(folder.path()), HasSubstr("owned by user 65534, who is neither this user (0) nor root"));
}

TEST(TrustedPath, ResultsFromTheCommand) {
  const TemporaryFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(folder.path().c_str(), kNobody, kNobody), 0);
  }
  ASSERT_EQ(std::system(command_to_trust(folder.path()).c_str()), 0);
  EXPECT_THAT(why_untrusted(folder.path()), IsEmpty());
}

}  // namespace
}  // namespace portatune
