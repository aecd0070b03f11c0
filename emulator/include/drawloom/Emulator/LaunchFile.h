//===- LaunchFile.h - A launch in a file ------------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch, as a person writes it down: which device, how many CTAs, which
// arrays, and what the kernel is called with (docs/Run.md has every field).
// `parseLaunchFile` reads it, `PreparedLaunch` puts it into a device. A value
// that a kernel is called with is bytes in the end; what it is made of is a
// tree:
//
//   {"u32": 512}                          a number
//   {"pointer": "a", "offset": 256}       an address in an array
//   {"tensorMap": {"array": "a", ...}}    128 bytes
//   {"bytes": "00ff"}                     as they are
//   {"size": 64, "fields": [...]}         values at offsets of a structure
//   {"memory": VALUE}                     the address of a value
//
// An error names the field.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_LAUNCHFILE_H
#define DRAWLOOM_EMULATOR_LAUNCHFILE_H

#include "drawloom/Emulator/Launch.h"
#include "drawloom/Emulator/NumpyFile.h"
#include "drawloom/Emulator/TensorMap.h"

namespace drawloom::emu {

struct LaunchArray {
  std::string name;
  std::string file;         ///< What it holds before; empty for a filled array.
  std::string output;       ///< Where it is written after; empty for nowhere.
  std::string outputFolder; ///< What that is below.
  /// Without a file.
  std::string type;
  llvm::SmallVector<uint64_t, 4> shape;
  uint8_t fill = 0; ///< Every byte.
};

struct LaunchValue {
  enum Kind { Bytes, Pointer, Map, Struct, Memory };
  Kind kind = Bytes;
  std::string where;       ///< The field, for errors.
  std::string bytes;       ///< Of a number, too.
  std::string array;       ///< Of a pointer or a map.
  uint64_t offset = 0;     ///< Of a pointer in its array.
  uint64_t at = 0;         ///< In the structure that it is a field of.
  uint64_t size = 0;       ///< Of a structure.
  emu::TensorMap map = {}; ///< Its address is filled in.
  bool hasType = false, hasDims = false, hasStrides = false;
  std::vector<LaunchValue> parts; ///< Fields, or what memory holds.
};

struct LaunchFile {
  std::string device = "h100";
  std::optional<unsigned> smCount;
  std::string kernel; ///< Empty: the module has one.
  Dim3 grid, block, cluster;
  bool explicitCluster = false;
  uint32_t dynamicShared = 0;
  std::vector<LaunchArray> arrays;
  /// The bytes that all arrays together can have: a launch is there about three
  /// times, and small files can ask for much.
  uint64_t arrayLimit = uint64_t(512) << 20;
  std::vector<LaunchValue> parameters;
  /// Policy and step limit.
  RunOptions options;
};

/// Reads a launch from JSON. Files that it names are in `folder`, and those
/// that are written below `outputFolder`, wherever links would lead.
llvm::Expected<LaunchFile> parseLaunchFile(llvm::StringRef json,
                                           llvm::StringRef folder,
                                           llvm::StringRef outputFolder);

/// A launch file with its arrays in the memory of a device.
class PreparedLaunch {
public:
  static llvm::Expected<PreparedLaunch>
  create(const LaunchFile &file, Device &device, LoadedModule &module);

  const Launch &launch() const { return launchField; }
  struct Array {
    std::string name, output, outputFolder;
    NumpyArray before;
    uint64_t address;
  };
  llvm::ArrayRef<Array> arrays() const { return arraysField; }

  /// Puts every array back to what it held at first.
  void restore(Device &device) const;
  /// What an array holds now.
  llvm::ArrayRef<char> contents(Device &device, const Array &array) const;
  llvm::Error writeOutputs(Device &device) const;

private:
  llvm::Expected<std::string> encode(const LaunchValue &value, Device &device);
  llvm::Expected<std::string> encodeMap(const LaunchValue &value,
                                        Device &device);
  llvm::Expected<const Array *> find(const LaunchValue &value) const;

  Launch launchField;
  std::vector<Array> arraysField;
};

} // namespace drawloom::emu

#endif // DRAWLOOM_EMULATOR_LAUNCHFILE_H
