//! A web page that the agent asks the user to visit. The whole address is shown with the host highlighted, and Attaché
//! never opens it. A malformed address can only be declined.

mod address;

use attache::v1;
use attache_text::plain::{visible, visible_lines};
use crossterm::event::KeyEvent;
use ratatui::text::{Line, Span};

use super::answer_list::{AnswerList, ListOutcome};
use super::panel::{Panel, PanelTone};
use super::{quotation, text};
use crate::paint::theme::{Sign, TextRole, Theme};
use address::{AddressError, WebAddress};

/// The request to visit a page.
#[derive(Debug, Clone)]
pub(crate) struct UrlPrompt {
    message: String,
    url: String,
    address: Result<WebAddress, AddressError>,
    answers: AnswerList<UrlAnswer>,
}

/// The user's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UrlAnswer {
    Accept,
    Copy,
    Decline,
    Dismiss,
}

/// The effect of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UrlOutcome {
    /// The request is still open.
    Open,
    /// The user goes back to the composer.
    Back,
    /// Copy the address.
    Copy(String),
    /// The request is answered.
    Answered(v1::ElicitationAction),
}

impl UrlPrompt {
    pub(crate) fn new(message: &str, url: &str) -> UrlPrompt {
        let address = WebAddress::parse(url);
        let visits: &[_] = match address {
            Ok(_) => &[
                ("I will open it in my browser", UrlAnswer::Accept),
                ("Copy the address", UrlAnswer::Copy),
            ],
            Err(_) => &[],
        };
        let refusals = [
            ("Decline", UrlAnswer::Decline),
            ("Dismiss (cancel the request)", UrlAnswer::Dismiss),
        ];
        UrlPrompt {
            message: visible_lines(message).into_owned(),
            url: url.to_owned(),
            address,
            answers: AnswerList::new(visits.iter().copied().chain(refusals)),
        }
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> UrlOutcome {
        match self.answers.key(key) {
            ListOutcome::Open => UrlOutcome::Open,
            ListOutcome::Back => UrlOutcome::Back,
            ListOutcome::Answer(UrlAnswer::Accept) => {
                let accept = v1::ElicitationAcceptAction::new();
                UrlOutcome::Answered(v1::ElicitationAction::Accept(accept))
            }
            ListOutcome::Answer(UrlAnswer::Decline) => {
                UrlOutcome::Answered(v1::ElicitationAction::Decline)
            }
            ListOutcome::Answer(UrlAnswer::Copy) => UrlOutcome::Copy(self.url.clone()),
            ListOutcome::Answer(UrlAnswer::Dismiss) => {
                UrlOutcome::Answered(v1::ElicitationAction::Cancel)
            }
        }
    }

    pub(crate) fn deselect(&mut self) {
        self.answers.deselect();
    }

    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let inner = Panel::inner_width(width);
        let mut panel = Panel::new("Visit a page?");
        panel.tone = PanelTone::Asking;
        panel.quoted(&self.message, TextRole::Quote, theme, inner);
        panel.blank_line();
        let warning = theme.style(TextRole::Warning);
        match &self.address {
            Ok(address) => {
                panel.labelled("host", &address.host, TextRole::Strong, theme, inner);
                self.add_address(&mut panel, address, theme, inner);
                for said in &address.warnings {
                    panel.text(said, warning, inner);
                }
            }
            Err(error) => {
                panel.quoted(&visible(&self.url), TextRole::Text, theme, inner);
                panel.text(error.message(), warning, inner);
            }
        }
        panel.blank_line();
        self.answers.draw(&mut panel, theme, inner);
        panel
    }

    /// Adds the whole address, with the host in bold across all its rows.
    fn add_address(&self, panel: &mut Panel, address: &WebAddress, theme: &Theme, width: u16) {
        // Up to the end of the host, every character is shown unchanged.
        let url = visible(&self.url).into_owned();
        let (start, end) = (address.range.start, address.range.end);
        let bar = Span::styled(
            format!("{} ", theme.sign(Sign::Quoted)),
            theme.style(TextRole::Dim),
        );
        for row in text::rows(&url, usize::from(width.saturating_sub(quotation::WIDTH))) {
            let cut = |at: usize| at.clamp(row.start, row.end);
            let part = |from: usize, to: usize, role| {
                Span::styled(url[cut(from)..cut(to)].to_owned(), theme.style(role))
            };
            panel.lines.push(Line::from(vec![
                bar.clone(),
                part(0, start, TextRole::Link),
                part(start, end, TextRole::Strong),
                part(end, url.len(), TextRole::Link),
            ]));
        }
    }
}
