// The interop agent on the official TypeScript SDK, as described in ../README.md.

import { statSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const sessions = new Map();
let offered = {};

acp
  .agent({ name: "interop-agent" })
  .onRequest("initialize", ({ params }) => {
    offered = params.clientCapabilities ?? {};
    return {
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: "interop-agent", version: "1.0.0" },
      agentCapabilities: { loadSession: false },
    };
  })
  .onRequest("session/new", ({ params }) => {
    if (!path.isAbsolute(params.cwd) || !statSync(params.cwd, { throwIfNoEntry: false })?.isDirectory()) {
      throw new acp.RequestError(-32602, "cwd is not the absolute path of a folder");
    }
    const sessionId = `session-${sessions.size + 1}`;
    sessions.set(sessionId, { cwd: params.cwd, calls: 0, cancel() {} });
    return { sessionId };
  })
  .onRequest("session/prompt", async ({ params, client }) => {
    const session = sessions.get(params.sessionId);
    if (!session) {
      throw acp.RequestError.sessionNotFound(params.sessionId);
    }
    const cancelled = new Promise((resolve) => (session.cancel = resolve));
    const turn = new Turn(params.sessionId, session, client, cancelled);
    const text = params.prompt.find((block) => block.type === "text")?.text ?? "";
    return { stopReason: await turn.run(text) };
  })
  .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.cancel())
  .onRequest("_interop/echo", (params) => params, ({ params }) => ({ value: params.value }))
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

class Turn {
  constructor(sessionId, session, client, cancelled) {
    Object.assign(this, { sessionId, session, client, cancelled });
  }

  async run(text) {
    const [verb, rest] = split(text);
    switch (verb) {
      case "stream":
        for (let n = 0; n < Number(rest); n++) {
          await this.say(`chunk ${n}`);
        }
        return "end_turn";
      case "tool":
        return this.tool();
      case "permission":
        return this.permission();
      case "wait":
        await this.say("waiting");
        await this.cancelled;
        await this.say("stopping");
        return "cancelled";
      case "read":
        return this.read(rest);
      case "write":
        return this.write(...split(rest));
      case "terminal":
        return this.terminal();
      case "ext":
        return this.extension();
      case "fail":
        throw new acp.RequestError(-32603, "failed on purpose");
      default:
        await this.say(text);
        return "end_turn";
    }
  }

  async tool() {
    const toolCallId = await this.startTool("Edit a file");
    await this.update({ sessionUpdate: "tool_call_update", toolCallId, status: "in_progress" });
    await this.update({
      sessionUpdate: "tool_call_update",
      toolCallId,
      status: "completed",
      content: [
        { type: "diff", path: path.join(this.session.cwd, "a.txt"), oldText: "old\n", newText: "new\n" },
        { type: "content", content: { type: "text", text: "edited" } },
      ],
    });
    await this.update({
      sessionUpdate: "plan",
      entries: [
        { content: "first step", priority: "high", status: "completed" },
        { content: "second step", priority: "medium", status: "pending" },
      ],
    });
    return "end_turn";
  }

  async permission() {
    const toolCallId = await this.startTool("Ask first");
    const { outcome } = await this.client.request("session/request_permission", {
      sessionId: this.sessionId,
      toolCall: { toolCallId },
      options: [
        { optionId: "allow", name: "Allow", kind: "allow_once" },
        { optionId: "reject", name: "Reject", kind: "reject_once" },
      ],
    });
    if (outcome.outcome === "cancelled") {
      await this.say("permission: cancelled");
      return "cancelled";
    }
    await this.say(`permission: selected ${outcome.optionId}`);
    return "end_turn";
  }

  async read(name) {
    demand(offered.fs?.readTextFile, "fs/read_text_file");
    const file = { path: path.resolve(this.session.cwd, name), line: 2, limit: 1 };
    const { content } = await this.client.request("fs/read_text_file", { sessionId: this.sessionId, ...file });
    await this.say(content);
    return "end_turn";
  }

  async write(name, content) {
    demand(offered.fs?.writeTextFile, "fs/write_text_file");
    const file = { path: path.resolve(this.session.cwd, name), content };
    await this.client.request("fs/write_text_file", { sessionId: this.sessionId, ...file });
    await this.say("written");
    return "end_turn";
  }

  async terminal() {
    demand(offered.terminal, "terminal/create");
    const command = { command: "echo", args: ["hello"] };
    const terminal = await this.client.createTerminal({ sessionId: this.sessionId, ...command });
    const { exitCode } = await terminal.waitForExit();
    const { output } = await terminal.currentOutput();
    await terminal.release();
    await this.say(`terminal: ${output.trim()} exit ${exitCode}`);
    return "end_turn";
  }

  async extension() {
    const { value } = await this.client.request("_interop/echo", { value: 42 });
    await this.say(`ext: ${value}`);
    await this.client.notify("_interop/note", { n: 1 });
    return "end_turn";
  }

  async startTool(title) {
    const toolCallId = `call-${++this.session.calls}`;
    await this.update({ sessionUpdate: "tool_call", toolCallId, title, kind: "edit", status: "pending" });
    return toolCallId;
  }

  say(text) {
    return this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  update(update) {
    return this.client.notify("session/update", { sessionId: this.sessionId, update });
  }
}

function demand(capability, method) {
  if (!capability) {
    throw new acp.RequestError(-32600, `the client does not offer ${method}`);
  }
}

function split(text) {
  const at = text.indexOf(" ");
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
