//! The chapters of the book. Start with the [first page](crate).

#[allow(unused_imports, reason = "the links of the chapters")]
use crate::*;

macro_rules! chapters {
    ($($name:ident = $file:literal;)*) => {
        $(
            #[doc = include_str!($file)]
            pub mod $name {}
        )*
    };
}

chapters! {
    turns = "../docs/book/turns.md";
    sessions = "../docs/book/sessions.md";
    ordering = "../docs/book/ordering.md";
    cancellation = "../docs/book/cancellation.md";
    permissions = "../docs/book/permissions.md";
    errors = "../docs/book/errors.md";
    limits = "../docs/book/limits.md";
    extensions = "../docs/book/extensions.md";
    proxies = "../docs/book/proxies.md";
    logging = "../docs/book/logging.md";
    testing = "../docs/book/testing.md";
    dialects = "../docs/book/dialects.md";
    migration = "../docs/book/migration.md";
}
