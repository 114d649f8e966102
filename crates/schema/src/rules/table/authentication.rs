//! 3.3 Authentication.

rows! {
    "39" [Agent] Observed: "The ways to log in stand in `authMethods`; one without a type is the agent's own.",
    "40" [Agent] Must: "A login in a terminal is offered only to a client with `auth.terminal`.",
    "41" [Client] Must: "A login in a terminal is never started through `authenticate`.",
    "42" [Client] Observed: "`auth.terminal` means that the client can run the agent's command again for a person to \
        use.",
    "43" [Client] Observed: "A terminal login runs the same command with `args` behind it and `env` over it; \
        exit code 0 means success, and the client then connects anew.",
    "44" [Agent] Should: "The arguments of a terminal login lead to a login and to nothing else, and the program \
        then ends.",
    "45" [Client] Must: "`logout` is called only if the agent has `auth.logout`.",
    "46" [Agent] Observed: "Once `authenticate` went well, new sessions do not fail for want of a login.",
    "47" [Agent] Observed: "Once `logout` went well, new sessions that need a login ask for it again.",
    "48" [Client] Should: "After a logout the client is prepared for running sessions to fail.",
    "49" [Agent] Must unstable: "`auth/status` changes nothing and never fails with -32000.",
    "50" [Client] Must unstable: "A login state that is not known counts as `unknown`, and account data is neither \
        an id nor fit for a log.",
    "51" [Agent] Should unstable: "`auth/status_update` comes only when the state has changed, and only with \
        `auth.status`.",
}
