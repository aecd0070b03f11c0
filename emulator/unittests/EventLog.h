//===- EventLog.h - Events as lines of text ---------------------*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A listener that writes down its events, a line each:
//
//   w0:1 #1 issue bulk at bars            lane 0 of warp 0 issues operation 1
//   w0:1 #1 read async in:64              which reads 64 bytes of `in`
//   w1 write s+128:4x32/4                 warp 1 stores 4 bytes in 32 lanes
//   c1w0 arrive bars@1 1 release.cta in 0 a warp of CTA rank 1 arrives
//
// Lanes are a mask, left out if it is all of them. Addresses have the names
// that a test gave them; shared memory is `s`, from its first usable byte on.
//
//===----------------------------------------------------------------------===//

#ifndef DRAWLOOM_EMULATOR_EVENTLOG_H
#define DRAWLOOM_EMULATOR_EVENTLOG_H

#include "drawloom/Emulator/Listener.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

class EventLog : public drawloom::emu::Listener {
public:
  using Lines = std::vector<std::string>;

  /// [address, address + size) is called `name`.
  void name(const std::string &name, uint64_t address, uint64_t size);
  /// Only what begins with one of these words, after who and #id, or is one of
  /// them with a '$' at its end, is written down; everything if it is empty.
  std::vector<std::string> words;
  /// Called for each line that a cluster writes down.
  std::function<void(drawloom::emu::ClusterListener &, const std::string &)>
      each;
  /// Of launches and clusters; filled in by the calls of the run.
  Lines run;
  /// By launch and cluster.
  std::map<std::pair<uint32_t, uint64_t>, Lines> clusters;
  unsigned rounds = 0;

  /// The lines of all clusters, or those of them that begin with `who`.
  Lines lines(const std::string &who = "") const;

  void launchStarted(uint32_t index, const drawloom::emu::Launch &) override;
  void launchEnded(uint32_t index) override;
  std::unique_ptr<drawloom::emu::ClusterListener>
  startCluster(const drawloom::emu::ClusterStart &start) override;
  void
  endCluster(std::unique_ptr<drawloom::emu::ClusterListener> listener) override;
  void roundEnded() override { ++rounds; }

  std::string nameOf(uint64_t address) const;

private:
  struct Name {
    std::string name;
    uint64_t address, size;
  };
  std::vector<Name> names;
};

#endif // DRAWLOOM_EMULATOR_EVENTLOG_H
