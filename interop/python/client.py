"""The interop client on the official Python SDK: python client.py AGENT [ARGUMENT…]

What it sends and prints is in ../README.md.
"""

import asyncio
import json
import os
import sys
import traceback

import acp
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    Implementation,
)

CWD = os.getcwd()

STEPS = [
    ("stream 5", None),
    ("tool", None),
    ("permission", "allow"),
    ("permission", "reject"),
    ("permission", "cancel"),
    ("wait", "cancel"),
    ("write note.txt one\ntwo\nthree\n", None),
    ("read note.txt", None),
    ("terminal", None),
    ("ext", None),
    ("fail", None),
    ("something else", None),
]


async def conversation(client, agent):
    answer = await agent.initialize(
        protocol_version=acp.PROTOCOL_VERSION,
        client_info=Implementation(name="interop-client", version="1.0.0"),
        client_capabilities=ClientCapabilities(
            fs=FileSystemCapabilities(read_text_file=True, write_text_file=True),
            terminal=True,
        ),
    )
    show(
        call="initialize",
        protocolVersion=answer.protocol_version,
        agent=answer.agent_info and answer.agent_info.name,
        loadSession=bool(answer.agent_capabilities and answer.agent_capabilities.load_session),
    )
    session_id = (await agent.new_session(cwd=CWD, mcp_servers=[])).session_id
    show(call="session/new", session=session_id)
    for client.prompt, client.action in STEPS:
        try:
            turn = await agent.prompt(session_id=session_id, prompt=[acp.text_block(client.prompt)])
            client.print_event(stop=turn.stop_reason)
        except acp.RequestError as error:
            client.print_event(error=error.code, message=str(error))
    answer = await agent.ext_method("interop/echo", {"value": 7})
    show(call="_interop/echo", value=answer["value"])


class InteropClient(acp.Client):
    def __init__(self):
        self.prompt = None
        self.action = None
        self.terminals = {}

    def on_connect(self, conn):
        self.agent = conn

    async def session_update(self, session_id, update, **_):
        self.print_event(**trace_update(update))
        if self.action == "cancel" and text_of(update) == "waiting":
            await self.agent.cancel(session_id=session_id)

    async def request_permission(self, session_id, tool_call, options, **_):
        offered = [{"id": option.option_id, "kind": option.kind} for option in options]
        self.print_event(request="session/request_permission", id=tool_call.tool_call_id, options=offered)
        if self.action == "cancel":
            await self.agent.cancel(session_id=session_id)
            return acp.RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=self.action)
        return acp.RequestPermissionResponse(outcome=outcome)

    async def write_text_file(self, session_id, path, content, **_):
        self.print_event(request="fs/write_text_file", path=shorten(path), content=content)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(content)
        return acp.WriteTextFileResponse()

    async def read_text_file(self, session_id, path, line=None, limit=None, **_):
        self.print_event(request="fs/read_text_file", path=shorten(path), line=line, limit=limit)
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
        first = (line or 1) - 1
        last = len(lines) if limit is None else first + limit
        return acp.ReadTextFileResponse(content="\n".join(lines[first:last]))

    async def create_terminal(self, session_id, command, args=None, **_):
        self.print_event(request="terminal/create", command=command, args=args)
        process = await asyncio.create_subprocess_exec(
            command, *(args or []), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
        )
        terminal_id = f"terminal-{len(self.terminals) + 1}"
        self.terminals[terminal_id] = Terminal(process)
        return acp.CreateTerminalResponse(terminal_id=terminal_id)

    async def wait_for_terminal_exit(self, session_id, terminal_id, **_):
        self.print_event(request="terminal/wait_for_exit", id=terminal_id)
        terminal = self.terminals[terminal_id]
        await terminal.reader
        return acp.WaitForTerminalExitResponse(exit_code=await terminal.process.wait())

    async def terminal_output(self, session_id, terminal_id, **_):
        self.print_event(request="terminal/output", id=terminal_id)
        return acp.TerminalOutputResponse(output=self.terminals[terminal_id].output.decode(), truncated=False)

    async def release_terminal(self, session_id, terminal_id, **_):
        self.print_event(request="terminal/release", id=terminal_id)
        process = self.terminals.pop(terminal_id).process
        if process.returncode is None:
            process.kill()
        return acp.ReleaseTerminalResponse()

    async def ext_method(self, method, params):
        # The SDK removes the leading `_` from incoming names and adds it to outgoing ones.
        self.print_event(request=f"_{method}", value=params.get("value"))
        if method != "interop/echo":
            raise acp.RequestError.method_not_found(f"_{method}")
        return {"value": params["value"]}

    async def ext_notification(self, method, params):
        self.print_event(notification=f"_{method}", n=params.get("n"))

    def print_event(self, **event):
        show(prompt=self.prompt, **event)


class Terminal:
    def __init__(self, process):
        self.process = process
        self.output = b""
        self.reader = asyncio.create_task(self.read())

    async def read(self):
        while data := await self.process.stdout.read(4096):
            self.output += data


def trace_update(update):
    event = {"update": update.session_update}
    match update.session_update:
        case "agent_message_chunk":
            event["text"] = text_of(update)
        case "tool_call":
            event["id"] = update.tool_call_id
            event["title"] = update.title
            event["kind"] = update.kind or "other"
            event["status"] = update.status or "pending"
        case "tool_call_update":
            event["id"] = update.tool_call_id
            event["status"] = update.status
            if update.content is not None:
                event["content"] = [part(content) for content in update.content]
        case "plan":
            event["entries"] = [
                {"content": entry.content, "priority": entry.priority, "status": entry.status}
                for entry in update.entries
            ]
    return event


def part(content):
    match content.type:
        case "diff":
            return {
                "type": "diff",
                "path": shorten(content.path),
                "oldText": content.old_text,
                "newText": content.new_text,
            }
        case "content":
            return {"type": "content", "text": content.content.text}
        case other:
            return {"type": other}


def text_of(update):
    return getattr(getattr(update, "content", None), "text", None)


def shorten(path):
    return f"$CWD{path[len(CWD):]}" if path.startswith(CWD) else path


def show(**event):
    print(json.dumps(event, ensure_ascii=False, separators=(",", ":")), flush=True)


async def main(command):
    client = InteropClient()
    # Without these two, the SDK captures the agent's stderr and hides most of the environment.
    inherited = {"env": os.environ, "transport_kwargs": {"stderr": None}}
    async with acp.spawn_agent_process(client, *command, **inherited) as (agent, _):
        await asyncio.wait_for(conversation(client, agent), timeout=30)


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1:]))
    except asyncio.TimeoutError:
        sys.exit("client.py: not done after 30 s")
    except Exception:
        sys.exit(f"client.py: {traceback.format_exc().rstrip()}")
