//! 3.10 Elicitation.

rows! {
    "158" [Agent] Must: "A question is asked in a mode that the client has, and the agent does without if there is \
        none.",
    "159" [Client] Observed: "A question in a mode that the client does not have fails with -32602.",
    "160" [Agent] Must: "What is known of a question belongs to its connection and to a verified person.",
    "161" [Agent] Must: "A form never asks for a secret, not even when a page cannot be shown.",
    "162" [Client] Must: "The person sees who asks, can say no or close, and can look the answer over before it goes.",
    "163" [Client] Must: "A page is opened after the person has seen its whole address and agreed; it is not fetched \
        before, and the model cannot look into it.",
    "164" [Client] Should: "The domain stands out, Punycode is warned of, and no other text is made a link.",
    "165" [Client] Should: "Values are checked against the form before they are sent, and defaults are filled in.",
    "166" [Agent] Should: "The agent checks the values again.",
    "167" [Agent] Must: "The agent copes with a no, a closed question and a failure.",
    "168" [Agent] Must: "No two open pages of a connection have the same id, and the end of one is told to the same \
        client under that id.",
    "169" [Client] Must: "The end of a page that is unknown or over is ignored, and ids are not read.",
    "170" [Agent] Must: "The address of a page has no credentials and no personal data, should be HTTPS, and no token \
        comes back over this connection.",
    "171" [Agent] Must: "Whoever finishes on the page is verified to be whoever was asked.",
    "172" [Agent] Must: "An action that is not known is taken for none that is.",
}
