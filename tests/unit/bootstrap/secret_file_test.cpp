// WEFT_SECRET_FILE: what is read, and every file that is refused with the reason.
#include "bootstrap/secret_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace weft::bootstrap {
namespace {

using testing::HasSubstr;

class SecretFile : public testing::Test {
 protected:
  SecretFile() {
    std::string folder = testing::TempDir() + "weft-secret-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
  }
  ~SecretFile() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& text, mode_t mode = 0600) {
    const std::string path = folder_ / "secret";
    std::ofstream(path, std::ios::trunc) << text;
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::string refusal(const std::string& path) {
    const auto read = read_secret_file(path);
    return read ? "not refused" : read.error().text;
  }
  std::filesystem::path folder_;
};

TEST_F(SecretFile, IsItsTextWithoutTheLinesEnd) {
  EXPECT_EQ(read_secret_file(write("a b c\n")).value(), "a b c");
  EXPECT_EQ(read_secret_file(write("x\r\n", 0400)).value(), "x");
  EXPECT_EQ(read_secret_file(write(std::string(4096, 'y'), 0440)).value(), std::string(4096, 'y'));
}

TEST_F(SecretFile, WhoeverElseCouldReadOrChangeItIsTold) {
  for (const mode_t mode : {0644, 0604, 0602, 0660, 0620, 0601})
    EXPECT_THAT(refusal(write("secret", mode)), HasSubstr("chmod 600 it")) << mode;
}

TEST_F(SecretFile, WhatIsNoSecretIsRefused) {
  EXPECT_THAT(refusal(write("\n")), HasSubstr("is empty"));
  EXPECT_THAT(refusal(write("")), HasSubstr("is empty"));
  EXPECT_THAT(refusal(write(std::string(4097, 'y'))), HasSubstr("longer than 4096"));
  EXPECT_THAT(refusal(folder_), HasSubstr("no regular file"));
  EXPECT_THAT(refusal(folder_ / "none"), HasSubstr("No such file"));
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(refusal(pipe), HasSubstr("no regular file")) << "and nobody waits for a writer";
}

TEST_F(SecretFile, AnotherUsersIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const std::string path = write("secret");
  ASSERT_EQ(::chown(path.c_str(), 12345, 12345), 0);
  EXPECT_THAT(refusal(path), HasSubstr("belongs to user 12345"));
}

}  // namespace
}  // namespace weft::bootstrap
