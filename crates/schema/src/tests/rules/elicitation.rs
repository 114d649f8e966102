//! Elicitations.

use expect_test::expect;

use super::{check, clean};

const FORM: &str = r#"agent elicitation/create {"mode":"form","sessionId":"s","message":"m","requestedSchema":{"properties":{"name":{"type":"string"}}}}"#;
const PAGE: &str = r#"agent elicitation/create {"mode":"url","sessionId":"s","message":"m","elicitationId":"e","url":"https://a.example/login"}"#;

#[test]
fn an_elicitation_uses_an_advertised_mode() {
    check(
        &format!(
            r#"
            {FORM}
            client = {{"action":"decline"}}
            client has {{"elicitation":{{}}}}
            {FORM}
            client ! {{"code":-32602,"message":"Invalid params"}}
            client has {{"elicitation":{{"form":{{}}}}}}
            {PAGE}
            client ! {{"code":-32602,"message":"Invalid params"}}
            agent elicitation/create {{"mode":"voice","sessionId":"s","message":"m"}}
            client has {{"elicitation":{{"url":{{}}}}}}
            {FORM}
            client has {{"elicitation":{{"form":{{}},"url":{{}}}}}}
            {FORM}
            client = {{"action":"decline"}}
            {PAGE}
            client = {{"action":"accept"}}
            "#
        ),
        expect![[r#"
            elicitation/create params.mode: needs clientCapabilities.elicitation.form, which was not advertised; do not send it (rule 158, MUST)
            elicitation/create result: the mode was not advertised; answer with an error (-32602) (rule 159, observed)
            elicitation/create params.mode: clientCapabilities.elicitation names no mode, so it offers none; do not ask (rule 38, observed)
            elicitation/create params.mode: needs clientCapabilities.elicitation.form, which was not advertised; do not send it (rule 158, MUST)
            elicitation/create params.mode: needs clientCapabilities.elicitation.url, which was not advertised; do not send it (rule 158, MUST)
            elicitation/create params.mode: needs a capability for this mode, which was not advertised; do not send it (rule 158, MUST)
            elicitation/create params.mode: needs clientCapabilities.elicitation.form, which was not advertised; do not send it (rule 158, MUST)
        "#]],
    );
}

#[test]
fn a_form_does_not_ask_for_secrets() {
    check(
        r#"
        client has {"elicitation":{"form":{}}}
        agent elicitation/create {"mode":"form","sessionId":"s","message":"m","requestedSchema":{"properties":{"API_KEY":{"type":"string"},"a":{"type":"string","title":"Your password"},"accessToken":{"type":"string"},"b":{"type":"string","format":"password"},"max_tokens":{"type":"integer"},"pin":{"type":"string"},"tokenizer":{"type":"string"},"token_kind":{"type":"string","enum":["bot","user"]}}}}
        "#,
        expect![[r#"
            elicitation/create params.requestedSchema.properties[0]: seems to ask for a secret; ask for it on a page (mode url) (rule 161, SHOULD)
            elicitation/create params.requestedSchema.properties[1]: seems to ask for a secret; ask for it on a page (mode url) (rule 161, SHOULD)
            elicitation/create params.requestedSchema.properties[2]: seems to ask for a secret; ask for it on a page (mode url) (rule 161, SHOULD)
            elicitation/create params.requestedSchema.properties[3]: seems to ask for a secret; ask for it on a page (mode url) (rule 161, SHOULD)
            elicitation/create params.requestedSchema.properties[5]: seems to ask for a secret; ask for it on a page (mode url) (rule 161, SHOULD)
        "#]],
    );
}

#[test]
fn a_url_is_https_and_has_no_credentials() {
    let page = |url: &str| {
        format!(
            r#"
            agent elicitation/create {{"mode":"url","requestId":1,"message":"m","elicitationId":"e","url":"{url}"}}
            client = {{"action":"cancel"}}
            "#
        )
    };
    let pages = |urls: &[&str]| -> String {
        let pages: String = urls.iter().map(|url| page(url)).collect();
        format!("client has {{\"elicitation\":{{\"url\":{{}}}}}}\n{pages}")
    };
    check(
        &pages(&[
            "http://a.example",
            "a.example",
            "file://localhost/a",
            "https://ann:pw@a.example/",
            "https://a.example/?access_token=1",
            "https://a.example/#token=1",
        ]),
        expect![[r#"
            elicitation/create params.url: the URL is not HTTPS; use HTTPS (rule 170, SHOULD)
            elicitation/create params.url: the URL is not HTTPS; use HTTPS (rule 170, SHOULD)
            elicitation/create params.url: the URL is not HTTPS; use HTTPS (rule 170, SHOULD)
            elicitation/create params.url: the URL has credentials before its host; omit them (rule 170, MUST)
            elicitation/create params.url: the URL seems to have a secret among its parameters; omit it (rule 170, SHOULD)
            elicitation/create params.url: the URL seems to have a secret among its parameters; omit it (rule 170, SHOULD)
        "#]],
    );
    clean(&pages(&[
        "https://a.example/?state=1&mail=ann@b.example",
        "HTTPS://a.example",
        "http://localhost:8080/a",
        "http://127.0.0.1",
        "http://[::1]:1",
    ]));
}

#[test]
fn only_a_requested_page_can_complete() {
    check(
        &format!(
            r#"
            client has {{"elicitation":{{"url":{{}}}}}}
            agent elicitation/complete {{"elicitationId":"e"}}
            {PAGE}
            client = {{"action":"decline"}}
            agent elicitation/complete {{"elicitationId":"e"}}
            agent elicitation/complete {{"elicitationId":"f"}}
            "#
        ),
        expect![[r#"
            elicitation/complete params.elicitationId: no page with this id was requested; send the id of a requested page (rule 168, MUST)
            elicitation/complete params.elicitationId: no page with this id was requested; send the id of a requested page (rule 168, MUST)
        "#]],
    );
}

#[test]
fn beyond_the_page_limit_no_page_is_unknown() {
    let ask = |id: usize| {
        format!(
            r#"agent elicitation/create {{"mode":"url","message":"m","sessionId":"s","elicitationId":"{id}","url":"https://a.example"}}
            client = {{"action":"decline"}}
            "#
        )
    };
    let pages: String = (0..5000).map(ask).collect();
    clean(&format!(
        r#"
        client has {{"elicitation":{{"url":{{}}}}}}
        {pages}
        agent elicitation/complete {{"elicitationId":"4999"}}
        agent elicitation/complete {{"elicitationId":"other"}}
        "#
    ));
}

#[test]
fn open_pages_have_unique_ids() {
    check(
        &format!(
            r#"
            client has {{"elicitation":{{"url":{{}}}}}}
            {PAGE}
            {PAGE}
            client = {{"action":"accept"}}
            {PAGE}
            agent elicitation/complete {{"elicitationId":"e"}}
            {PAGE}
            client = {{"action":"decline"}}
            {PAGE}
            "#
        ),
        expect![[r#"
            elicitation/create params.elicitationId: another open page has this id; make a new one (rule 168, MUST)
            elicitation/create params.elicitationId: another open page has this id; make a new one (rule 168, MUST)
        "#]],
    );
}

#[test]
fn the_response_matches_the_form() {
    let form = r#"
        client has {"elicitation":{"form":{}}}
        agent elicitation/create {"mode":"form","sessionId":"s","message":"m","requestedSchema":{"required":["a"],"properties":{"a":{"type":"string","minLength":2,"maxLength":3},"b":{"type":"integer","minimum":1,"maximum":2},"c":{"type":"number","minimum":0.5},"d":{"type":"boolean"},"e":{"type":"array","maxItems":1,"items":{"type":"string","enum":["x","y"]}},"f":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}},"g":{"type":"string","enum":["x"]},"h":{"type":"string","oneOf":[{"const":"x","title":"X"}]},"i":{"type":"colour"}}}}
    "#;
    clean(&format!(
        r#"{form}
        client = {{"action":"accept","content":{{"a":"äö","b":2,"c":1,"d":false,"e":["y"],"f":["x"],"g":"x","h":"x","i":"red"}}}}"#
    ));
    check(
        &format!(
            r#"{form}
            client = {{"action":"accept","content":{{"a":"a","b":3,"c":0.25,"d":"no","e":["x","y"],"f":["z"],"g":"y","h":"y","sessionId":""}}}}"#
        ),
        expect![[r#"
            elicitation/create result.content[0]: the value does not fit its field; check it before sending (rule 165, SHOULD)
            elicitation/create result.content[1]: the value does not fit its field; check it before sending (rule 165, SHOULD)
            elicitation/create result.content[2]: the value does not fit its field; check it before sending (rule 165, SHOULD)
            elicitation/create result.content[3]: the value does not fit its field; check it before sending (rule 165, SHOULD)
            elicitation/create result.content[4]: the value does not fit its field; check it before sending (rule 165, SHOULD)
            elicitation/create result.content[5]: the value does not fit its field; check it before sending (rule 165, SHOULD)
            elicitation/create result.content[6]: the value does not fit its field; check it before sending (rule 165, SHOULD)
            elicitation/create result.content[7]: the value does not fit its field; check it before sending (rule 165, SHOULD)
            elicitation/create result.content[8]: the form has no such field; leave the value out (rule 165, SHOULD)
        "#]],
    );
    check(
        &format!("{form}\nclient = {{\"action\":\"accept\"}}"),
        expect![[r#"
            elicitation/create result.content: a required field has no value; ask for it before sending (rule 165, SHOULD)
        "#]],
    );
}
