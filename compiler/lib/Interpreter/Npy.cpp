//===- Npy.cpp - Host tensors as .npy files -------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Interpreter/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace drawloom::interp;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef magic = "\x93NUMPY";
/// More than numpy has.
static constexpr size_t mostDimensions = 64;

namespace {

/// What the header's dictionary says.
struct Header {
  StringRef descr;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t, 4> shape;
};

/// Reads the dictionary: a Python literal with three keys, in any order.
class HeaderReader {
public:
  HeaderReader(StringRef file, size_t begin, StringRef name)
      : file(file), at(begin), name(name) {}

  Expected<Header> read();
  size_t position() const { return at; }

  Error error(const Twine &message) const {
    return llvm::createStringError(name + ": byte " + Twine(at) + ": " +
                                   message);
  }

private:
  void skipSpace() {
    while (at < file.size() && llvm::isSpace(file[at]))
      ++at;
  }
  bool accept(StringRef token) {
    skipSpace();
    if (!file.substr(at).starts_with(token))
      return false;
    at += token.size();
    return true;
  }
  Error expect(StringRef token) {
    if (accept(token))
      return Error::success();
    return error("expected '" + token + "' in the header");
  }
  Expected<StringRef> readString();
  Expected<int64_t> readExtent();
  Error readShape(Header &header);

  StringRef file;
  size_t at;
  StringRef name;
};

} // namespace

Expected<StringRef> HeaderReader::readString() {
  if (Error e = expect("'"))
    return e;
  size_t end = file.find('\'', at);
  if (end == StringRef::npos)
    return error("a string in the header does not end");
  StringRef text = file.slice(at, end);
  at = end + 1;
  return text;
}

Expected<int64_t> HeaderReader::readExtent() {
  skipSpace();
  StringRef digits = file.substr(at).take_while(llvm::isDigit);
  int64_t extent;
  if (digits.empty() || digits.getAsInteger(10, extent))
    return error("expected an extent, a number from 0 to 2^63 - 1");
  at += digits.size();
  return extent;
}

Error HeaderReader::readShape(Header &header) {
  header.shape.clear();
  if (Error e = expect("("))
    return e;
  while (!accept(")")) {
    Expected<int64_t> extent = readExtent();
    if (!extent)
      return extent.takeError();
    header.shape.push_back(*extent);
    if (header.shape.size() > mostDimensions)
      return error("the array has more than " + Twine(mostDimensions) +
                   " dimensions");
    if (!accept(",")) {
      if (Error e = expect(")"))
        return e;
      break;
    }
  }
  return Error::success();
}

Expected<Header> HeaderReader::read() {
  Header header;
  bool sawDescr = false, sawOrder = false, sawShape = false;
  if (Error e = expect("{"))
    return e;
  while (!accept("}")) {
    Expected<StringRef> key = readString();
    if (!key)
      return key.takeError();
    if (Error e = expect(":"))
      return e;
    if (*key == "descr") {
      skipSpace();
      if (file.substr(at).starts_with("["))
        return error("the file holds records; an array of one type is needed");
      Expected<StringRef> descr = readString();
      if (!descr)
        return descr.takeError();
      header.descr = *descr;
      sawDescr = true;
    } else if (*key == "fortran_order") {
      header.fortranOrder = accept("True");
      if (!header.fortranOrder)
        if (Error e = expect("False"))
          return e;
      sawOrder = true;
    } else if (*key == "shape") {
      if (Error e = readShape(header))
        return e;
      sawShape = true;
    } else {
      return error("unknown key '" + *key + "' in the header");
    }
    if (!accept(",")) {
      if (Error e = expect("}"))
        return e;
      break;
    }
  }
  if (!sawDescr || !sawOrder || !sawShape)
    return error("the header needs 'descr', 'fortran_order' and 'shape'");
  return header;
}

