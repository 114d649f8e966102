//! 3.11 Extensibility, providers, MCP over ACP, proxies, subagents.

rows! {
    "173" [Both] Must: "Members of one's own stand in `_meta`, never beside those of the protocol.",
    "174" [Both] Must: "A method of one's own has a name that starts with `_`.",
    "175" [Both] Must: "A request of one's own is answered under its id like any other.",
    "176" [Both] Should: "Features of one's own are announced in the `_meta` of the capabilities.",
    "177" [Both] Should: "In `_meta` the names `traceparent`, `tracestate` and `baggage` are kept for trace context.",
    "178" [Both] Must: "Nothing is taken for granted about what stands in `_meta`.",
    "179" [Agent] Must unstable: "An agent with providers says so with `{}`, keeps a required one enabled (-32602), \
        and neither uses a disabled one nor shows a configuration for it.",
    "180" [Client] Must unstable: "Providers are configured after `initialize`, and best before the first session.",
    "181" [Agent] Should unstable: "A provider's configuration is not written to disk.",
    "182" [Client] Must unstable: "An MCP server over this connection has an id that was not used on it before.",
    "183" [Both] Must unstable: "The answer to `mcp/message` has a result or an error, and not both.",
    "184" [Conductor] Must unstable: "A proxy gets `proxy/initialize`, the agent at the end gets `initialize`.",
    "185" [Proxy] Must unstable: "A proxy passes `initialize` on before it answers, and leaves the version as it is.",
    "186" [Proxy] Should unstable: "A proxy passes on what it does not know, with its metadata.",
    "187" [Both] Must unstable: "Cancelling a request to a successor concerns this hop and no other.",
    "188" [Agent] Must unstable: "A child session is announced by `subagent_update` before anything else of it, and \
        only to a client with `subagents`.",
    "189" [Client] Must unstable: "A child session is acted on only as its `capabilities` allow.",
}
