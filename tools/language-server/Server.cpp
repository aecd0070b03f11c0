//===- Server.cpp - An editor's questions ---------------------------------===//
//
// Part of Drawloom, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Server.h"
#include "PtxText.h"
#include "drawloom/Input/Codes.h"
#include "drawloom/Input/Scan.h"
#include "drawloom/PrintPlan/Print.h"
#include "drawloom/Session/Compile.h"
#include "drawloom/Target/Architecture.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace drawloom;
using namespace drawloom::lsp;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// Places and names
//===----------------------------------------------------------------------===//

/// The path of "file:///a%20b"; empty for other URIs.
static std::string findPath(StringRef uri) {
  std::string path;
  if (!uri.consume_front("file://"))
    return path;
  for (size_t i = 0; i < uri.size(); ++i) {
    unsigned code = 0;
    if (uri[i] == '%' && !uri.substr(i + 1, 2).getAsInteger(16, code)) {
      path += static_cast<char>(code);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

static std::string makeUri(StringRef path) {
  std::string uri = "file://";
  for (char c : path) {
    if (llvm::isAlnum(c) || StringRef("/-_.~").contains(c))
      uri += c;
    else
      uri += "%" + llvm::utohexstr(static_cast<unsigned char>(c),
                                   /*LowerCase=*/false, /*Width=*/2);
  }
  return uri;
}

static bool isPtx(StringRef uri) { return uri.ends_with(".ptx"); }

static Value makeRange(int64_t line, int64_t from, int64_t to) {
  return Object{{"start", Object{{"line", line}, {"character", from}}},
                {"end", Object{{"line", line}, {"character", to}}}};
}

/// Line `number` of a text, from 0.
static StringRef getLine(StringRef text, int64_t number) {
  for (; number > 0 && !text.empty(); --number)
    text = text.split('\n').second;
  return text.split('\n').first;
}

/// The name at a place of a line, without its % or @.
static StringRef findName(StringRef line, size_t at) {
  auto isName = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  size_t end = std::min(at, line.size()), start = end;
  while (end < line.size() && isName(line[end]))
    ++end;
  while (start > 0 && isName(line[start - 1]))
    --start;
  return line.slice(start, end);
}

/// The text of a document's kernel up to a line names it last.
static bool isInKernel(StringRef text, int64_t line, StringRef kernel) {
  StringRef last;
  for (int64_t i = 0; i <= line && !text.empty(); ++i) {
    auto [first, rest] = text.split('\n');
    text = rest;
    if (first.contains("tile.kernel") || first.contains("func.func"))
      last = first;
  }
  size_t at = last.find(("@" + kernel).str());
  if (at == StringRef::npos)
    return false;
  return findName(last, at + 1) == kernel;
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

/// The file of a place; a name without a folder is beside the PTX.
static llvm::SmallString<128> findFile(const SourcePlace &place,
                                       StringRef uri) {
  llvm::SmallString<128> file(place.file);
  if (!llvm::sys::path::is_absolute(file)) {
    file = llvm::sys::path::parent_path(findPath(uri));
    llvm::sys::path::append(file, place.file);
  }
  return file;
}

Value Server::hoverPtx(const Question &question) {
  std::optional<SourcePlace> place =
      findSource(documents[question.uri].text, question.line);
  if (!place)
    return nullptr;
  std::string words = llvm::formatv("from `{0}:{1}`", place->file, place->line);
  if (auto buffer = llvm::MemoryBuffer::getFile(findFile(*place, question.uri)))
    words +=
        llvm::formatv("\n```\n{0}\n```",
                      getLine((*buffer)->getBuffer(), place->line - 1).trim());
  return Object{{"contents", Object{{"kind", "markdown"}, {"value", words}}}};
}

Value Server::definePtx(const Question &question) {
  std::optional<SourcePlace> place =
      findSource(documents[question.uri].text, question.line);
  if (!place)
    return Array{};
  int64_t column = place->column ? place->column - 1 : 0;
  return Array{Object{{"uri", makeUri(findFile(*place, question.uri))},
                      {"range", makeRange(place->line - 1, column, column)}}};
}

/// Answers what is about a document of PTX. Returns whether it was.
bool Server::answerPtx(StringRef method, const Value *id,
                       const Object &params) {
  const Object *document = params.getObject("textDocument");
  std::string uri =
      document ? document->getString("uri").value_or("").str() : "";
  if (!isPtx(uri))
    return false;
  Question question{uri};
  if (const Object *position = params.getObject("position")) {
    question.line = position->getInteger("line").value_or(0);
    question.character = position->getInteger("character").value_or(0);
  }
  std::lock_guard lock(mutex);
  if (!id) {
    if (method == "textDocument/didOpen" || method == "textDocument/didChange")
      editor.write(
          Object{{"jsonrpc", "2.0"},
                 {"method", "textDocument/publishDiagnostics"},
                 {"params",
                  Object{{"uri", uri},
                         {"version", documents[uri].version},
                         {"diagnostics", diagnosePtx(documents[uri].text)}}}});
    return true;
  }
  Value result = nullptr;
  if (method == "textDocument/hover")
    result = hoverPtx(question);
  else if (method == "textDocument/definition")
    result = definePtx(question);
  editor.write(
      Object{{"jsonrpc", "2.0"}, {"id", *id}, {"result", std::move(result)}});
  return true;
}

//===----------------------------------------------------------------------===//
// MLIR
//===----------------------------------------------------------------------===//

static Value makeDiagnostic(const Message &message, StringRef text) {
  // Without a place it is about the whole file.
  int64_t line = message.line ? message.line - 1 : 0;
  int64_t column = message.column ? message.column - 1 : 0;
  int64_t end = column + std::max<int64_t>(
                             1, findName(getLine(text, line), column).size());
  std::string words = message.text;
  for (const Message &note : message.notes)
    words += "\n" +
             (note.line ? "line " + std::to_string(note.line) + ": "
                        : std::string()) +
             note.text;
  using Severity = mlir::DiagnosticSeverity;
  int severity = message.severity == Severity::Error     ? 1
                 : message.severity == Severity::Warning ? 2
                                                         : 3;
  return Object{{"range", makeRange(line, column, end)},
                {"severity", severity},
                {"source", "drawloom"},
                {"code", input::codeOf(message.text, "syntax")},
                {"message", words}};
}

Array Server::planDocument(StringRef uri, int64_t version) {
  std::string text, gpu;
  {
    std::lock_guard lock(mutex);
    auto found = documents.find(uri.str());
    // It was closed, or has gone on.
    if (found == documents.end() || found->second.version != version)
      return {};
    text = found->second.text;
    gpu = arch;
  }
  if (std::optional<input::Rejection> rejection = input::scanMlir(text)) {
    StringRef before = StringRef(text).take_front(rejection->at);
    Message message{.line = unsigned(before.count('\n') + 1),
                    .column = unsigned(before.size() - before.rfind('\n')),
                    .text = rejection->words};
    return Array{makeDiagnostic(message, text)};
  }
  // Modules of other dialects are no programs.
  if (!StringRef(text).contains("tile.kernel") &&
      !StringRef(text).contains("func.func"))
    return {};
  CompileOptions options{.stopAfter = Stage::Plan};
  if (!StringRef(text).contains("tile.target")) {
    llvm::Expected<const target::Architecture *> found =
        target::findArchitecture(gpu);
    if (!found) {
      Message message{.text = llvm::toString(found.takeError())};
      return Array{makeDiagnostic(message, text)};
    }
    options.arch = *found;
  }
  llvm::Expected<CompiledModule> made = compile(text, options, uri);
  Array diagnostics;
  if (!made) {
    llvm::handleAllErrors(
        made.takeError(),
        [&](const CompileError &error) {
          for (const Message &message : error.getMessages())
            diagnostics.push_back(makeDiagnostic(message, text));
        },
        [&](const llvm::ErrorInfoBase &error) {
          diagnostics.push_back(
              makeDiagnostic(Message{.text = error.message()}, text));
        });
    return diagnostics;
  }
  for (const Message &message : made->messages)
    diagnostics.push_back(makeDiagnostic(message, text));
  std::lock_guard lock(mutex);
  auto found = documents.find(uri.str());
  if (found == documents.end())
    return {};
  found->second.plans.clear();
  for (CompiledKernel &kernel : made->kernels)
    found->second.plans.push_back(std::move(kernel.plan));
  return diagnostics;
}

void Server::addPlan(const Question &question, Object &reply) {
  std::lock_guard lock(mutex);
  auto found = documents.find(question.uri);
  if (found == documents.end())
    return;
  const Document &document = found->second;
  StringRef name = findName(getLine(document.text, question.line),
                            static_cast<size_t>(question.character));
  std::string words;
  for (const plan::Plan &plan : document.plans)
    if (isInKernel(document.text, question.line, plan.kernel))
      words = plan::describeName(plan, name);
  if (words.empty())
    return;
  // In front of what MLIR says about the operation.
  if (Object *result = reply.getObject("result"))
    if (Object *contents = result->getObject("contents"))
      if (std::optional<StringRef> said = contents->getString("value"))
        words += "\n---\n\n" + said->str();
  reply["result"] =
      Object{{"contents", Object{{"kind", "markdown"}, {"value", words}}}};
}

void Server::describeServer(Object &result) {
  result["serverInfo"] =
      Object{{"name", "drawloom"}, {"version", DRAWLOOM_VERSION}};
  if (Object *capabilities = result.getObject("capabilities"))
    if (Object *sync = capabilities->getObject("textDocumentSync"))
      // Whole texts: this server reads them, too.
      (*sync)["change"] = 1;
}

//===----------------------------------------------------------------------===//
// Both sides
//===----------------------------------------------------------------------===//

void Server::keepText(StringRef method, const Object &params) {
  const Object *identity = params.getObject("textDocument");
  std::optional<StringRef> uri =
      identity ? identity->getString("uri") : std::nullopt;
  if (!uri)
    return;
  std::lock_guard lock(mutex);
  if (method == "textDocument/didClose") {
    documents.erase(uri->str());
    return;
  }
  std::optional<StringRef> text = identity->getString("text");
  if (method == "textDocument/didChange")
    if (const Array *changes = params.getArray("contentChanges"))
      for (const Value &change : *changes)
        if (const Object *object = change.getAsObject())
          text = object->getString("text");
  if (!text)
    return;
  Document &document = documents[uri->str()];
  document.text = text->str();
  document.version = identity->getInteger("version").value_or(0);
}

/// Replaces texts that would end MLIR's server by empty ones; planDocument()
/// says why. A part of a text becomes all of it, as keepText() takes it.
static void protectMlir(Object &params) {
  auto protect = [](Object *holder) {
    if (!holder)
      return;
    holder->erase("range");
    std::optional<StringRef> text = holder->getString("text");
    if (text && input::scanMlir(*text))
      (*holder)["text"] = "";
  };
  protect(params.getObject("textDocument"));
  if (Array *changes = params.getArray("contentChanges"))
    for (Value &change : *changes)
      protect(change.getAsObject());
}

void Server::serveEditor() {
  while (std::optional<Object> message = editor.read()) {
    StringRef method = message->getString("method").value_or("");
    const Value *id = message->get("id");
    // MLIR's server ends when it receives what is not a message.
    if (message->getString("jsonrpc") != "2.0" ||
        (!message->getString("method") && !id))
      continue;
    if (Object *params = message->getObject("params")) {
      if (method.starts_with("textDocument/did"))
        keepText(method, *params);
      if (answerPtx(method, id, *params))
        continue;
      std::lock_guard lock(mutex);
      if (method == "initialize" && id) {
        initializeId = llvm::formatv("{0}", *id);
        if (const Object *options = params->getObject("initializationOptions"))
          if (std::optional<StringRef> wanted = options->getString("arch"))
            arch = wanted->str();
      }
      protectMlir(*params);
      const Object *document = params->getObject("textDocument");
      const Object *position = params->getObject("position");
      if (method == "textDocument/hover" && id && document && position)
        hovers[llvm::formatv("{0}", *id)] = {
            document->getString("uri").value_or("").str(),
            position->getInteger("line").value_or(0),
            position->getInteger("character").value_or(0)};
    }
    bool ends = method == "exit";
    mlir.write(std::move(*message));
    if (ends)
      return;
  }
}

void Server::serveMlir() {
  while (std::optional<Object> message = mlir.read()) {
    if (message->getString("method") == "textDocument/publishDiagnostics") {
      Object *params = message->getObject("params");
      Array *diagnostics = params ? params->getArray("diagnostics") : nullptr;
      // What parses can be planned.
      if (diagnostics && diagnostics->empty())
        *diagnostics = planDocument(params->getString("uri").value_or(""),
                                    params->getInteger("version").value_or(0));
    } else if (const Value *id = message->get("id")) {
      std::string key = llvm::formatv("{0}", *id);
      std::optional<Question> hover;
      {
        std::lock_guard lock(mutex);
        if (auto found = hovers.find(key); found != hovers.end()) {
          hover = found->second;
          hovers.erase(found);
        }
      }
      if (hover)
        addPlan(*hover, *message);
      else if (Object *result = message->getObject("result");
               result && key == initializeId && result->get("capabilities"))
        describeServer(*result);
    }
    editor.write(std::move(*message));
  }
}
