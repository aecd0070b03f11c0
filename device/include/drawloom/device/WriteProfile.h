//===- WriteProfile.h - What each role did, in Chrome's trace format -----===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_DEVICE_WRITEPROFILE_H
#define DRAWLOOM_DEVICE_WRITEPROFILE_H

#include "drawloom/device/Kernel.h"
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace drawloom::device {

/// The names of a kernel's roles and pipes.
struct ProfileNames {
  struct Role {
    std::string name;
    int warp, warps;
  };
  std::vector<Role> roles;
  std::vector<std::string> pipes;

  const Role *roleOf(int warp) const {
    for (const Role &role : roles)
      if (warp >= role.warp && warp < role.warp + role.warps)
        return &role;
    return nullptr;
  }
};

/// Writes the records of a launch. A process is a CTA; it has a row for each
/// warp with a role, with items and waits, and one for each end of each slot of
/// a pipe, with when it has the slot. Copies and products arrive on their own,
/// so a consumer may have a slot before its producer has let go of it.
class ProfileWriter {
public:
  ProfileWriter(FILE *file, const ProfileNames &names)
      : file(file), names(names) {
    std::fprintf(file, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
  }
  ~ProfileWriter() { std::fprintf(file, "\n]}\n"); }

  /// `begin` and `end` are nanoseconds at the first and the last record.
  void addWarp(int cta, int warp, const std::vector<ProfileRecord> &records,
               uint64_t begin, uint64_t end) {
    const ProfileNames::Role *role = names.roleOf(warp);
    if (!role || records.empty())
      return;
    uint64_t clocks = records.back().clock - records.front().clock;
    bool isWhole = records.back().moment == Moment::End;
    // Where the end is missing, a clock of 1 GHz is taken.
    double rate = isWhole && clocks ? double(end - begin) / clocks : 1;
    auto at = [&](const ProfileRecord &record) {
      return double(begin) + (record.clock - records.front().clock) * rate;
    };
    if (processes.emplace(cta, 0).second)
      name("process_name", cta, 0, "CTA " + std::to_string(cta));
    name("thread_name", cta, warp,
         role->name + ", warp " + std::to_string(warp));
    const ProfileRecord *item = nullptr, *wait = nullptr;
    std::map<int, std::deque<const ProfileRecord *>> held;
    for (const ProfileRecord &record : records)
      switch (record.moment) {
      case Moment::Start:
      case Moment::End:
        break;
      case Moment::Item:
        item = &record;
        break;
      case Moment::ItemEnd:
        if (item)
          span("item " + std::to_string(item->number), cta, warp, at(*item),
               at(record));
        item = nullptr;
        break;
      case Moment::Wait:
        wait = &record;
        break;
      case Moment::WaitEnd:
        if (wait)
          span("wait: " + nameSlot(record), cta, warp, at(*wait), at(record));
        wait = nullptr;
        if (record.pipe != workPipe)
          held[record.pipe].push_back(&record);
        break;
      case Moment::Give:
        // Slots are given on in the order in which they were taken; of several
        // warps the first one is shown.
        if (auto &taken = held[record.pipe]; !taken.empty()) {
          if (warp == role->warp)
            span(role->name, cta, rowOf(cta, *role, *taken.front()),
                 at(*taken.front()), at(record));
          taken.pop_front();
        }
        break;
      }
  }

private:
  std::string nameSlot(const ProfileRecord &record) const {
    if (record.pipe == workPipe)
      return "next item";
    return names.pipes[record.pipe] + ", slot " + std::to_string(record.number);
  }
  /// The row of a slot as one of its ends has it: after those of warps.
  int rowOf(int cta, const ProfileNames::Role &role,
            const ProfileRecord &record) {
    int row = 1000 * (1 + record.pipe) + 16 * int(record.number) +
              int(&role - names.roles.data());
    if (slots.emplace(std::pair(cta, row), 0).second)
      name("thread_name", cta, row, nameSlot(record) + ", " + role.name);
    return row;
  }
  void separate() {
    std::fprintf(file, isFirst ? "" : ",\n");
    isFirst = false;
  }
  void name(const char *what, int process, int row, const std::string &name) {
    separate();
    std::fprintf(file,
                 "{\"name\": \"%s\", \"ph\": \"M\", \"pid\": %d, \"tid\": %d, "
                 "\"args\": {\"name\": \"%s\"}}",
                 what, process, row, name.c_str());
  }
  void span(const std::string &name, int process, int row, double begin,
            double end) {
    separate();
    std::fprintf(file,
                 "{\"name\": \"%s\", \"ph\": \"X\", \"pid\": %d, \"tid\": %d, "
                 "\"ts\": %.4f, \"dur\": %.4f}",
                 name.c_str(), process, row, begin / 1000,
                 (end - begin) / 1000);
  }

  FILE *file;
  const ProfileNames &names;
  bool isFirst = true;
  std::map<int, int> processes;
  std::map<std::pair<int, int>, int> slots;
};

template <class Kernel>
ProfileNames nameParts() {
  ProfileNames names;
  Kernel::forEachPart(
      [&](const char *name, int warp, int warps) {
        names.roles.push_back({name, warp, warps});
      },
      [&](const char *name) { names.pipes.push_back(name); });
  return names;
}

/// Memory for the records of a launch.
class Profile {
public:
  Profile(int ctas, int warps) : ctas(ctas), warps(warps) {}
  Profile(const Profile &) = delete;
  Profile &operator=(const Profile &) = delete;
  ~Profile() {
    cudaFree(memory.records);
    cudaFree(memory.nanoseconds);
  }

  cudaError_t prepare() {
    size_t all = size_t(ctas) * warps;
    if (cudaError_t error = cudaMalloc(
            &memory.records, all * DRAWLOOM_PROFILE * sizeof(ProfileRecord)))
      return error;
    if (cudaError_t error =
            cudaMalloc(&memory.nanoseconds, all * 2 * sizeof(uint64_t)))
      return error;
    // A record that isn't one ends those of a warp.
    if (cudaError_t error =
            cudaMemset(memory.records, 0xFF,
                       all * DRAWLOOM_PROFILE * sizeof(ProfileRecord)))
      return error;
    return cudaMemcpyToSymbol(profileMemory, &memory, sizeof(memory));
  }

  /// Waits for the launch and writes what it did: to drawloom-profile-N.json
  /// for launch N of the program, or as DRAWLOOM_PROFILE_FILE calls it.
  cudaError_t write(const ProfileNames &names) {
    if (cudaError_t error = cudaDeviceSynchronize())
      return error;
    size_t all = size_t(ctas) * warps;
    std::vector<ProfileRecord> records(all * DRAWLOOM_PROFILE);
    std::vector<uint64_t> nanoseconds(2 * all);
    if (cudaError_t error = cudaMemcpy(records.data(), memory.records,
                                       records.size() * sizeof(ProfileRecord),
                                       cudaMemcpyDeviceToHost))
      return error;
    if (cudaError_t error = cudaMemcpy(nanoseconds.data(), memory.nanoseconds,
                                       nanoseconds.size() * sizeof(uint64_t),
                                       cudaMemcpyDeviceToHost))
      return error;
    static int launches = 0;
    const char *prefix = std::getenv("DRAWLOOM_PROFILE_FILE");
    std::string path = std::string(prefix ? prefix : "drawloom-profile") + "-" +
                       std::to_string(launches++) + ".json";
    FILE *file = std::fopen(path.c_str(), "w");
    if (!file) {
      std::fprintf(stderr, "drawloom: cannot write '%s'\n", path.c_str());
      return cudaErrorOperatingSystem;
    }
    {
      ProfileWriter writer(file, names);
      for (size_t i = 0; i < all; ++i) {
        std::vector<ProfileRecord> own;
        for (int n = 0; n < DRAWLOOM_PROFILE; ++n)
          if (const auto &record = records[i * DRAWLOOM_PROFILE + n];
              record.moment <= Moment::End)
            own.push_back(record);
        writer.addWarp(int(i / warps), int(i % warps), own, nanoseconds[2 * i],
                       nanoseconds[2 * i + 1]);
      }
    }
    std::fclose(file);
    return cudaSuccess;
  }

private:
  const int ctas, warps;
  ProfileMemory memory{};
};

} // namespace drawloom::device

#endif // DRAWLOOM_DEVICE_WRITEPROFILE_H
