//! No `mod.rs`: a module's file has the module's name.

use super::Violation;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    tree.files
        .iter()
        .filter_map(|file| {
            let folder = file.path.strip_suffix("/mod.rs")?;
            let message = format!("a module called mod.rs; move it to {folder}.rs");
            Some(Violation::new(&file.path, 1, message))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::fixture;

    #[test]
    fn a_mod_rs_is_named() {
        fixture::check(
            super::check,
            "
//- crates/rpc/src/json/mod.rs
//- crates/rpc/src/json_mod.rs
",
            expect![[r#"
                crates/rpc/src/json/mod.rs:1: a module called mod.rs; move it to crates/rpc/src/json.rs
            "#]],
        );
    }
}
