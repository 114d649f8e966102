// The interop client on the official TypeScript SDK: node client.mjs AGENT [ARGUMENT…]
// ../README.md describes what it sends and prints.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { promises as fs, writeSync } from "node:fs";
import process from "node:process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const cwd = process.cwd();
const terminals = new Map();
let step = {};

const app = acp
  .client({ name: "interop-client" })
  // Notifications first: the SDK tries handlers in turn, and the response to the prompt would overtake a late one.
  .onNotification("session/update", ({ params, agent }) => {
    printEvent(traceUpdate(params.update));
    if (step.action === "cancel" && params.update.content?.text === "waiting") {
      return agent.notify("session/cancel", { sessionId: params.sessionId });
    }
  })
  .onNotification("_interop/note", (params) => params, ({ params }) => {
    printEvent({ notification: "_interop/note", n: params.n });
  })
  .onRequest("session/request_permission", async ({ params, agent }) => {
    const options = params.options.map(({ optionId, kind }) => ({ id: optionId, kind }));
    printEvent({ request: "session/request_permission", id: params.toolCall.toolCallId, options });
    if (step.action === "cancel") {
      await agent.notify("session/cancel", { sessionId: params.sessionId });
      return { outcome: { outcome: "cancelled" } };
    }
    return { outcome: { outcome: "selected", optionId: step.action } };
  })
  .onRequest("fs/write_text_file", async ({ params }) => {
    printEvent({ request: "fs/write_text_file", path: shorten(params.path), content: params.content });
    await fs.writeFile(params.path, params.content);
    return {};
  })
  .onRequest("fs/read_text_file", async ({ params: { path, line, limit } }) => {
    printEvent({ request: "fs/read_text_file", path: shorten(path), line, limit });
    const lines = (await fs.readFile(path, "utf8")).split("\n");
    const first = (line ?? 1) - 1;
    return { content: lines.slice(first, first + (limit ?? lines.length)).join("\n") };
  })
  .onRequest("terminal/create", ({ params: { command, args } }) => {
    printEvent({ request: "terminal/create", command, args });
    const terminalId = `terminal-${terminals.size + 1}`;
    terminals.set(terminalId, new Terminal(command, args));
    return { terminalId };
  })
  .onRequest("terminal/wait_for_exit", ({ params }) => {
    printEvent({ request: "terminal/wait_for_exit", id: params.terminalId });
    return terminal(params.terminalId).exit;
  })
  .onRequest("terminal/output", ({ params }) => {
    printEvent({ request: "terminal/output", id: params.terminalId });
    return { output: terminal(params.terminalId).output, truncated: false };
  })
  .onRequest("terminal/release", ({ params }) => {
    printEvent({ request: "terminal/release", id: params.terminalId });
    terminal(params.terminalId).process.kill();
    terminals.delete(params.terminalId);
    return {};
  })
  .onRequest("_interop/echo", (params) => params, ({ params }) => {
    printEvent({ request: "_interop/echo", value: params.value });
    return { value: params.value };
  });

async function conversation(agent) {
  const { protocolVersion, agentCapabilities, agentInfo } = await agent.request("initialize", {
    protocolVersion: acp.PROTOCOL_VERSION,
    clientInfo: { name: "interop-client", version: "1.0.0" },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
  });
  const loadSession = agentCapabilities?.loadSession ?? false;
  print({ call: "initialize", protocolVersion, agent: agentInfo?.name, loadSession });

  const { sessionId } = await agent.request("session/new", { cwd, mcpServers: [] });
  print({ call: "session/new", session: sessionId });

  for (step of STEPS) {
    try {
      const prompt = [{ type: "text", text: step.prompt }];
      const { stopReason } = await agent.request("session/prompt", { sessionId, prompt });
      printEvent({ stop: stopReason });
    } catch (error) {
      if (!(error instanceof acp.RequestError)) throw error;
      printEvent({ error: error.code, message: error.message });
    }
  }

  const { value } = await agent.request("_interop/echo", { value: 7 });
  print({ call: "_interop/echo", value });
}

const STEPS = [
  { prompt: "stream 5" },
  { prompt: "tool" },
  { prompt: "permission", action: "allow" },
  { prompt: "permission", action: "reject" },
  { prompt: "permission", action: "cancel" },
  { prompt: "wait", action: "cancel" },
  { prompt: "write note.txt one\ntwo\nthree\n" },
  { prompt: "read note.txt" },
  { prompt: "terminal" },
  { prompt: "ext" },
  { prompt: "fail" },
  { prompt: "something else" },
];

function traceUpdate(update) {
  const { sessionUpdate, content, toolCallId, title, kind, status, entries } = update;
  switch (sessionUpdate) {
    case "agent_message_chunk":
      return { update: sessionUpdate, text: content.text };
    case "tool_call":
      return { update: sessionUpdate, id: toolCallId, title, kind: kind ?? "other", status: status ?? "pending" };
    case "tool_call_update":
      return { update: sessionUpdate, id: toolCallId, status, content: content?.map(part) };
    case "plan":
      return {
        update: sessionUpdate,
        entries: entries.map(({ content, priority, status }) => ({ content, priority, status })),
      };
    default:
      return { update: sessionUpdate };
  }
}

function part(content) {
  switch (content.type) {
    case "diff":
      return { type: "diff", path: shorten(content.path), oldText: content.oldText, newText: content.newText };
    case "content":
      return { type: "content", text: content.content.text };
    default:
      return { type: content.type };
  }
}

class Terminal {
  output = "";

  constructor(command, args) {
    this.process = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.process.stdout.setEncoding("utf8").on("data", (text) => (this.output += text));
    this.exit = once(this.process, "close").then(([exitCode, signal]) => ({ exitCode, signal }));
  }
}

function terminal(id) {
  const found = terminals.get(id);
  if (!found) throw new acp.RequestError(-32002, `no terminal ${id}`);
  return found;
}

function shorten(path) {
  return path.startsWith(cwd) ? `$CWD${path.slice(cwd.length)}` : path;
}

function printEvent(event) {
  print({ prompt: step.prompt, ...event });
}

function print(event) {
  writeSync(1, `${JSON.stringify(event)}\n`);
}

const [command, ...args] = process.argv.slice(2);
const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
function fail(reason) {
  console.error(`client.mjs: ${reason}`);
  agent.kill("SIGKILL");
  process.exit(1);
}
setTimeout(fail, 30_000, "not done after 30 s").unref();
agent.on("error", (error) => fail(`cannot start ${command}: ${error.message}`));
const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
try {
  await app.connectWith(stream, conversation);
} catch (error) {
  fail(error.stack);
}
agent.stdin.end();
setTimeout(() => agent.kill("SIGKILL"), 2_000).unref();
if (agent.exitCode === null) await once(agent, "exit");
