//! 3.6 Prompt turn and cancellation.

rows! {
    "95" [Client] Must: "A prompt goes to a session that has been set up on an initialized connection.",
    "96" [Client] Must: "A prompt has only the kinds of content that `promptCapabilities` names.",
    "97" [Agent] Must: "A turn without open tool calls ends with a result that has a stop reason.",
    "98" [Agent] May: "An agent can stop whenever it needs to, with the reason that fits.",
    "99" [Agent] May: "Chunks can name the message they belong to; another id starts another message.",
    "100" [Client] Must: "Message ids are compared and not read.",
    "101" [Agent] May: "`usage_update` can come at any time with `used` and `size`; a cost has an amount and a \
        currency.",
    "102" [Client] May: "A turn can be cancelled for as long as it runs.",
    "103" [Client] Should: "After a cancel the client shows the turn's unfinished tool calls as cancelled.",
    "104" [Client] Must: "After a cancel each open permission request is answered with `cancelled`.",
    "105" [Agent] Should: "A cancel stops the model and the tools without delay.",
    "106" [Agent] Must: "A cancelled turn ends with the stop reason `cancelled` once everything is sent.",
    "107" [Agent] Must: "A cancelled prompt does not fail because something in it was aborted.",
    "108" [Agent] Must: "What is still to say after a cancel is said before the prompt is answered.",
    "109" [Client] Should: "The client goes on taking tool updates after a cancel.",
    "110" [Both] Must: "A request that `$/cancel_request` ends is answered all the same, with a result or -32800.",
    "111" [Both] May: "Work below a cancelled request can be cancelled, and its notifications sent, before the answer.",
    "112" [Both] Should: "A request that the receiver gives up by itself fails with -32800.",
    "113" [Both] Observed: "A notification whose name starts with `$/` can be ignored.",
    "114" [Agent] Must: "Compaction updates need the client's `session.compaction`, notices its `session.notices`.",
    "115" [Agent] Must: "A compaction that has begun ends once, in one final status, and its chunks come before that.",
    "116" [Agent] Must: "Nothing that matters for results, rights or fatal errors is said in a notice alone.",
    "117" [Client] Should: "Text is shown as Markdown.",
}
