// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The language server in VS Code. It needs no package of npm: the protocol's frames are
// a few lines, and what is asked are diagnostics, hovers, definitions and completions.
"use strict";
const childProcess = require("child_process");
const fs = require("fs");
const path = require("path");
const vscode = require("vscode");

const LANGUAGES = ["mlir", "ptx"];

/** A server, and the questions that it hasn't answered. */
class Client {
  constructor(command, arch, diagnostics) {
    this.diagnostics = diagnostics;
    this.waiting = new Map();
    this.next = 1;
    this.rest = Buffer.alloc(0);
    this.server = childProcess.spawn(command, ["lsp", "--log", "error"]);
    this.server.on("error", (error) => vscode.window.showErrorMessage(
        `drawloom: cannot start '${command}': ${error.message}; 'pip install drawloom' ` +
        "brings it, and the setting 'drawloom.command' names where it is"));
    this.server.stdout.on("data", (data) => this.read(data));
    this.ready = this.ask("initialize", {
      processId: null, rootUri: null, capabilities: {}, initializationOptions: {arch},
    }).then(() => this.tell("initialized", {}));
  }

  write(message) {
    const body = Buffer.from(JSON.stringify({jsonrpc: "2.0", ...message}), "utf8");
    this.server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.server.stdin.write(body);
  }

  tell(method, params) {
    this.write({method, params});
  }

  ask(method, params) {
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.write({id, method, params});
    });
  }

  read(data) {
    this.rest = Buffer.concat([this.rest, data]);
    for (;;) {
      const end = this.rest.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/.exec(this.rest.toString("utf8", 0, end))[1]);
      if (this.rest.length < end + 4 + length) return;
      const body = this.rest.toString("utf8", end + 4, end + 4 + length);
      this.rest = this.rest.subarray(end + 4 + length);
      this.take(JSON.parse(body));
    }
  }

  take(message) {
    if (message.method === "textDocument/publishDiagnostics") {
      const {uri, diagnostics} = message.params;
      this.diagnostics.set(vscode.Uri.parse(uri), diagnostics.map((one) => {
        const made = new vscode.Diagnostic(makeRange(one.range), one.message, one.severity - 1);
        made.source = one.source;
        return made;
      }));
    } else if (this.waiting.has(message.id)) {
      this.waiting.get(message.id)(message.result);
      this.waiting.delete(message.id);
    }
  }

  open(document) {
    if (!LANGUAGES.includes(document.languageId)) return;
    this.ready.then(() => this.tell("textDocument/didOpen", {textDocument: {
      uri: document.uri.toString(), languageId: document.languageId,
      version: document.version, text: document.getText()}}));
  }

  change(document) {
    if (!LANGUAGES.includes(document.languageId)) return;
    this.ready.then(() => this.tell("textDocument/didChange", {
      textDocument: {uri: document.uri.toString(), version: document.version},
      contentChanges: [{text: document.getText()}]}));
  }

  close(document) {
    if (!LANGUAGES.includes(document.languageId)) return;
    this.diagnostics.delete(document.uri);
    this.tell("textDocument/didClose", {textDocument: {uri: document.uri.toString()}});
  }

  async askAt(method, document, position) {
    await this.ready;
    return this.ask(method, {
      textDocument: {uri: document.uri.toString()},
      position: {line: position.line, character: position.character}});
  }

  stop() {
    this.ask("shutdown", null).then(() => this.tell("exit", null));
  }
}

function makeRange(range) {
  return new vscode.Range(range.start.line, range.start.character, range.end.line,
                          range.end.character);
}

/** Where the command is: as the setting says, or where pip put it for this folder. */
function findCommand(settings) {
  const command = settings.get("command");
  if (command !== "drawloom") return command;
  for (const folder of vscode.workspace.workspaceFolders || []) {
    for (const environment of [".venv", "venv"]) {
      const file = path.join(folder.uri.fsPath, environment, "bin", "drawloom");
      if (fs.existsSync(file)) return file;
    }
  }
  return command;
}

let client;

function start(diagnostics) {
  const settings = vscode.workspace.getConfiguration("drawloom");
  client = new Client(findCommand(settings), settings.get("arch"), diagnostics);
  vscode.workspace.textDocuments.forEach((document) => client.open(document));
}

/** The page of 'drawloom explain --format html', beside the program. */
function explain() {
  const document = vscode.window.activeTextEditor.document;
  const settings = vscode.workspace.getConfiguration("drawloom");
  const options = ["explain", "-", "--format", "html"];
  if (!document.getText().includes("tile.target")) options.push("--arch", settings.get("arch"));
  const run = childProcess.execFile(
      findCommand(settings), options, {maxBuffer: 1 << 28}, (error, page, words) => {
        if (error) {
          vscode.window.showErrorMessage(`drawloom: ${words || error.message}`);
          return;
        }
        const panel = vscode.window.createWebviewPanel(
            "drawloom", "Plan", vscode.ViewColumn.Beside, {enableScripts: true});
        panel.webview.html = page;
      });
  run.stdin.end(document.getText());
}

function activate(context) {
  const diagnostics = vscode.languages.createDiagnosticCollection("drawloom");
  start(diagnostics);
  context.subscriptions.push(
      diagnostics,
      vscode.workspace.onDidOpenTextDocument((document) => client.open(document)),
      vscode.workspace.onDidChangeTextDocument((event) => client.change(event.document)),
      vscode.workspace.onDidCloseTextDocument((document) => client.close(document)),
      vscode.languages.registerHoverProvider(LANGUAGES, {
        async provideHover(document, position) {
          const found = await client.askAt("textDocument/hover", document, position);
          return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value));
        },
      }),
      vscode.languages.registerDefinitionProvider(LANGUAGES, {
        async provideDefinition(document, position) {
          const found = await client.askAt("textDocument/definition", document, position);
          return (found || []).map((place) => new vscode.Location(
              vscode.Uri.parse(place.uri), makeRange(place.range)));
        },
      }),
      vscode.commands.registerCommand("drawloom.explain", explain),
      vscode.commands.registerCommand("drawloom.restart", () => {
        client.stop();
        diagnostics.clear();
        start(diagnostics);
      }));
}

function deactivate() {
  client.stop();
}

module.exports = {activate, deactivate};
