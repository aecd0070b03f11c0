//===- NpyTest.cpp - Reading and writing .npy files -----------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "drawloom/Interpreter/Npy.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace drawloom::interp;
using llvm::StringRef;

namespace {

/// A file of version 1.0 with this header.
std::string makeFile(StringRef header, StringRef data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file.push_back(static_cast<char>(header.size() & 0xFF));
  file.push_back(static_cast<char>(header.size() >> 8));
  return file + header.str() + data.str();
}

std::string getError(StringRef file, Format format) {
  auto tensor = readNpy(llvm::MemoryBufferRef(file, "x.npy"), format);
  return tensor ? "no error" : llvm::toString(tensor.takeError());
}

std::string write(const HostTensor &tensor) {
  std::string file;
  llvm::raw_string_ostream os(file);
  writeNpy(os, tensor);
  return file;
}

TEST(Npy, ReadsWhatNumpyWrites) {
  // The bytes of numpy.save(f, numpy.array([[1, 2, 3]], dtype=numpy.float16)).
  std::string file =
      makeFile("{'descr': '<f2', 'fortran_order': False, 'shape': (1, 3), }"
               "                                                          \n",
               StringRef("\x00\x3c\x00\x40\x00\x42", 6));
  auto tensor = readNpy(llvm::MemoryBufferRef(file, "x.npy"), Format::F16);
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->getShape(), llvm::ArrayRef<int64_t>({1, 3}));
  EXPECT_EQ(tensor->toFloats(), (std::vector<double>{1, 2, 3}));
}

TEST(Npy, ReadsVersion2) {
  std::string header =
      "{'descr': '|i1', 'fortran_order': False, 'shape': (2,)}\n";
  std::string file("\x93NUMPY\x02\x00", 8);
  file.push_back(static_cast<char>(header.size()));
  file += std::string(3, '\0') + header + "\x05\xFF";
  auto tensor = readNpy(llvm::MemoryBufferRef(file, "x.npy"), Format::I8);
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->toInts(), (std::vector<int64_t>{5, -1}));
}

TEST(Npy, RoundTripsEveryFormatAndRank) {
  for (const char *name :
       {"f64", "f32", "tf32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f8E8M0FNU",
        "f6E2M3FN", "f6E3M2FN", "f4E2M1FN", "i1", "i8", "i16", "i32", "i64",
        "index"}) {
    Format format = *parseFormat(name);
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {2}, {2, 3}, {2, 0, 3}}) {
      HostTensor tensor(format, shape);
      for (int64_t i = 0; i < tensor.getNumElements(); ++i)
        if (isFloat(format))
          tensor.setFloat(i, 0.5 * (i + 1));
        else
          tensor.setInt(i, i % 2 ? -1 : 1);
      std::string file = write(tensor);
      EXPECT_EQ((file.size() - tensor.getBytes().size()) % 64, 0u);
      auto read = readNpy(llvm::MemoryBufferRef(file, "x.npy"), format);
      ASSERT_TRUE(bool(read)) << name;
      EXPECT_EQ(read->getShape(), tensor.getShape());
      EXPECT_EQ(read->getBytes(), tensor.getBytes()) << name;
    }
  }
}

TEST(Npy, NarrowFloatsAreCarriedAsIntegersOrRawBytes) {
  for (const char *descr : {"<u2", "<V2", "|V2"}) {
    std::string file = makeFile("{'descr': '" + std::string(descr) +
                                    "', 'fortran_order': False, 'shape': ()}",
                                StringRef("\x80\x3f", 2));
    auto tensor = readNpy(llvm::MemoryBufferRef(file, "x.npy"), Format::BF16);
    ASSERT_TRUE(bool(tensor)) << descr;
    EXPECT_EQ(tensor->getFloat(0), 1.0);
  }
}

