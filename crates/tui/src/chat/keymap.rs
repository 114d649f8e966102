//! What the screen can do, under which keys: for the keyboard, the palette and the help alike.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Something the screen can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
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
    Answer,
    Undo,
    Read,
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

/// An action, its key and what it does.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) action: Action,
    pub(crate) key: Option<Key>,
    pub(crate) name: &'static str,
}

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Control(char),
    Alt(char),
    ShiftTab,
    F1,
}

/// The action of a key, if it has one wherever one types.
pub(crate) fn action(key: &KeyEvent) -> Option<Action> {
    let entry = ACTIONS
        .iter()
        .find(|entry| entry.key.is_some_and(|known| known.is(key)))?;
    Some(entry.action)
}

impl Key {
    fn is(self, key: &KeyEvent) -> bool {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match self {
            Key::Control(char) => control && !alt && key.code == KeyCode::Char(char),
            Key::Alt(char) => alt && !control && key.code == KeyCode::Char(char),
            Key::ShiftTab => key.code == KeyCode::BackTab,
            Key::F1 => key.code == KeyCode::F(1),
        }
    }

    pub(crate) fn name(self) -> String {
        match self {
            Key::Control(char) => format!("Ctrl-{}", char.to_ascii_uppercase()),
            Key::Alt(char) => format!("Alt-{}", char.to_ascii_uppercase()),
            Key::ShiftTab => "Shift-Tab".to_owned(),
            Key::F1 => "F1".to_owned(),
        }
    }
}

const fn entry(action: Action, key: Key, name: &'static str) -> Entry {
    Entry {
        action,
        key: Some(key),
        name,
    }
}

const fn keyless(action: Action, name: &'static str) -> Entry {
    Entry {
        action,
        key: None,
        name,
    }
}

/// Everything the screen can do, in the order in which people look for it.
pub(crate) const ACTIONS: &[Entry] = &[
    entry(Action::Palette, Key::Control('p'), "All commands"),
    entry(
        Action::NewSession,
        Key::Control('n'),
        "New session in a new tab",
    ),
    entry(
        Action::Sessions,
        Key::Control('o'),
        "Sessions: load, resume, fork, delete",
    ),
    keyless(Action::Fork, "Fork this session"),
    entry(Action::CloseTab, Key::Control('x'), "Close this tab"),
    entry(Action::NextTab, Key::Alt('.'), "Next tab"),
    entry(Action::PreviousTab, Key::Alt(','), "Previous tab"),
    entry(Action::Tabs, Key::Alt('t'), "Choose a tab"),
    entry(Action::NextMode, Key::ShiftTab, "Next mode"),
    keyless(Action::Modes, "Choose a mode"),
    entry(Action::Model, Key::Alt('m'), "Choose a model"),
    entry(Action::Options, Key::Alt('o'), "Options of the session"),
    entry(Action::Attach, Key::Alt('a'), "Attach a file or an image"),
    entry(
        Action::Steer,
        Key::Control('s'),
        "Say it into the turn that runs",
    ),
    entry(
        Action::Queue,
        Key::Alt('q'),
        "Take back a prompt that waits",
    ),
    keyless(Action::Cancel, "Cancel the turn"),
    entry(
        Action::Answer,
        Key::Alt('r'),
        "Go to the agent's request, also Tab",
    ),
    entry(Action::Undo, Key::Alt('u'), "Undo the last decision"),
    entry(
        Action::Read,
        Key::Control('r'),
        "Read the transcript: select, unfold, copy",
    ),
    entry(Action::Search, Key::Control('f'), "Search the transcript"),
    entry(Action::Plan, Key::Control('t'), "Show or hide the plan"),
    entry(
        Action::FoldAll,
        Key::Control('g'),
        "Unfold or fold thoughts and tool calls",
    ),
    keyless(Action::Diffs, "Diffs side by side, unified, or by width"),
    entry(
        Action::CopyAnswer,
        Key::Control('y'),
        "Copy the last answer",
    ),
    entry(Action::ExportMarkdown, Key::Alt('e'), "Export as Markdown"),
    keyless(Action::ExportJson, "Export as JSON"),
    keyless(Action::Login, "Log in"),
    keyless(Action::Logout, "Log out"),
    keyless(Action::Restart, "Restart the agent"),
    keyless(
        Action::Mouse,
        "Give the mouse to the terminal, or take it back",
    ),
    entry(Action::Redraw, Key::Control('l'), "Draw the screen anew"),
    entry(Action::Help, Key::F1, "Help"),
    entry(Action::Quit, Key::Control('q'), "Quit"),
];
