//! Colours and signs. Every meaning of a colour is also expressed by a sign or a word.

use std::env;
use std::io::{self, IsTerminal};

use ratatui::style::{Color, Modifier, Style};

/// Colours and signs for one terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    palette: Palette,
    background: Background,
    sign_set: SignSet,
}

/// The colours that the terminal supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// No colours, only bold, italic, underlined and reversed text.
    None,
    /// The sixteen colours that the terminal's settings define.
    Basic,
    /// 256 colours or more.
    Full,
}

/// Whether the terminal's background is dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Light text on a dark background.
    Dark,
    /// Dark text on a light background.
    Light,
}

/// The character set of signs and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignSet {
    /// Unicode characters.
    Unicode,
    /// Only ASCII characters.
    Ascii,
}

/// The role of a piece of text, which determines its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextRole {
    /// Ordinary text.
    Text,
    /// Less important text.
    Dim,
    /// Emphasised text.
    Strong,
    /// Borders and rules.
    Border,
    /// The user's prompts.
    User,
    /// The agent's thoughts.
    Thought,
    /// A heading.
    Heading,
    /// Code within text.
    Code,
    /// A quotation.
    Quote,
    /// A link.
    Link,
    /// Success.
    Good,
    /// Something that is running.
    Running,
    /// A warning.
    Warning,
    /// A failure.
    Bad,
    /// A line that a diff adds.
    Added,
    /// A line that a diff removes.
    Removed,
    /// The new part of an added line.
    AddedPart,
    /// The removed part of a removed line.
    RemovedPart,
    /// The selection.
    Selected,
    /// A search match.
    Match,
    /// Code: a keyword.
    Keyword,
    /// Code: a string.
    Literal,
    /// Code: a number or constant.
    Constant,
    /// Code: a comment.
    Comment,
    /// Code: the name of a type.
    Type,
    /// Code: the name of a function.
    Function,
}

/// A sign, one column wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// A prompt of the user.
    User,
    /// A message of the agent.
    Agent,
    /// A thought of the agent.
    Thought,
    /// Something that has not started.
    Pending,
    /// Something that is running.
    Running,
    /// Something that succeeded.
    Done,
    /// Something that failed.
    Failed,
    /// Cancelled.
    Cancelled,
    /// Information.
    Info,
    /// A warning.
    Warning,
    /// The bar beside lines that belong together.
    Bar,
    /// A horizontal line.
    Rule,
    /// The bar beside the selection.
    Cursor,
    /// The bullet of a list item.
    Bullet,
    /// A child session.
    Child,
    /// Some text was left out.
    More,
    /// An arrow.
    Arrow,
    /// The bar in front of untrusted text in dialogs.
    Quoted,
}

impl Theme {
    /// Creates a theme from its parts.
    pub fn new(palette: Palette, background: Background, sign_set: SignSet) -> Theme {
        Theme {
            palette,
            background,
            sign_set,
        }
    }

    /// Detects what the terminal can show from the environment: `NO_COLOR`, `COLORTERM`, `TERM`, `COLORFGBG` and the
    /// locale.
    pub fn detect() -> Theme {
        let is_terminal = io::stdout().is_terminal();
        let found = Theme::from_environment(|name| env::var(name).ok());
        if is_terminal {
            found
        } else {
            Theme {
                palette: Palette::None,
                ..found
            }
        }
    }

    /// The theme for an environment.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Theme {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        Theme {
            palette: palette(&set),
            background: background(&set),
            sign_set: sign_set(&set),
        }
    }

    /// The colours that the terminal supports.
    pub fn palette(&self) -> Palette {
        self.palette
    }

    /// The style of a text role.
    pub fn style(&self, role: TextRole) -> Style {
        match self.palette {
            Palette::None => uncoloured(role),
            Palette::Basic => basic(role),
            Palette::Full => full(role, self.background),
        }
    }

    /// A sign, one column wide.
    pub fn sign(&self, sign: Sign) -> &'static str {
        match self.sign_set {
            SignSet::Unicode => unicode(sign),
            SignSet::Ascii => ascii(sign),
        }
    }

    /// Which characters signs are made of.
    pub fn sign_set(&self) -> SignSet {
        self.sign_set
    }
}

