// Which builds are at work in this process, from what the loader has mapped.
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "runtime/manifest.hpp"

namespace weft::runtime {
namespace {

constexpr std::string_view of_interest[] = {"libpmix.",   "libsodium.", "libibverbs.",
                                            "librdmacm.", "libcuda.",   "libnvidia-ml."};

// The linker's note of what an object was made from; empty: it has none.
std::string build_id(const dl_phdr_info& object, const ElfW(Phdr) & segment) {
  constexpr std::size_t alignment = 4;
  const auto padded = [](std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  const auto* at = reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
  for (const char* const end = at + segment.p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const char* const name = at + sizeof note;
    const char* const id = name + padded(note.n_namesz);
    if (id + note.n_descsz > end) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      return to_hex(std::as_bytes(std::span(id, note.n_descsz)));
    at = id + padded(note.n_descsz);
  }
  return {};
}

bool is_ours(const dl_phdr_info& object) {
  static const char here = 0;
  const auto address = reinterpret_cast<ElfW(Addr)>(&here);
  return std::any_of(object.dlpi_phdr, object.dlpi_phdr + object.dlpi_phnum, [&](const auto& part) {
    const ElfW(Addr) begin = object.dlpi_addr + part.p_vaddr;
    return part.p_type == PT_LOAD && address >= begin && address < begin + part.p_memsz;
  });
}

int tell(dl_phdr_info* object, std::size_t, void* told) {
  auto& facts = *static_cast<std::map<std::string, std::string>*>(told);
  if (is_ours(*object))
    for (int i = 0; i < object->dlpi_phnum; ++i)
      if (object->dlpi_phdr[i].p_type == PT_NOTE)
        if (std::string id = build_id(*object, object->dlpi_phdr[i]); !id.empty())
          facts["the build of weft"] = std::move(id);
  std::error_code error;
  const auto real = std::filesystem::canonical(object->dlpi_name, error);
  if (error) return 0;
  const std::string file = real.filename();
  for (const std::string_view name : of_interest)
    if (file.starts_with(name))
      facts["the version of " + std::string(name.substr(0, name.size() - 1))] = file;
  return 0;
}

}  // namespace

void tell_libraries(std::map<std::string, std::string>& facts) { ::dl_iterate_phdr(tell, &facts); }

}  // namespace weft::runtime
