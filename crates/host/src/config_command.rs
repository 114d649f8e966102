//! The command that adds to a list in the user's configuration, for the user to copy from a hint.

use attache_text::shell;

/// The command `attache config set KEY '["…"]'`, with what the list contains already and what is added.
pub(crate) fn adding_to_list(key: &str, listed: &[String], added: &[&str]) -> String {
    let all = listed
        .iter()
        .map(String::as_str)
        .chain(added.iter().copied());
    let all: Vec<&str> = all.collect();
    let list = serde_json::Value::from(all).to_string();
    format!("attache config set {key} {}", shell::quote(&list))
}

#[cfg(test)]
mod tests {
    use super::adding_to_list;

    #[test]
    fn what_is_listed_stays_and_quotes_do_no_harm() {
        let listed = ["/a b".to_owned()];
        assert_eq!(
            adding_to_list("sandbox.write", &listed, &["/it's"]),
            r#"attache config set sandbox.write '["/a b","/it'\''s"]'"#
        );
    }
}
