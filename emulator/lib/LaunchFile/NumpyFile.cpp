//===- NumpyFile.cpp - Arrays in .npy files ------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Emulator/NumpyFile.h"
#include "drawloom/Input/Read.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace drawloom;
using namespace drawloom::emu;
using llvm::StringRef;

static constexpr llvm::StringLiteral magic("\x93NUMPY");
/// The bytes before the array's are a multiple of this.
static constexpr unsigned alignment = 64;

llvm::Expected<uint64_t> NumpyArray::elementSize(StringRef type) {
  uint64_t size = 0;
  if (type.size() < 3 || !StringRef("<|=").contains(type[0]) ||
      !StringRef("biufcV").contains(type[1]) ||
      type.drop_front(2).getAsInteger(10, size) || size == 0)
    return llvm::createStringError("the type of the elements is '" + type +
                                   "'; it must be a plain one, such as '<f4', "
                                   "'<u2' or '|i1' [array-file]");
  return size;
}

uint64_t NumpyArray::elementCount() const {
  uint64_t count = 1;
  for (uint64_t extent : shape)
    count = llvm::SaturatingMultiply(count, extent);
  return count;
}

/// What stands behind `key` in the header, which is a Python dictionary.
static StringRef valueOf(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return "";
  StringRef rest = header.drop_front(at + key.size() + 2).ltrim();
  return rest.consume_front(":") ? rest.ltrim() : "";
}

llvm::Expected<NumpyArray> drawloom::emu::parseNumpy(StringRef contents) {
  auto damaged = [](const llvm::Twine &what) {
    return llvm::createStringError(what + " [array-file]");
  };
  if (!contents.consume_front(magic) || contents.size() < 4)
    return damaged("it isn't a .npy file");
  unsigned major = static_cast<unsigned char>(contents[0]);
  if (major < 1 || major > 3)
    return llvm::createStringError(
        "version %u of the format isn't known [array-file]", major);
  contents = contents.drop_front(2);
  unsigned sizeBytes = major == 1 ? 2 : 4;
  if (contents.size() < sizeBytes)
    return damaged("the header is cut off");
  uint64_t size = major == 1 ? llvm::support::endian::read16le(contents.data())
                             : llvm::support::endian::read32le(contents.data());
  contents = contents.drop_front(sizeBytes);
  if (contents.size() < size)
    return damaged("the header is cut off");
  StringRef header = contents.take_front(size);
  contents = contents.drop_front(size);

  NumpyArray array;
  StringRef type = valueOf(header, "descr");
  if (!type.consume_front("'"))
    return damaged("the elements are structures, or the header has no type");
  array.type = type.take_until([](char c) { return c == '\''; }).str();
  llvm::Expected<uint64_t> element = NumpyArray::elementSize(array.type);
  if (!element)
    return element.takeError();
  if (!valueOf(header, "fortran_order").starts_with("False"))
    return damaged("the array is in Fortran's order; numpy.ascontiguousarray "
                   "makes one in C's");
  StringRef shape = valueOf(header, "shape");
  if (!shape.consume_front("("))
    return damaged("the header has no shape");
  shape = shape.take_until([](char c) { return c == ')'; });
  llvm::SmallVector<StringRef> extents;
  shape.split(extents, ',', -1, /*KeepEmpty=*/false);
  for (StringRef extent : extents) {
    if (extent.trim().empty())
      continue;
    if (extent.trim().getAsInteger(10, array.shape.emplace_back()))
      return damaged("the shape isn't a list of numbers");
  }
  if (array.shape.size() > NumpyArray::mostDimensions)
    return llvm::createStringError("the array has %zu dimensions; the limit is "
                                   "%zu [array-file]",
                                   array.shape.size(),
                                   NumpyArray::mostDimensions);
  uint64_t bytes = llvm::SaturatingMultiply(array.elementCount(), *element);
  if (contents.size() != bytes)
    return llvm::createStringError("the shape is of %llu bytes, and the file "
                                   "has %zu [array-file]",
                                   static_cast<unsigned long long>(bytes),
                                   contents.size());
  array.bytes.assign(contents.begin(), contents.end());
  return array;
}

llvm::Expected<NumpyArray>
drawloom::emu::readNumpyFile(const std::string &path) {
  auto buffer = input::readBytes(path);
  if (!buffer)
    return buffer.takeError();
  llvm::Expected<NumpyArray> array = parseNumpy((*buffer)->getBuffer());
  if (!array)
    return llvm::createStringError("'" + path +
                                   "': " + llvm::toString(array.takeError()));
  return array;
}

/// Opens a file below a folder to be written, step by step, so that no link
/// leads out of it. An error number in `errno` if it is below zero.
static int openBelow(const std::string &folder, StringRef path) {
  int place = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  llvm::SmallVector<StringRef> parts(llvm::sys::path::begin(path),
                                     llvm::sys::path::end(path));
  while (place >= 0 && !parts.empty()) {
    std::string part = parts.front().str();
    parts.erase(parts.begin());
    int flags =
        parts.empty() ? O_WRONLY | O_CREAT | O_TRUNC : O_PATH | O_DIRECTORY;
    int next =
        openat(place, part.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0666);
    int problem = errno;
    close(place);
    errno = problem;
    place = next;
  }
  return place;
}

llvm::Error drawloom::emu::writeNumpyFile(const std::string &folder,
                                          const std::string &path,
                                          const NumpyArray &array) {
  std::string header =
      "{'descr': '" + array.type + "', 'fortran_order': False, 'shape': (" +
      llvm::join(llvm::map_range(
                     array.shape,
                     [](uint64_t extent) { return std::to_string(extent); }),
                 ", ") +
      (array.shape.size() == 1 ? ",), }" : "), }");
  unsigned before = magic.size() + 4;
  // Spaces up to the alignment, with the newline that ends the header.
  header.resize(
      llvm::alignTo(before + header.size() + 1, alignment) - before - 1, ' ');
  header += '\n';

  std::error_code error;
  int file = openBelow(folder, path);
  if (file < 0) {
    bool isLink = errno == ELOOP || errno == ENOTDIR;
    error = std::error_code(errno, std::generic_category());
    return llvm::createStringError(
        "cannot write '" + path + "' in '" + folder + "': " + error.message() +
        (isLink ? "; symbolic links are not followed there" : ""));
  }
  llvm::raw_fd_ostream os(file, /*shouldClose=*/true);
  char size[2];
  llvm::support::endian::write16le(size, header.size());
  os << magic << StringRef("\x01\x00", 2) << StringRef(size, 2) << header
     << StringRef(array.bytes.data(), array.bytes.size());
  os.close();
  error = os.error();
  os.clear_error();
  if (error)
    return llvm::createStringError("cannot write '" + path + "' in '" + folder +
                                   "': " + error.message() + " [cannot-write]");
  return llvm::Error::success();
}