fn palette(set: &impl Fn(&str) -> Option<String>) -> Palette {
    let term = set("TERM");
    let is_full = |text: &String| text.contains("truecolor") || text.contains("24bit");
    let has_many = |term: &String| term.contains("256color") || term.contains("direct");
    if set("NO_COLOR").is_some() || term.as_deref() == Some("dumb") {
        Palette::None
    } else if set("COLORTERM").as_ref().is_some_and(is_full) || term.as_ref().is_some_and(has_many)
    {
        Palette::Full
    } else {
        Palette::Basic
    }
}

/// `COLORFGBG` is `text;background`, as numbers of the sixteen colours.
fn background(set: &impl Fn(&str) -> Option<String>) -> Background {
    let ground = set("COLORFGBG").and_then(|value| value.rsplit(';').next().map(str::to_owned));
    match ground.as_deref() {
        Some("7" | "15") => Background::Light,
        _ => Background::Dark,
    }
}

fn sign_set(set: &impl Fn(&str) -> Option<String>) -> SignSet {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    match locale.as_deref() {
        Some("C" | "POSIX") => SignSet::Ascii,
        Some(locale) if locale.to_ascii_lowercase().contains("utf") => SignSet::Unicode,
        Some(locale) if locale.contains('.') => SignSet::Ascii,
        _ => SignSet::Unicode,
    }
}

fn uncoloured(role: TextRole) -> Style {
    let modifier = match role {
        TextRole::Strong | TextRole::User | TextRole::Heading | TextRole::Keyword => Modifier::BOLD,
        TextRole::Good | TextRole::Running | TextRole::Warning | TextRole::Bad => Modifier::BOLD,
        TextRole::Dim | TextRole::Border | TextRole::Comment => Modifier::DIM,
        TextRole::Thought | TextRole::Quote => Modifier::ITALIC,
        TextRole::Link => Modifier::UNDERLINED,
        TextRole::AddedPart | TextRole::RemovedPart => Modifier::UNDERLINED,
        TextRole::Selected | TextRole::Match => Modifier::REVERSED,
        _ => Modifier::empty(),
    };
    Style::new().add_modifier(modifier)
}

fn basic(role: TextRole) -> Style {
    let style = uncoloured(role);
    match role {
        TextRole::User | TextRole::Heading | TextRole::Selected => style.fg(Color::Cyan),
        TextRole::Code | TextRole::Literal => style.fg(Color::Green),
        TextRole::Link => style.fg(Color::Blue),
        TextRole::Good | TextRole::Added | TextRole::AddedPart => style.fg(Color::Green),
        TextRole::Running | TextRole::Function => style.fg(Color::Blue),
        TextRole::Warning | TextRole::Match | TextRole::Constant => style.fg(Color::Yellow),
        TextRole::Bad | TextRole::Removed | TextRole::RemovedPart => style.fg(Color::Red),
        TextRole::Keyword => Style::new().fg(Color::Magenta),
        TextRole::Type => style.fg(Color::Cyan),
        _ => style,
    }
}

