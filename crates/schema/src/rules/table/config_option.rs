//! 3.9 Modes, config options, commands.

rows! {
    "143" [Agent] May: "The answer to a session's setup can have modes.",
    "144" [Client] Observed: "The mode that is set is one of those available; it can be set at any time.",
    "145" [Agent] Observed: "A mode that the agent changes itself is announced in `currentModeId`.",
    "146" [Client] Should: "Where there are config options, the client uses them and leaves the modes alone.",
    "147" [Agent] Should: "For now an agent offers modes as config options and as modes, and both say the same.",
    "148" [Agent] Must: "Switches are offered only to a client with `session.configOptions.boolean`.",
    "149" [Client] Must: "Nothing depends on an option's category, which can be missing or new.",
    "150" [Agent] Must: "Each option has a present value from the start.",
    "151" [Client] Should: "An option of a type that is not known is passed over.",
    "152" [Client] Should: "Options are shown in the order they came in.",
    "153" [Agent] Must: "The answer to `session/set_config_option` has all options.",
    "154" [Agent] Observed: "`config_option_update` has all options.",
    "155" [Both] Observed: "A category of one's own starts with `_`; all other names belong to the protocol.",
    "156" [Agent] May: "Commands can be announced after setup and changed at any time.",
    "157" [Client] Observed: "A command is run by a prompt that starts with `/` and its name.",
}
