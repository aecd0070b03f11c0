//===- RecordedLaunch.cpp - A launch that was written down
//-----------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordedLaunch.h"
#include "drawloom/Emulator/TensorMap.h"
#include "drawloom/PTX/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

using namespace drawloom;
using namespace drawloom::mutate;

static llvm::Expected<std::string> readFile(const llvm::Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

static emu::Dim3 readDim(const llvm::json::Object &object,
                         llvm::StringRef name) {
  emu::Dim3 dim;
  const llvm::json::Array *array = object.getArray(name);
  if (!array || array->size() != 3)
    return dim;
  auto at = [&](unsigned i) {
    return static_cast<uint32_t>((*array)[i].getAsInteger().value_or(1));
  };
  return {at(0), at(1), at(2)};
}

llvm::Expected<std::unique_ptr<RecordedLaunch>>
RecordedLaunch::read(llvm::StringRef base) {
  auto launch = std::make_unique<RecordedLaunch>();
  auto json = readFile(base + ".json");
  auto text = readFile(base + ".ptx");
  auto data = readFile(base + ".bin");
  for (auto *part : {&json, &text, &data})
    if (!*part) {
      llvm::Error error = part->takeError();
      for (auto *other : {&json, &text, &data})
        if (other != part && !*other)
          llvm::consumeError(other->takeError());
      return error;
    }
  auto parsed = llvm::json::parse(*json);
  if (!parsed)
    return parsed.takeError();
  const llvm::json::Object *object = parsed->getAsObject();
  if (!object)
    return llvm::createStringError(base + ".json: not an object");
  launch->textField = std::move(*text);
  launch->data = std::move(*data);
  launch->nameField = object->getString("name").value_or("").str();
  launch->gridField = readDim(*object, "grid");
  launch->blockField = readDim(*object, "block");
  launch->clusterField = readDim(*object, "cluster");
  launch->shared = object->getInteger("shared").value_or(0);
  std::string bytes =
      llvm::fromHex(object->getString("parameters").value_or(""));
  launch->parameters.assign(bytes.begin(), bytes.end());
  auto readMemory = [](const llvm::json::Object &row) {
    return Memory{static_cast<uint64_t>(row.getInteger("address").value_or(0)),
                  static_cast<uint64_t>(row.getInteger("size").value_or(0)),
                  static_cast<uint64_t>(row.getInteger("at").value_or(0))};
  };
  if (const llvm::json::Array *rows = object->getArray("allocations"))
    for (const llvm::json::Value &row : *rows)
      if (const llvm::json::Object *fields = row.getAsObject())
        launch->memories.push_back(readMemory(*fields));
  if (const llvm::json::Object *row = object->getObject("result"))
    launch->resultField = readMemory(*row);

  const emu::DeviceModel *model =
      emu::findDeviceModel(object->getString("device").value_or(""));
  if (!model)
    return llvm::createStringError(base + ".json: no device of that name");
  emu::DeviceModel wanted = *model;
  wanted.smCount = object->getInteger("sms").value_or(model->smCount);
  auto device = emu::Device::create(wanted);
  if (!device)
    return device.takeError();
  launch->device = std::move(*device);
  // The same addresses: what lies between was other memory.
  llvm::sort(launch->memories, [](const Memory &a, const Memory &b) {
    return a.address < b.address;
  });
  emu::GlobalMemory &memory = launch->device->memory();
  for (const Memory &one : launch->memories)
    for (bool isThere = false; !isThere;) {
      auto address = memory.allocate(one.size);
      if (!address)
        return address.takeError();
      isThere = *address == one.address;
      if (isThere)
        break;
      if (llvm::Error error = memory.free(*address))
        return error;
      if (*address > one.address)
        return llvm::createStringError(base + ": an address is taken");
      if (auto gap = memory.allocate(one.address - *address); !gap)
        return gap.takeError();
    }
  return launch;
}

std::map<std::pair<int, int64_t>, int64_t>
RecordedLaunch::boxes(const ptx::Function &kernel) const {
  constexpr uint64_t size = sizeof(emu::TensorMapBytes);
  std::map<std::pair<int, int64_t>, int64_t> boxes;
  uint64_t start = 0;
  for (auto [number, parameter] :
       llvm::enumerate(kernel.prototype->parameters)) {
    const ptx::Variable &variable = *parameter.variable;
    uint64_t bytes = variable.elementSize();
    for (int64_t extent : variable.extents)
      bytes *= extent;
    start = llvm::alignTo(
        start, std::max<uint64_t>(variable.alignment, variable.elementSize()));
    for (uint64_t at = 0; at + size <= bytes; at += emu::tensorMapAlignment) {
      if (start + at + size > parameters.size())
        break;
      auto map = emu::decodeTensorMap(parameters.data() + start + at);
      if (!map) {
        llvm::consumeError(map.takeError());
        continue;
      }
      int64_t box = map->sharedRowBytes();
      for (unsigned dim = 1; dim != map->rank; ++dim)
        box *= map->extent(dim);
      if (!map->im2col)
        boxes[{int(number), int64_t(at)}] = box;
    }
    start += bytes;
  }
  return boxes;
}

Outcome RecordedLaunch::run(llvm::StringRef text,
                            const emu::RunOptions &options) {
  Outcome outcome;
  auto refuse = [&](llvm::Error error) {
    outcome.refusal = llvm::toString(std::move(error));
    return outcome;
  };
  ptx::ParseResult parsed =
      ptx::parseModule(llvm::MemoryBufferRef(text, nameField));
  if (!parsed) {
    outcome.refusal = parsed.str();
    return outcome;
  }
  std::string entry;
  for (const ptx::Function *function : parsed.module->functions)
    if (function->isEntry && function->hasBody)
      entry = function->name.str();
  auto module = device->load(std::move(parsed.module));
  if (!module)
    return refuse(module.takeError());
  auto kernel = (*module)->kernel(entry);
  if (!kernel)
    return refuse(kernel.takeError());
  emu::Launch launch;
  launch.kernel = *kernel;
  launch.grid = gridField;
  launch.block = blockField;
  launch.cluster = clusterField;
  launch.explicitCluster = clusterField.count() > 1;
  launch.dynamicShared = shared;
  launch.parameters = parameters;
  launch.parameters.resize((*kernel)->parameterBytes);
  if (std::optional<std::string> problem =
          emu::checkLaunch(device->model(), launch)) {
    outcome.refusal = *problem;
    return outcome;
  }
  for (const Memory &one : memories)
    if (char *host = device->memory().translate(one.address, one.size))
      memcpy(host, data.data() + one.at, one.size);
  emu::RunResult result = emu::run(*device, launch, options);
  outcome.report = result.report;
  outcome.steps = result.statistics.warpInstructions;
  if (const char *host =
          device->memory().translate(resultField.address, resultField.size))
    outcome.result.assign(host, host + resultField.size);
  return outcome;
}