/// The header's text: where it begins and ends. Version 1 counts it in two
/// bytes, version 2 in four.
static Expected<std::pair<size_t, size_t>> findHeader(StringRef file,
                                                      StringRef name) {
  auto error = [&](const Twine &message) {
    return llvm::createStringError(name + ": " + message);
  };
  if (!file.starts_with(magic))
    return error("not a .npy file: it does not begin with \\x93NUMPY");
  if (file.size() < magic.size() + 4)
    return error("the file ends within the header");
  unsigned version = static_cast<uint8_t>(file[magic.size()]);
  if (version != 1 && version != 2)
    return error("version " + Twine(version) +
                 " of the .npy format; 1 and 2 are read");
  size_t at = magic.size() + 2;
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (file.size() < at + lengthBytes)
    return error("the file ends within the header");
  size_t length = version == 1
                      ? llvm::support::endian::read16le(file.data() + at)
                      : llvm::support::endian::read32le(file.data() + at);
  at += lengthBytes;
  if (file.size() - at < length)
    return error("the header says it has " + Twine(length) +
                 " bytes; the file ends after " + Twine(file.size() - at));
  return std::pair(at, at + length);
}

Expected<HostTensor> drawloom::interp::readNpy(llvm::MemoryBufferRef buffer,
                                               Format format) {
  StringRef file = buffer.getBuffer();
  StringRef name = buffer.getBufferIdentifier();
  const FormatInfo &info = getInfo(format);
  auto error = [&](const Twine &message) {
    return llvm::createStringError(name + ": " + message);
  };

  Expected<std::pair<size_t, size_t>> extent = findHeader(file, name);
  if (!extent)
    return extent.takeError();
  auto [begin, end] = *extent;
  HeaderReader reader(file.take_front(end), begin, name);
  Expected<Header> header = reader.read();
  if (!header)
    return header.takeError();

  if (!llvm::is_contained(info.npyTypes, header->descr))
    return error("the file holds '" + header->descr + "', but " + info.name +
                 " is wanted, carried as '" + info.npyTypes.front() + "'" +
                 (isFloat(format) && info.npyTypes.front().contains('u')
                      ? "; save the bit patterns as unsigned integers"
                      : "; convert with astype"));
  if (header->fortranOrder)
    return error("the array is in Fortran order; save "
                 "numpy.ascontiguousarray of it");
  std::optional<int64_t> count = countElements(format, header->shape);
  if (!count)
    return error("an array of " + formatType(format, header->shape) +
                 " is too large: " + Twine(maxTensorBytes >> 30) +
                 " GiB is the most");
  int64_t expected = *count * info.bytes;
  int64_t present = static_cast<int64_t>(file.size() - end);
  if (expected != present)
    return error("an array of " + formatType(format, header->shape) + " has " +
                 Twine(expected) + " bytes of data; the file has " +
                 Twine(present));

  HostTensor tensor(format, header->shape);
  if (expected != 0)
    std::memcpy(tensor.getMutableBytes().data(), file.data() + end, expected);
  for (int64_t i = 0; i < *count; ++i)
    if (!isCanonical(format, tensor.getBits(i)))
      return error("element " + Twine(i) + " is 0x" +
                   llvm::utohexstr(tensor.getBits(i)) +
                   ", which is no value of " + info.name);
  return tensor;
}

void drawloom::interp::writeNpy(llvm::raw_ostream &os,
                                const HostTensor &tensor) {
  std::string header;
  llvm::raw_string_ostream text(header);
  text << "{'descr': '" << getInfo(tensor.getFormat()).npyTypes.front()
       << "', 'fortran_order': False, 'shape': (";
  llvm::interleave(tensor.getShape(), text, ", ");
  // A tuple of one is written with a comma.
  text << (tensor.getRank() == 1 ? ",), }" : "), }");

  // The data begins at a multiple of 64; a newline ends the header. The sizes
  // of a tensor fit version 1 up to rank 3000.
  size_t prefix = magic.size() + 4;
  size_t padded = llvm::alignTo(prefix + header.size() + 1, 64) - prefix;
  header.resize(padded - 1, ' ');
  header.push_back('\n');
  os << magic << '\x01' << '\0' << static_cast<char>(padded & 0xFF)
     << static_cast<char>(padded >> 8) << header;
  llvm::ArrayRef<char> bytes = tensor.getBytes();
  os.write(bytes.data(), bytes.size());
}
