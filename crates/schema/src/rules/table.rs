//! All rules of the conformance checklist, in its order, and our own bounds behind them.

use super::{Level, Rule, RuleTarget};
use crate::method::Stability;

/// A line for each rule: its number, whom it binds, its level, and what it says.
macro_rules! rows {
    ($($number:literal [$($tag:ident)+] $level:ident $($stability:ident)?: $text:literal,)*) => {
        pub(super) const RULES: &[super::Rule] = &[$(
            super::Rule {
                number: $number,
                targets: &[$(super::RuleTarget::$tag),+],
                level: super::Level::$level,
                stability: rows! { @stability $($stability)? },
                text: $text,
            },
        )*];
    };
    (@stability) => { super::Stability::Stable };
    (@stability unstable) => { super::Stability::Unstable };
}

mod authentication;
mod bounds;
mod config_option;
mod elicitation;
mod extension;
mod framing;
mod host;
mod initialization;
mod session_catalog;
mod session_setup;
mod tool_call;
mod turn;

/// The rules of the conformance checklist, in its order.
pub static RULES: &[Rule] = ALL.split_at(ALL.len() - bounds::RULES.len()).0;

/// Our own bounds, which the protocol does not know; all of them are recommendations.
pub static BOUNDS: &[Rule] = bounds::RULES;

pub(super) static ALL: &[Rule] = &joined::<{ length() }>();

/// Where a number stands in the table, or just behind its end.
pub(super) const fn position(number: &str) -> usize {
    let mut at = 0;
    while at < ALL.len() && !equal(ALL[at].number, number) {
        at += 1;
    }
    at
}

const fn equal(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

const fn length() -> usize {
    let (mut total, mut section) = (0, 0);
    while section < SECTIONS.len() {
        total += SECTIONS[section].len();
        section += 1;
    }
    total
}

const fn joined<const LENGTH: usize>() -> [Rule; LENGTH] {
    let mut all = [SECTIONS[0][0]; LENGTH];
    let (mut next, mut section) = (0, 0);
    while section < SECTIONS.len() {
        let mut row = 0;
        while row < SECTIONS[section].len() {
            all[next] = SECTIONS[section][row];
            next += 1;
            row += 1;
        }
        section += 1;
    }
    all
}

const SECTIONS: &[&[Rule]] = &[
    framing::RULES,
    initialization::RULES,
    authentication::RULES,
    session_setup::RULES,
    session_catalog::RULES,
    turn::RULES,
    tool_call::RULES,
    host::RULES,
    config_option::RULES,
    elicitation::RULES,
    extension::RULES,
    bounds::RULES,
];
