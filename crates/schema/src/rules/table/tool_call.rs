//! 3.7 Tool calls, permissions, plans.

rows! {
    "118" [Agent] Should: "A tool call is reported as soon as the model makes it.",
    "119" [Agent] Observed: "No two tool calls of a session have the same id.",
    "120" [Agent] Observed: "An update of a tool call has what changed; its lists replace those before.",
    "121" [Agent] Should: "With permission the tool runs, and its call is reported as in progress.",
    "122" [Agent] May: "The agent can ask for permission before a tool runs.",
    "123" [Client] May: "The client can answer for the person by the person's settings.",
    "124" [Client] Must: "A permission request of a cancelled turn is answered with `cancelled`.",
    "125" [Client] Observed: "The option that was selected is one of those offered.",
    "126" [Agent] Should: "A tool's name stands in the first report if it is known, and changes only to be put right.",
    "127" [Agent] Should: "A plan that the model makes is reported.",
    "128" [Agent] Must: "A plan is sent whole each time.",
    "129" [Client] Must: "A plan that comes in replaces the one before.",
    "130" [Agent] Must unstable: "Plans with ids need the client's `plan`; without it the agent sends `plan`.",
}
