// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension for VS Code with a stand-in for the editor and the real server:
//
//   in_vscode.js EXTENSION COMMAND FOLDER
//
// Opens gemm.mlir and gemm.ptx, breaks and fixes the program, asks for a hover and a
// definition, and prints what the editor would show.
"use strict";
const fs = require("fs"), path = require("path"), Module = require("module");
const [extension, command, folder] = process.argv.slice(2);
const handlers = {}, providers = {}, waiting = [];

class Plain {
  constructor(...parts) { Object.assign(this, {parts}); }
}
const shown = {
  set(uri, diagnostics) { (waiting.shift() || (() => {}))(diagnostics); },
  delete() {},
  clear() {},
};
const vscode = {
  Diagnostic: class { constructor(range, message) { this.message = message; } },
  Hover: Plain, Location: Plain, Range: Plain, MarkdownString: Plain,
  Uri: {parse: (text) => text},
  languages: {
    createDiagnosticCollection: () => shown,
    registerHoverProvider: (languages, provider) => { providers.hover = provider; },
    registerDefinitionProvider: (languages, provider) => { providers.definition = provider; },
  },
  commands: {registerCommand() {}},
  window: {showErrorMessage: (words) => console.log(words)},
  workspace: {
    textDocuments: [],
    workspaceFolders: [{uri: {fsPath: folder}}],
    getConfiguration: () => ({get: (name) => ({command, arch: "sm_100a"})[name]}),
    onDidOpenTextDocument: (handler) => { handlers.open = handler; },
    onDidChangeTextDocument: (handler) => { handlers.change = handler; },
    onDidCloseTextDocument: (handler) => { handlers.close = handler; },
  },
};
const load = Module._load;
Module._load = (name, ...rest) => name === "vscode" ? vscode : load(name, ...rest);

function makeDocument(file, languageId) {
  const text = fs.readFileSync(path.join(folder, file), "utf8");
  return {languageId, version: 1, text, uri: `file://${path.resolve(folder, file)}`,
          getText() { return this.text; }};
}
const diagnosed = () => new Promise((resolve) => waiting.push(resolve));
const places = (document, words) => {
  const line = document.text.split("\n").findIndex((text) => text.includes(words));
  return {line, character: document.text.split("\n")[line].indexOf(words)};
};

(async () => {
  const made = require(path.resolve(extension));
  made.activate({subscriptions: []});
  const program = makeDocument("gemm.mlir", "mlir"), ptx = makeDocument("gemm.ptx", "ptx");
  let answer = diagnosed();
  handlers.open(program);
  console.log(`right: ${(await answer).length} diagnostics`);
  const right = program.text;
  Object.assign(program, {version: 2, text: right.replace("tile.mma", "tile.nma")});
  answer = diagnosed();
  handlers.change({document: program});
  console.log(`wrong: ${(await answer)[0].message}`);
  Object.assign(program, {version: 3, text: right});
  answer = diagnosed();
  handlers.change({document: program});
  console.log(`right: ${(await answer).length} diagnostics`);
  const at = places(program, "%A[");
  ++at.character;
  const hover = await providers.hover.provideHover(program, at);
  console.log(`hover: ${hover.parts[0].parts[0].split("\n")[0]}`);
  answer = diagnosed();
  handlers.open(ptx);
  await answer;
  const found = await providers.definition.provideDefinition(ptx, places(ptx, "tcgen05.mma"));
  console.log(`from: ${path.basename(found[0].parts[0])}, line ${found[0].parts[1].parts[0]}`);
  handlers.close(ptx);
  made.deactivate();
})();
