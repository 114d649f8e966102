//! The actions of the UI and their keys, for the keyboard, the palette and the help page alike.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// An action of the UI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UiAction {
    Palette,
    NewSession,
    Sessions,
    Fork,
    CloseTab,
    NextTab,
    PreviousTab,
    Tabs,
    Modes,
    NextMode,
    Model,
    Options,
    Attach,
    Steer,
    Queue,
    Cancel,
    GoToRequest,
    Undo,
    ReadTranscript,
    Search,
    Plan,
    FoldAll,
    Diffs,
    CopyAnswer,
    ExportMarkdown,
    ExportJson,
    Login,
    Logout,
    Restart,
    Mouse,
    Redraw,
    Help,
    Quit,
}

/// An action with its key and its name.
#[derive(Debug)]
pub(crate) struct KeyBinding {
    pub(crate) action: UiAction,
    pub(crate) key: Option<Shortcut>,
    pub(crate) name: &'static str,
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shortcut {
    Control(char),
    Alt(char),
    ShiftTab,
    F1,
}

/// The action of a key that works wherever text is typed.
pub(crate) fn action(key: &KeyEvent) -> Option<UiAction> {
    let entry = ACTIONS
        .iter()
        .find(|entry| entry.key.is_some_and(|known| known.matches(key)))?;
    Some(entry.action)
}

impl Shortcut {
    fn matches(self, key: &KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match self {
            Shortcut::Control(char) => control && !alt && key.code == KeyCode::Char(char),
            Shortcut::Alt(char) => alt && !control && key.code == KeyCode::Char(char),
            Shortcut::ShiftTab => key.code == KeyCode::BackTab,
            Shortcut::F1 => key.code == KeyCode::F(1),
        }
    }

    pub(crate) fn name(self) -> String {
        match self {
            Shortcut::Control(char) => format!("Ctrl-{}", char.to_ascii_uppercase()),
            Shortcut::Alt(char) => format!("Alt-{}", char.to_ascii_uppercase()),
            Shortcut::ShiftTab => "Shift-Tab".to_owned(),
            Shortcut::F1 => "F1".to_owned(),
        }
    }
}

const fn bound(action: UiAction, key: Shortcut, name: &'static str) -> KeyBinding {
    KeyBinding {
        action,
        key: Some(key),
        name,
    }
}

const fn unbound(action: UiAction, name: &'static str) -> KeyBinding {
    KeyBinding {
        action,
        key: None,
        name,
    }
}

/// All actions, in the order in which people look for them.
pub(crate) const ACTIONS: &[KeyBinding] = &[
    bound(UiAction::Palette, Shortcut::Control('p'), "All commands"),
    bound(
        UiAction::NewSession,
        Shortcut::Control('n'),
        "New session in a new tab",
    ),
    bound(
        UiAction::Sessions,
        Shortcut::Control('o'),
        "Sessions: load, resume, fork, delete",
    ),
    unbound(UiAction::Fork, "Fork this session"),
    bound(UiAction::CloseTab, Shortcut::Control('x'), "Close this tab"),
    bound(UiAction::NextTab, Shortcut::Alt('.'), "Next tab"),
    bound(UiAction::PreviousTab, Shortcut::Alt(','), "Previous tab"),
    bound(UiAction::Tabs, Shortcut::Alt('t'), "Choose a tab"),
    bound(UiAction::NextMode, Shortcut::ShiftTab, "Next mode"),
    unbound(UiAction::Modes, "Choose a mode"),
    bound(UiAction::Model, Shortcut::Alt('m'), "Choose a model"),
    bound(
        UiAction::Options,
        Shortcut::Alt('o'),
        "Options of the session",
    ),
    bound(
        UiAction::Attach,
        Shortcut::Alt('a'),
        "Attach a file or an image",
    ),
    bound(
        UiAction::Steer,
        Shortcut::Control('s'),
        "Steer the running turn with your prompt",
    ),
    bound(
        UiAction::Queue,
        Shortcut::Alt('q'),
        "Withdraw a queued prompt",
    ),
    unbound(UiAction::Cancel, "Cancel the turn"),
    bound(
        UiAction::GoToRequest,
        Shortcut::Alt('r'),
        "Go to the agent's request, also Tab",
    ),
    bound(UiAction::Undo, Shortcut::Alt('u'), "Undo the last decision"),
    bound(
        UiAction::ReadTranscript,
        Shortcut::Control('r'),
        "Read the transcript: select, unfold, copy",
    ),
    bound(
        UiAction::Search,
        Shortcut::Control('f'),
        "Search the transcript",
    ),
    bound(
        UiAction::Plan,
        Shortcut::Control('t'),
        "Show or hide the plan",
    ),
    bound(
        UiAction::FoldAll,
        Shortcut::Control('g'),
        "Unfold or fold thoughts and tool calls",
    ),
    unbound(UiAction::Diffs, "Diffs side by side, unified, or by width"),
    bound(
        UiAction::CopyAnswer,
        Shortcut::Control('y'),
        "Copy the last answer",
    ),
    bound(
        UiAction::ExportMarkdown,
        Shortcut::Alt('e'),
        "Export as Markdown",
    ),
    unbound(UiAction::ExportJson, "Export as JSON"),
    unbound(UiAction::Login, "Log in"),
    unbound(UiAction::Logout, "Log out"),
    unbound(UiAction::Restart, "Restart the agent"),
    unbound(
        UiAction::Mouse,
        "Mouse: scroll here, or select text in the terminal",
    ),
    bound(
        UiAction::Redraw,
        Shortcut::Control('l'),
        "Redraw the screen",
    ),
    bound(UiAction::Help, Shortcut::F1, "Help"),
    bound(UiAction::Quit, Shortcut::Control('q'), "Quit"),
];
