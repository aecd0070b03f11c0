//===- Image.cpp - What a program gives the loader ------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "ReadableMemory.h"
#include "drawloom/CUDA/FatBinary.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <cstring>

using namespace drawloom;
using namespace drawloom::cuda;

JitLog::JitLog(unsigned count, const int *options, void **values)
    : count(count), options(options), values(values) {
  writeSize(JitInfoLogSize, 0);
}

void JitLog::error(llvm::StringRef text) {
  char *buffer = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i != count; ++i) {
    if (options[i] == JitErrorLog)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == JitErrorLogSize)
      size = reinterpret_cast<uintptr_t>(values[i]);
  }
  if (!buffer || !size) {
    complain(text);
    return;
  }
  size_t length = std::min(text.size(), size - 1);
  memcpy(buffer, text.data(), length);
  buffer[length] = 0;
  writeSize(JitErrorLogSize, length);
}

void JitLog::writeSize(JitOption option, size_t size) {
  for (unsigned i = 0; i != count; ++i)
    if (options[i] == option)
      values[i] = reinterpret_cast<void *>(size);
}

/// What images begin with: a container, and the wrapper around one.
static constexpr llvm::StringLiteral fatBinaryPrefix = "\x50\xed\x55\xba";
static constexpr llvm::StringLiteral wrapperPrefix = "\xb1\x43\x62\x46";

/// Whether an image begins with these bytes. It may be shorter than they are if
/// it is text.
static bool beginsWith(const void *image, llvm::StringRef magic) {
  return strncmp(static_cast<const char *>(image), magic.data(),
                 magic.size()) == 0;
}

static Result damaged(JitLog &log, const llvm::Twine &problem) {
  log.error(problem.str());
  return CUDA_ERROR_INVALID_IMAGE;
}

/// Whether an entry is this file, but for the zeros that fill it up.
static bool holds(const FatBinaryEntry &entry, llvm::StringRef file) {
  if (entry.kind != FatBinaryEntry::Kind::Cubin ||
      entry.textBytes < file.size() || entry.textBytes >= file.size() + 8)
    return false;
  auto bytes = entry.unpack();
  if (!bytes) {
    llvm::consumeError(bytes.takeError());
    return false;
  }
  llvm::StringRef rest = *bytes;
  return rest.consume_front(file) && rest.find_first_not_of('\0') == rest.npos;
}

/// The PTX of a cubin whose compiler has kept both, NAME.cubin beside
/// NAME.ptx, in the folder DRAWLOOM_KEPT_PTX. Files are compared, not read:
/// what SASS means is not looked at here.
static std::optional<std::string>
findKeptPtx(llvm::function_ref<bool(llvm::StringRef)> isIt) {
  const char *folder = std::getenv("DRAWLOOM_KEPT_PTX");
  if (!folder)
    return std::nullopt;
  std::error_code problem;
  for (llvm::sys::fs::directory_iterator file(folder, problem), end;
       !problem && file != end; file.increment(problem)) {
    if (llvm::sys::path::extension(file->path()) != ".cubin")
      continue;
    auto cubin = llvm::MemoryBuffer::getFile(file->path());
    if (!cubin || !isIt((*cubin)->getBuffer()))
      continue;
    llvm::SmallString<128> name(file->path());
    llvm::sys::path::replace_extension(name, "ptx");
    if (auto ptx = llvm::MemoryBuffer::getFile(name))
      return (*ptx)->getBuffer().str();
  }
  return std::nullopt;
}

Result cuda::findPtx(std::string &text, const void *image, ptx::Target device,
                     JitLog &log) {
  // The toolkit's fatbinary_section.h declares this.
  struct Wrapper {
    int magic, version;
    const void *data;
    const void *fatBinaries;
  };
  llvm::StringRef readable = readableFrom(image);
  if (readable.empty())
    return damaged(log, "no memory that can be read is where the module is");
  if (beginsWith(image, wrapperPrefix)) {
    if (readable.size() < sizeof(Wrapper))
      return damaged(log, "the fat binary's wrapper is cut short");
    image = static_cast<const Wrapper *>(image)->data;
    if (!image)
      return damaged(log, "the fat binary's wrapper is empty");
    readable = readableFrom(image);
    if (readable.empty())
      return damaged(log, "the fat binary's wrapper leads to no memory that "
                          "can be read");
  }
  if (beginsWith(image, "\x7f"
                        "ELF")) {
    // An ELF file says in its first bytes how long it is, so that two of them
    // differ before one ends.
    if (auto kept = findKeptPtx(
            [&](llvm::StringRef file) { return readable.starts_with(file); })) {
      text = std::move(*kept);
      return CUDA_SUCCESS;
    }
    log.error("the module is a cubin, SASS without PTX; the emulator "
              "runs PTX: compile with " +
              gencodeOption(device));
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  if (!beginsWith(image, fatBinaryPrefix)) {
    size_t end = readable.find('\0');
    if (end == llvm::StringRef::npos)
      return damaged(log, "the module is text without a NUL at its end");
    text = readable.take_front(end).str();
    return CUDA_SUCCESS;
  }
  // The header says how long it is; that much must be there.
  llvm::Expected<PtxSelection> selected = selectPtx(readable, device);
  if (!selected)
    return damaged(log, llvm::toString(selected.takeError()));
  if (!selected->text) {
    auto entries = llvm::cantFail(readFatBinary(readable));
    selected->text = findKeptPtx([&](llvm::StringRef file) {
      return llvm::any_of(entries, [&](const FatBinaryEntry &entry) {
        return holds(entry, file);
      });
    });
  }
  if (!selected->text) {
    log.error(selected->missing);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  text = std::move(*selected->text);
  return CUDA_SUCCESS;
}

Result cuda::parseImage(std::unique_ptr<ptx::Module> &module, std::string &text,
                        const void *image, ptx::Target device, JitLog &log) {
  if (Result result = findPtx(text, image, device, log))
    return result;
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, "module.ptx"));
  if (!parsed) {
    log.error(parsed.str());
    return CUDA_ERROR_INVALID_PTX;
  }
  if (!ptx::provides(device, parsed.module->target)) {
    log.error("the module is for " + parsed.module->target.str() +
              "; the device is " + device.str() +
              " (DRAWLOOM_DEVICE chooses another)");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  module = std::move(parsed.module);
  return CUDA_SUCCESS;
}

Result cuda::readImage(std::string &image, const char *path, JitLog &log) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return CUDA_ERROR_FILE_NOT_FOUND;
  image = (*buffer)->getBuffer().str();
  if (!beginsWith(image.c_str(), fatBinaryPrefix))
    return CUDA_SUCCESS;
  std::optional<uint64_t> size = fatBinaryBytes(image);
  if (size && *size <= image.size())
    return CUDA_SUCCESS;
  log.error(llvm::formatv("'{0}' is a fat binary that is cut short: it has {1} "
                          "bytes",
                          path, image.size())
                .str());
  return CUDA_ERROR_INVALID_IMAGE;
}
