// The agent of the engine benchmark on the official TypeScript SDK: a prompt is a number, and the agent sends that many updates.

import process from "node:process";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";

const PER_MESSAGE = 1000;
const text = "and then the function returns ";

acp
  .agent({ name: "bench-agent" })
  .onRequest("initialize", () => ({ protocolVersion: acp.PROTOCOL_VERSION }))
  .onRequest("session/set_mode", () => ({}))
  .onRequest("session/prompt", async ({ params, client }) => {
    const count = Number(params.prompt[0].text);
    for (let n = 0; n < count; n++) {
      const messageId = `msg_${Math.floor(n / PER_MESSAGE).toString(16).padStart(8, "0")}`;
      await client.notify("session/update", {
        sessionId: params.sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text }, messageId },
      });
    }
    return { stopReason: "end_turn" };
  })
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