fn full(role: TextRole, background: Background) -> Style {
    let pick = |dark: u8, light: u8| match background {
        Background::Dark => Color::Indexed(dark),
        Background::Light => Color::Indexed(light),
    };
    match role {
        TextRole::Added => Style::new().bg(pick(22, 194)),
        TextRole::Removed => Style::new().bg(pick(52, 224)),
        TextRole::AddedPart => Style::new().bg(pick(28, 157)).add_modifier(Modifier::BOLD),
        TextRole::RemovedPart => Style::new().bg(pick(88, 217)).add_modifier(Modifier::BOLD),
        TextRole::Dim | TextRole::Border | TextRole::Comment => Style::new().fg(pick(245, 243)),
        TextRole::Thought => Style::new()
            .fg(pick(248, 240))
            .add_modifier(Modifier::ITALIC),
        TextRole::Quote => Style::new()
            .fg(pick(250, 238))
            .add_modifier(Modifier::ITALIC),
        TextRole::Code => Style::new().fg(pick(180, 94)),
        TextRole::Match => Style::new().fg(Color::Indexed(16)).bg(pick(220, 220)),
        TextRole::Literal => Style::new().fg(pick(114, 28)),
        TextRole::Constant => Style::new().fg(pick(215, 130)),
        TextRole::Keyword => Style::new().fg(pick(176, 90)),
        TextRole::Type => Style::new().fg(pick(80, 30)),
        TextRole::Function => Style::new().fg(pick(111, 25)),
        _ => basic(role),
    }
}

fn unicode(sign: Sign) -> &'static str {
    match sign {
        Sign::User => "›",
        Sign::Agent => "•",
        Sign::Thought => "∴",
        Sign::Pending => "○",
        Sign::Running => "◐",
        Sign::Done => "✓",
        Sign::Failed => "✗",
        Sign::Cancelled => "⊘",
        Sign::Info => "i",
        Sign::Warning => "!",
        Sign::Bar => "│",
        Sign::Rule => "─",
        Sign::Cursor => "▌",
        Sign::Bullet => "•",
        Sign::Child => "└",
        Sign::More => "…",
        Sign::Arrow => "→",
        Sign::Quoted => "┊",
    }
}

fn ascii(sign: Sign) -> &'static str {
    match sign {
        Sign::User => ">",
        Sign::Agent => "*",
        Sign::Thought => "~",
        Sign::Pending => "o",
        Sign::Running => "@",
        Sign::Done => "+",
        Sign::Failed => "x",
        Sign::Cancelled => "/",
        Sign::Info => "i",
        Sign::Warning => "!",
        Sign::Bar => "|",
        Sign::Rule => "-",
        Sign::Cursor => "#",
        Sign::Bullet => "-",
        Sign::Child => "`",
        Sign::More => "~",
        Sign::Arrow => ">",
        Sign::Quoted => ":",
    }
}

#[cfg(test)]
mod tests {
    use super::{Background, Palette, SignSet, Theme};

    fn check(variables: &[(&str, &str)], expected: (Palette, Background, SignSet)) {
        let find = |wanted: &str| {
            let mut variables = variables.iter();
            let found = variables.find(|(name, _)| *name == wanted);
            found.map(|(_, value)| (*value).to_owned())
        };
        let (palette, background, sign_set) = expected;
        let theme = Theme::from_environment(find);
        assert_eq!(
            theme,
            Theme::new(palette, background, sign_set),
            "{variables:?}"
        );
    }

    #[test]
    fn the_theme_follows_the_environment() {
        use {Background::*, Palette::*, SignSet::*};
        check(&[("TERM", "xterm")], (Basic, Dark, Unicode));
        check(&[("TERM", "xterm-256color")], (Full, Dark, Unicode));
        check(
            &[("COLORTERM", "truecolor"), ("COLORFGBG", "0;15")],
            (Full, Light, Unicode),
        );
        check(
            &[("COLORTERM", "truecolor"), ("NO_COLOR", "1")],
            (None, Dark, Unicode),
        );
        check(&[("TERM", "dumb"), ("LANG", "C")], (None, Dark, Ascii));
        check(
            &[
                ("TERM", "xterm"),
                ("NO_COLOR", ""),
                ("LC_ALL", "de_DE.UTF-8"),
            ],
            (Basic, Dark, Unicode),
        );
        check(&[("LANG", "en_US.ISO-8859-1")], (Basic, Dark, Ascii));
    }
}
