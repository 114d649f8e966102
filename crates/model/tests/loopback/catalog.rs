use std::collections::BTreeMap;

use attache_model::{Protocol, ProviderConfig};
use expect_test::expect;

use super::*;

fn listing() -> Reply {
    Reply::status(
        200,
        r#"{"object":"list","data":[{"id":"qwen3-vl:8b","context_length":32768},{"id":"plain","max_model_len":4096},{"id":""},{"id":7}]}"#,
    )
}

#[tokio::test]
async fn a_compatible_server_is_asked_for_its_models_once() {
    let fake = Fake::start([listing()]).await;
    let environment = Environment {
        ollama_host: Some(fake.url.clone()),
        ..Environment::default()
    };
    let catalog = Catalog::new(&environment);
    assert_eq!(catalog.default_model(), "embedded");
    assert_eq!(catalog.discover().await, []);
    assert_eq!(catalog.discover().await, []);
    assert_eq!(fake.received().len(), 1);
    assert!(fake.received()[0].head.starts_with("GET /v1/models "));
    let infos = catalog.infos();
    let infos: Vec<String> = infos
        .iter()
        .map(|info| format!("{} {} {}", info.id, info.window, info.images))
        .collect();
    expect![[r#"
        [
            "ollama/qwen3-vl:8b 32768 true",
            "ollama/plain 4096 false",
            "embedded 200000 false",
        ]"#]]
    .assert_eq(&format!("{infos:#?}"));
    assert_eq!(catalog.default_model(), "ollama/qwen3-vl:8b");
    let model = catalog
        .open("qwen3-vl:8b")
        .expect("the only server takes any name");
    assert_eq!(model.info().window, 32_768);
}

#[tokio::test]
async fn a_server_that_lists_nothing_is_an_error_and_no_loss() {
    let fake = Fake::start([Reply::status(404, ""), Reply::status(200, "<html>")]).await;
    let environment = Environment {
        openai_url: Some(fake.url.clone()),
        openai_model: Some("small".to_owned()),
        ..Environment::default()
    };
    let catalog = Catalog::new(&environment);
    for expect in [
        expect![[r#"["openai: does not list its models (status 404)"]"#]],
        expect![[r#"["openai: its list of models is not JSON"]"#]],
    ] {
        let errors: Vec<String> = catalog
            .discover()
            .await
            .iter()
            .map(ToString::to_string)
            .collect();
        expect.assert_eq(&format!("{errors:?}"));
    }
    assert_eq!(catalog.default_model(), "openai/small");
}

#[tokio::test]
async fn what_a_client_sets_replaces_the_key_of_the_environment() {
    let fake = Fake::start([Reply::events(&hello())]).await;
    let environment = Environment {
        anthropic_key: Some(KEY.into()),
        ..Environment::default()
    };
    let catalog = Catalog::new(&environment);
    let setting = ProviderConfig {
        protocol: Protocol::Anthropic,
        base_url: format!("{}/anthropic", fake.url),
        headers: BTreeMap::from([("Authorization".to_owned(), "Bearer gateway".to_owned())]),
    };
    catalog.set("anthropic", &setting).expect("set");
    let model = catalog.open("claude-sonnet-5-5").expect("a model");
    say(&*model, question("Hi")).await;
    let head = fake.received()[0].head.to_lowercase();
    assert!(head.starts_with("post /anthropic/v1/messages"), "{head}");
    assert!(head.contains("authorization: bearer gateway"), "{head}");
    assert!(!head.contains(KEY) && !head.contains("x-api-key"), "{head}");
}
