"""The interop agent on the official Python SDK, as described in ../README.md."""

import asyncio
import os

import acp
from acp.schema import AgentCapabilities, Implementation, PermissionOption, ToolCallUpdate


class InteropAgent(acp.Agent):
    def __init__(self):
        self.sessions = {}
        self.offered = None

    def on_connect(self, conn):
        self.client = conn

    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **_):
        self.offered = client_capabilities
        return acp.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=Implementation(name="interop-agent", version="1.0.0"),
            agent_capabilities=AgentCapabilities(load_session=False),
        )

    async def new_session(self, cwd, **_):
        if not os.path.isabs(cwd) or not os.path.isdir(cwd):
            raise acp.RequestError(-32602, "cwd is not the absolute path of a folder")
        session_id = f"session-{len(self.sessions) + 1}"
        self.sessions[session_id] = Session(session_id, cwd)
        return acp.NewSessionResponse(session_id=session_id)

    async def prompt(self, session_id, prompt, **_):
        session = self.sessions.get(session_id)
        if session is None:
            raise acp.RequestError(-32002, "Resource not found", {"sessionId": session_id})
        session.cancelled = asyncio.Event()
        text = next((block.text for block in prompt if block.type == "text"), "")
        stop_reason = await Turn(self.client, self.offered, session).run(text)
        return acp.PromptResponse(stop_reason=stop_reason)

    async def cancel(self, session_id, **_):
        if session := self.sessions.get(session_id):
            session.cancelled.set()

    async def ext_method(self, method, params):
        # The SDK removes the leading `_` from incoming names and adds it to outgoing ones.
        if method != "interop/echo":
            raise acp.RequestError.method_not_found(f"_{method}")
        return {"value": params["value"]}


class Session:
    def __init__(self, session_id, cwd):
        self.id = session_id
        self.cwd = cwd
        self.calls = 0
        self.cancelled = asyncio.Event()


class Turn:
    def __init__(self, client, offered, session):
        self.client = client
        self.offered = offered
        self.session = session

    async def run(self, text):
        verb, _, rest = text.partition(" ")
        match verb:
            case "stream":
                for n in range(int(rest)):
                    await self.say(f"chunk {n}")
            case "tool":
                await self.tool()
            case "permission":
                return await self.permission()
            case "wait":
                await self.say("waiting")
                await self.session.cancelled.wait()
                await self.say("stopping")
                return "cancelled"
            case "read":
                await self.read(rest)
            case "write":
                name, _, content = rest.partition(" ")
                await self.write(name, content)
            case "terminal":
                await self.terminal()
            case "ext":
                await self.extension()
            case "fail":
                raise acp.RequestError(-32603, "failed on purpose")
            case _:
                await self.say(text)
        return "end_turn"

    async def tool(self):
        call = await self.start_tool("Edit a file")
        await self.update(acp.update_tool_call(call, status="in_progress"))
        path = os.path.join(self.session.cwd, "a.txt")
        diff = acp.tool_diff_content(path, new_text="new\n", old_text="old\n")
        text = acp.tool_content(acp.text_block("edited"))
        await self.update(acp.update_tool_call(call, status="completed", content=[diff, text]))
        first = acp.plan_entry("first step", priority="high", status="completed")
        second = acp.plan_entry("second step", priority="medium", status="pending")
        await self.update(acp.update_plan([first, second]))

    async def permission(self):
        call = await self.start_tool("Ask first")
        answer = await self.client.request_permission(
            session_id=self.session.id,
            tool_call=ToolCallUpdate(tool_call_id=call),
            options=[
                PermissionOption(option_id="allow", name="Allow", kind="allow_once"),
                PermissionOption(option_id="reject", name="Reject", kind="reject_once"),
            ],
        )
        if answer.outcome.outcome == "cancelled":
            await self.say("permission: cancelled")
            return "cancelled"
        await self.say(f"permission: selected {answer.outcome.option_id}")
        return "end_turn"

    async def read(self, name):
        fs = self.offered and self.offered.fs
        demand(fs and fs.read_text_file, "fs/read_text_file")
        path = os.path.join(self.session.cwd, name)
        file = await self.client.read_text_file(session_id=self.session.id, path=path, line=2, limit=1)
        await self.say(file.content)

    async def write(self, name, content):
        fs = self.offered and self.offered.fs
        demand(fs and fs.write_text_file, "fs/write_text_file")
        path = os.path.join(self.session.cwd, name)
        await self.client.write_text_file(session_id=self.session.id, path=path, content=content)
        await self.say("written")

    async def terminal(self):
        demand(self.offered and self.offered.terminal, "terminal/create")
        session_id = self.session.id
        created = await self.client.create_terminal(session_id=session_id, command="echo", args=["hello"])
        terminal = {"session_id": session_id, "terminal_id": created.terminal_id}
        ended = await self.client.wait_for_terminal_exit(**terminal)
        printed = await self.client.terminal_output(**terminal)
        await self.client.release_terminal(**terminal)
        await self.say(f"terminal: {printed.output.strip()} exit {ended.exit_code}")

    async def extension(self):
        answer = await self.client.ext_method("interop/echo", {"value": 42})
        await self.say(f"ext: {answer['value']}")
        await self.client.ext_notification("interop/note", {"n": 1})

    async def start_tool(self, title):
        self.session.calls += 1
        call = f"call-{self.session.calls}"
        await self.update(acp.start_tool_call(call, title, kind="edit", status="pending"))
        return call

    async def say(self, text):
        await self.update(acp.update_agent_message_text(text))

    async def update(self, update):
        await self.client.session_update(session_id=self.session.id, update=update)


def demand(capability, method):
    if not capability:
        raise acp.RequestError(-32600, f"the client does not offer {method}")


if __name__ == "__main__":
    asyncio.run(acp.run_agent(InteropAgent()))
