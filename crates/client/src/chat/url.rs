//! A page that the agent wants visited: the whole address is shown, its host stands out, and we never open it.

use attache::process::plain::{visible, visible_lines};
use attache::v1;
use crossterm::event::KeyEvent;
use ratatui::text::{Line, Span};

use super::answer_list::{AnswerList, Chosen};
use super::panel::{Panel, Tone};
use super::{quoted, text};
use crate::paint::theme::{Role, Sign, Theme};

/// A question about a page.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    message: String,
    url: String,
    answers: AnswerList<Visit>,
}

/// What the user says to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    Opened,
    Copy,
    Decline,
    Dismiss,
}

/// What a key has done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Visited {
    /// It is still open.
    Open,
    /// The user goes back to the composer.
    Back,
    /// The address is to be copied.
    Copy(String),
    /// It is answered.
    Done(v1::ElicitationAction),
}

impl Page {
    pub(crate) fn new(message: &str, url: &str) -> Page {
        Page {
            message: visible_lines(message).into_owned(),
            url: url.to_owned(),
            answers: AnswerList::new([
                ("I will open it in my browser", Visit::Opened),
                ("Copy the address", Visit::Copy),
                ("Decline", Visit::Decline),
                ("Dismiss (cancel the request)", Visit::Dismiss),
            ]),
        }
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> Visited {
        match self.answers.key(key) {
            Chosen::Open => Visited::Open,
            Chosen::Back => Visited::Back,
            Chosen::Answer(Visit::Opened) => {
                let accept = v1::ElicitationAcceptAction { content: None };
                Visited::Done(v1::ElicitationAction::Accept(accept))
            }
            Chosen::Answer(Visit::Decline) => Visited::Done(v1::ElicitationAction::Decline),
            Chosen::Answer(Visit::Copy) => Visited::Copy(self.url.clone()),
            Chosen::Answer(Visit::Dismiss) => Visited::Done(v1::ElicitationAction::Cancel),
        }
    }

    pub(crate) fn deselect(&mut self) {
        self.answers.deselect();
    }

    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let inner = Panel::inner(width);
        let mut panel = Panel::new("Visit a page?");
        panel.tone = Tone::Asking;
        panel.quoted(&self.message, Role::Quote, theme, inner);
        panel.gap();
        let address = Address::of(&self.url);
        match &address.host {
            Some(host) => panel.labelled("host", &visible(host), Role::Strong, theme, inner),
            None => panel.text("No host", theme.style(Role::Warning), inner),
        }
        self.whole(&mut panel, &address, theme, inner);
        for warning in address.warnings {
            panel.text(warning, theme.style(Role::Warning), inner);
        }
        panel.gap();
        self.answers.draw(&mut panel, theme, inner);
        panel
    }

    /// All of the address, with the host in bold wherever its rows break.
    fn whole(&self, panel: &mut Panel, address: &Address, theme: &Theme, width: u16) {
        let url = visible(&self.url).into_owned();
        let host = address.host.as_deref().map(visible).unwrap_or_default();
        let before = address.before_host.min(url.len());
        let start = url[before..].find(&*host).map_or(0, |at| before + at);
        let end = start + host.len();
        let bar = Span::styled(
            format!("{} ", theme.sign(Sign::Quoted)),
            theme.style(Role::Dim),
        );
        for row in text::rows(&url, usize::from(width.saturating_sub(quoted::WIDTH))) {
            let cut = |at: usize| at.clamp(row.start, row.end);
            let part = |from: usize, to: usize, role| {
                Span::styled(url[cut(from)..cut(to)].to_owned(), theme.style(role))
            };
            panel.lines.push(Line::from(vec![
                bar.clone(),
                part(0, start, Role::Link),
                part(start, end, Role::Strong),
                part(end, url.len(), Role::Link),
            ]));
        }
    }
}

/// The parts of an address that a person should see.
struct Address {
    host: Option<String>,
    /// How many bytes stand before the host.
    before_host: usize,
    warnings: Vec<&'static str>,
}

impl Address {
    fn of(url: &str) -> Address {
        let mut warnings = Vec::new();
        let Some((scheme, rest)) = url.split_once("://") else {
            return Address {
                host: None,
                before_host: 0,
                warnings: vec!["! this is no address of a web page"],
            };
        };
        if !scheme.eq_ignore_ascii_case("https") {
            warnings.push("! not https: others can read and change what is sent");
        }
        // Browsers end the host at a backslash too.
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let host = match authority.rsplit_once('@') {
            Some((_, host)) => {
                warnings.push("! what stands before the @ is not the host");
                host
            }
            None => authority,
        };
        let before_host = scheme.len() + 3 + authority.len() - host.len();
        if !host.is_ascii() || host.split('.').any(|label| label.starts_with("xn--")) {
            warnings.push("! the host has letters that can look like others");
        }
        Address {
            host: Some(host.to_owned()).filter(|host| !host.is_empty()),
            before_host,
            warnings,
        }
    }
}