TEST(Npy, Rejections) {
  const std::string f4 = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
  struct Row {
    std::string file;
    Format format;
    const char *error;
  } rows[] = {
      {"", Format::F32,
       "x.npy: not a .npy file: it does not begin with \\x93NUMPY"},
      {"PK\x03\x04", Format::F32,
       "x.npy: not a .npy file: it does not begin with \\x93NUMPY"},
      {"\x93NUMPY", Format::F32, "x.npy: the file ends within the header"},
      {std::string("\x93NUMPY\x02\x00\x01\x00", 10), Format::F32,
       "x.npy: the file ends within the header"},
      {std::string("\x93NUMPY\x03\x00\x00\x00", 10), Format::F32,
       "x.npy: version 3 of the .npy format; 1 and 2 are read"},
      {std::string("\x93NUMPY\x01\x00\xff\x00{", 11), Format::F32,
       "x.npy: the header says it has 255 bytes; the file ends after 1"},
      {makeFile("", ""), Format::F32,
       "x.npy: byte 10: expected '{' in the header"},
      {makeFile("{", ""), Format::F32,
       "x.npy: byte 11: expected ''' in the header"},
      {makeFile("{'descr", ""), Format::F32,
       "x.npy: byte 12: a string in the header does not end"},
      {makeFile("{'descr' '<f4'}", ""), Format::F32,
       "x.npy: byte 19: expected ':' in the header"},
      {makeFile("{'descr': [('a', '<f4')]}", ""), Format::F32,
       "x.npy: byte 20: the file holds records; an array of one type is "
       "needed"},
      {makeFile("{'dtype': '<f4'}", ""), Format::F32,
       "x.npy: byte 19: unknown key 'dtype' in the header"},
      {makeFile("{'descr': '<f4'}", ""), Format::F32,
       "x.npy: byte 26: the header needs 'descr', 'fortran_order' and "
       "'shape'"},
      {makeFile("{'fortran_order': Maybe}", ""), Format::F32,
       "x.npy: byte 28: expected 'False' in the header"},
      {makeFile(f4 + "(-1,)}", ""), Format::F32,
       "x.npy: byte 61: expected an extent, a number from 0 to 2^63 - 1"},
      {makeFile(f4 + "(99999999999999999999,)}", ""), Format::F32,
       "x.npy: byte 61: expected an extent, a number from 0 to 2^63 - 1"},
      {makeFile(f4 + "(1 2)}", ""), Format::F32,
       "x.npy: byte 63: expected ')' in the header"},
      {makeFile(f4 + "(1,) 'x'}", ""), Format::F32,
       "x.npy: byte 65: expected '}' in the header"},
      {makeFile(f4 + "(1,)}", "abcd"), Format::F64,
       "x.npy: the file holds '<f4', but f64 is wanted, carried as '<f8'; "
       "convert with astype"},
      {makeFile(f4 + "(1,)}", "abcd"), Format::BF16,
       "x.npy: the file holds '<f4', but bf16 is wanted, carried as '<u2'; "
       "save the bit patterns as unsigned integers"},
      {makeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}",
                "abcd"),
       Format::F32,
       "x.npy: the array is in Fortran order; save numpy.ascontiguousarray of "
       "it"},
      {makeFile(f4 + "(4294967296, 4294967296)}", ""), Format::F32,
       "x.npy: an array of 4294967296x4294967296xf32 is too large: 1 GiB is "
       "the most"},
      {makeFile(f4 + "(2,)}", "abcd"), Format::F32,
       "x.npy: an array of 2xf32 has 8 bytes of data; the file has 4"},
      {makeFile(f4 + "(1,)}", "abcde"), Format::F32,
       "x.npy: an array of 1xf32 has 4 bytes of data; the file has 5"},
      {makeFile("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}",
                "\x0f\x10"),
       Format::F4E2M1FN,
       "x.npy: element 1 is 0x10, which is no value of "
       "f4E2M1FN"},
  };
  for (const Row &row : rows)
    EXPECT_EQ(getError(row.file, row.format), row.error);
}

// An extent of zero makes the tensor empty whatever the others are.
TEST(Npy, EmptyTensorWithHugeExtents) {
  std::string file = makeFile("{'descr': '<f4', 'fortran_order': False, "
                              "'shape': (0, 9000000000000000000, 3)}",
                              "");
  auto tensor = readNpy(llvm::MemoryBufferRef(file, "x.npy"), Format::F32);
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->getNumElements(), 0);
}

} // namespace
