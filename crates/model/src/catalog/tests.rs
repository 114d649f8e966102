use std::collections::BTreeMap;

use expect_test::{Expect, expect};

use super::*;
use crate::{Protocol, Usage};

fn catalog(variables: &[(&str, &str)]) -> Catalog {
    let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
    Catalog::new(&Environment::read(|name| {
        variables.get(name).map(|value| (*value).to_owned())
    }))
}

fn check(variables: &[(&str, &str)], expect: Expect) {
    let catalog = catalog(variables);
    let mut shown = format!("default {}\n", catalog.default_model());
    for provider in catalog.providers() {
        let current = provider.current.map_or("-".to_owned(), |route| {
            format!("{:?} {}", route.protocol, route.base_url)
        });
        shown.push_str(&format!("{} {current}\n", provider.id));
    }
    for info in catalog.infos() {
        shown.push_str(&format!("  {}\n", info.id));
    }
    expect.assert_eq(&shown);
}

fn open(catalog: &Catalog, id: &str) -> String {
    match catalog.open(id) {
        Ok(model) => model.info().id.clone(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn nothing_is_set() {
    check(
        &[],
        expect![[r#"
        default embedded
        anthropic -
        openai -
        ollama -
        custom -
          embedded
    "#]],
    );
}

#[test]
fn a_key_offers_what_is_known() {
    check(
        &[("ANTHROPIC_API_KEY", "hunter2"), ("OPENAI_API_KEY", " ")],
        expect![[r#"
            default anthropic/claude-sonnet-5-5
            anthropic Anthropic https://api.anthropic.com/
            openai -
            ollama -
            custom -
              anthropic/claude-sonnet-5-5
              anthropic/claude-opus-5-5
              anthropic/claude-fable-5-2
              anthropic/claude-haiku-5-5
              anthropic/claude-opus-5
              anthropic/claude-sonnet-5
              anthropic/claude-haiku-4-5
              embedded
        "#]],
    );
}

#[test]
fn a_server_elsewhere_offers_what_is_named() {
    check(
        &[
            ("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1"),
            ("OPENAI_MODEL", "qwen/qwen3"),
        ],
        expect![[r#"
            default openai/qwen/qwen3
            anthropic -
            openai OpenAi http://127.0.0.1:8080/v1
            ollama -
            custom -
              openai/qwen/qwen3
              embedded
        "#]],
    );
}

#[test]
fn the_person_chooses() {
    check(
        &[
            ("OPENAI_API_KEY", "hunter2"),
            ("ATTACHE_MODEL", "openai/gpt-5.1"),
        ],
        expect![[r#"
            default openai/gpt-5.1
            anthropic -
            openai OpenAi https://api.openai.com/v1
            ollama -
            custom -
              openai/gpt-6.1-sol
              openai/gpt-6-astra
              openai/gpt-6-luna
              openai/gpt-5.1
              openai/gpt-4.1
              embedded
        "#]],
    );
}

#[test]
fn which_provider_a_name_belongs_to() {
    let catalog = catalog(&[
        ("ANTHROPIC_API_KEY", "hunter2"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:8080/v1"),
    ]);
    for (id, expect) in [
        ("embedded", expect!["embedded"]),
        ("claude-opus-5-5", expect!["anthropic/claude-opus-5-5"]),
        ("anthropic/claude-new-9", expect!["anthropic/claude-new-9"]),
        ("qwen/qwen3", expect!["openai/qwen/qwen3"]),
        (
            "openai/anthropic/claude",
            expect!["openai/anthropic/claude"],
        ),
        ("gpt-6-sol", expect!["openai/gpt-6-sol"]),
        (
            "ollama/x",
            expect!["ollama: set OLLAMA_HOST to where Ollama listens, such as 127.0.0.1:11434"],
        ),
        (
            "anthropic/",
            expect![
                "attache: unknown provider for this model; ids look like `anthropic/claude-sonnet-5-5`, `openai/NAME`, `ollama/NAME` and `embedded`"
            ],
        ),
        (
            "",
            expect![
                "attache: unknown provider for this model; ids look like `anthropic/claude-sonnet-5-5`, `openai/NAME`, `ollama/NAME` and `embedded`"
            ],
        ),
    ] {
        expect.assert_eq(&open(&catalog, id));
    }
}

#[test]
fn a_missing_key_is_named() {
    let catalog = catalog(&[]);
    expect!["anthropic requires a valid key: set ANTHROPIC_API_KEY, or choose another model"]
        .assert_eq(&open(&catalog, "claude-opus-5-5"));
    expect!["openai requires a valid key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server without one, or choose another model"].assert_eq(&open(&catalog, "gpt-6-sol"));
    expect!["attache: unknown provider for this model; ids look like `anthropic/claude-sonnet-5-5`, `openai/NAME`, `ollama/NAME` and `embedded`"].assert_eq(&open(&catalog, "qwen3"));
}

#[test]
fn an_address_that_cannot_be_used_is_said_when_it_is_used() {
    let catalog = catalog(&[
        ("ANTHROPIC_API_KEY", "hunter2"),
        ("ANTHROPIC_BASE_URL", "http://proxy.example.com"),
    ]);
    assert_eq!(catalog.default_model(), "embedded");
    expect!["anthropic: its environment variables cannot be used: no key is sent over plain http to a public address; use https, or an address on this machine or in a private network"].assert_eq(&open(&catalog, "claude-opus-5-5"));
}

#[test]
fn a_client_sets_and_disables_providers() {
    let catalog = catalog(&[("ANTHROPIC_API_KEY", "hunter2")]);
    let setting = ProviderConfig {
        protocol: Protocol::OpenAi,
        base_url: "https://gateway.example/v1".to_owned(),
        headers: BTreeMap::from([("Authorization".to_owned(), "Bearer hunter2".to_owned())]),
    };
    assert_eq!(
        catalog.set("nobody", &setting),
        Err(ProviderConfigError::Unknown)
    );
    let provider = "anthropic".to_owned();
    assert_eq!(
        catalog.set("anthropic", &setting),
        Err(ProviderConfigError::Protocol { provider })
    );
    assert_eq!(catalog.set("custom", &setting), Ok(()));
    assert_eq!(open(&catalog, "custom/any"), "custom/any");
    catalog.disable("anthropic");
    catalog.disable("nobody");
    expect!["anthropic: the client has disabled it; enable it there, or choose another model"]
        .assert_eq(&open(&catalog, "anthropic/claude-opus-5-5"));
    let current: Vec<bool> = catalog
        .providers()
        .iter()
        .map(|provider| provider.current.is_some())
        .collect();
    assert_eq!(current, [false, false, false, true]);
    assert_eq!(catalog.clone().providers(), catalog.providers());
}

#[test]
fn no_secret_shows() {
    let environment = Environment {
        anthropic_key: Some("hunter22".into()),
        openai_key: Some("hunter22".into()),
        ..Environment::default()
    };
    let catalog = Catalog::new(&environment);
    let setting = ProviderConfig {
        protocol: Protocol::OpenAi,
        base_url: "https://me:hunter22@a.example".to_owned(),
        headers: BTreeMap::from([("X-Key".to_owned(), "hunter22".to_owned())]),
    };
    let error = catalog.set("custom", &setting);
    let model = catalog.open("claude-opus-5-5");
    let printed = format!("{environment:?} {catalog:?} {setting:?} {error:?} {model:?}");
    assert!(!printed.contains("hunter22"), "{printed}");
}

#[test]
fn a_model_of_ones_own_is_offered() {
    let catalog = catalog(&[]);
    catalog.add(Arc::new(crate::scripted::ScriptedModel::new([])));
    assert_eq!(open(&catalog, "scripted"), "scripted");
    assert!(catalog.infos().iter().any(|info| info.id == "scripted"));
}

#[test]
fn what_an_answer_costs() {
    let info = model_table::info(
        "anthropic",
        crate::wire::WireFormat::Messages,
        "claude-sonnet-5-5",
    );
    let usage = Usage {
        input: 1_000_000,
        output: 100_000,
        thought: 50_000,
        cache_read: 1_000_000,
        cache_write: 100_000,
    };
    let cost = info.price.map(|price| price.cost(&usage));
    assert_eq!(cost, Some(2.0 + 1.0 + 0.2 + 0.25));
}
