"""The agent of the engine benchmark on the official Python SDK: a prompt is a number, and the agent sends that many updates."""

import asyncio

import acp
from acp.schema import AgentMessageChunk, TextContentBlock

PER_MESSAGE = 1000
TEXT = "and then the function returns "


class BenchAgent(acp.Agent):
    def on_connect(self, conn):
        self.client = conn

    async def initialize(self, protocol_version, **_):
        return acp.InitializeResponse(protocol_version=acp.PROTOCOL_VERSION)

    async def prompt(self, session_id, prompt, **_):
        for n in range(int(prompt[0].text)):
            update = AgentMessageChunk(
                session_update="agent_message_chunk",
                content=TextContentBlock(type="text", text=TEXT),
                message_id=f"msg_{n // PER_MESSAGE:08x}",
            )
            await self.client.session_update(session_id, update)
        return acp.PromptResponse(stop_reason="end_turn")


if __name__ == "__main__":
    asyncio.run(acp.run_agent(BenchAgent()))
