//! 3.2 Initialization.

rows! {
    "24" [Client] Must: "`initialize` comes before the first session.",
    "25" [Client] Must: "The client asks for the newest version it can speak.",
    "26" [Client] Should: "The client says its name and version in `clientInfo`.",
    "27" [Agent] Must: "The agent's answer has the version it chose and what it can do.",
    "28" [Agent] Should: "The agent says its name and version in `agentInfo`.",
    "29" [Agent] Must: "A version that the agent speaks is accepted as asked.",
    "30" [Agent] Must: "A version that the agent does not speak is answered with the newest that it does.",
    "31" [Client] Should: "A client that cannot speak the agent's version closes the connection and tells the person.",
    "32" [Both] Must: "From then on both sides keep to the version they agreed on.",
    "33" [Both] Must: "A capability that was not named is not there, and nothing that needs it is sent.",
    "34" [Both] Should: "Each side works with whatever set of capabilities the other one has.",
    "35" [Agent] Must: "Every agent takes text and resource links in prompts.",
    "36" [Agent] Must: "Every agent has `session/new`, `session/prompt`, `session/cancel` and `session/update`.",
    "37" [Client] Should: "The client says whether it has files, terminals, terminal login, elicitation and switches.",
    "38" [Both] Observed: "`elicitation: {}` names no mode and so offers nothing.",
}
