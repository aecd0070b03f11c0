//===- BuildIdentity.cpp - Which build of the compiler this is ------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BuildIdentity.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <link.h>

using namespace drawloom;

/// The identity in the notes of a segment.
static llvm::ArrayRef<uint8_t> findIdentity(llvm::ArrayRef<uint8_t> notes) {
  while (notes.size() > sizeof(ElfW(Nhdr))) {
    auto *note = reinterpret_cast<const ElfW(Nhdr) *>(notes.data());
    notes = notes.drop_front(sizeof(*note));
    llvm::ArrayRef<uint8_t> name = notes.take_front(note->n_namesz);
    notes = notes.drop_front(llvm::alignTo(note->n_namesz, 4));
    if (note->n_type == NT_GNU_BUILD_ID &&
        llvm::toStringRef(name) == llvm::StringRef("GNU\0", 4))
      return notes.take_front(note->n_descsz);
    notes = notes.drop_front(llvm::alignTo(note->n_descsz, 4));
  }
  return {};
}

namespace {
struct Search {
  std::string found;
  bool isComplete = true;
};
} // namespace

static int visitFile(dl_phdr_info *file, size_t, void *user) {
  auto *search = static_cast<Search *>(user);
  auto here = reinterpret_cast<uintptr_t>(&getBuildIdentity);
  llvm::StringRef name = llvm::sys::path::filename(file->dlpi_name);
  bool counts = name.starts_with("libLLVM") || name.starts_with("libMLIR");
  llvm::ArrayRef<uint8_t> identity;
  for (const ElfW(Phdr) &segment :
       llvm::ArrayRef(file->dlpi_phdr, file->dlpi_phnum)) {
    uintptr_t start = file->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && start <= here &&
        here < start + segment.p_memsz)
      counts = true;
    if (segment.p_type == PT_NOTE && identity.empty())
      identity = findIdentity(llvm::ArrayRef(
          reinterpret_cast<const uint8_t *>(start), segment.p_memsz));
  }
  if (!counts)
    return 0;
  search->isComplete &= !identity.empty();
  search->found += llvm::toHex(identity, /*LowerCase=*/true) + " ";
  return 0;
}

std::optional<std::string> drawloom::getBuildIdentity() {
  Search search;
  dl_iterate_phdr(visitFile, &search);
  if (!search.isComplete || search.found.empty())
    return std::nullopt;
  return search.found;
}
