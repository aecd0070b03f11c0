//===- Server.h - An editor's questions ----------------------- -*- C++ -*-===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Between an editor and MLIR's own language server. MLIR's answers whatever is
// about the text of MLIR. This one adds what the compiler knows:
//
// | asked about | MLIR's server has | added here |
// |---|---|---|
// | errors in MLIR | parsing, verifying | why it can't be planned |
// | a name in MLIR | the operation | the role, pipe or kernel |
// | errors in PTX | | errors, and mbarriers that don't fit |
// | a line of PTX | | its source |
//
//   editor -- Server -+- MLIR's server, in a process of its own
//                     +- PTX

#ifndef DRAWLOOM_TOOLS_LSP_SERVER_H
#define DRAWLOOM_TOOLS_LSP_SERVER_H

#include "Messages.h"
#include "drawloom/Analysis/Plan/Plan.h"
#include <map>

namespace drawloom::lsp {

class Server {
public:
  Server(Peer &editor, Peer &mlir) : editor(editor), mlir(mlir) {}

  /// Takes what the editor says, to the end.
  void serveEditor();
  /// Takes what MLIR's server says; runs beside the other.
  void serveMlir();

private:
  struct Document {
    std::string text;
    int64_t version = 0;
    /// Of the text as it was when it last could be planned.
    std::vector<plan::Plan> plans = {};
  };
  /// A question that MLIR's server has.
  struct Question {
    std::string uri;
    int64_t line = 0, character = 0;
  };

  void keepText(llvm::StringRef method, const llvm::json::Object &params);
  bool answerPtx(llvm::StringRef method, const llvm::json::Value *id,
                 const llvm::json::Object &params);
  llvm::json::Value hoverPtx(const Question &question);
  llvm::json::Value definePtx(const Question &question);
  llvm::json::Array planDocument(llvm::StringRef uri, int64_t version);
  void addPlan(const Question &question, llvm::json::Object &reply);
  void describeServer(llvm::json::Object &result);

  Peer &editor, &mlir;
  std::mutex mutex;
  std::map<std::string, Document> documents;
  /// Questions about MLIR by their ids, printed.
  std::map<std::string, Question> hovers;
  std::string initializeId;
  /// The GPU to plan for, if a program names none.
  std::string arch = "sm_100a";
};

} // namespace drawloom::lsp

#endif // DRAWLOOM_TOOLS_LSP_SERVER_H
