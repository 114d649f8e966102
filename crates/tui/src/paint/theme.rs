//! Colours and signs. Whatever a colour means, a sign or a word says too.

use std::env;
use std::io::{self, IsTerminal};

use ratatui::style::{Color, Modifier, Style};

/// Colours and signs for one terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    palette: Palette,
    shade: Shade,
    signs: Signs,
}

/// How many colours there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Palette {
    /// None: bold, italic, underlined and reversed are all there is.
    None,
    /// The sixteen that the terminal's own settings define.
    Basic,
    /// All of them.
    Full,
}

/// Whether the terminal's background is dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shade {
    /// Light text on dark ground.
    Dark,
    /// Dark text on light ground.
    Light,
}

/// Which characters signs and lines are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signs {
    /// Those of Unicode.
    Unicode,
    /// ASCII alone.
    Ascii,
}

/// What a piece of text is, and so how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Ordinary text.
    Text,
    /// What may be overlooked.
    Dim,
    /// What stands out.
    Strong,
    /// The frame around something.
    Border,
    /// What the person said.
    User,
    /// What the agent thinks.
    Thought,
    /// A heading.
    Heading,
    /// Code within text.
    Code,
    /// A quotation.
    Quote,
    /// Where a link leads.
    Link,
    /// It went well.
    Good,
    /// It runs.
    Running,
    /// It may go wrong.
    Warning,
    /// It went wrong.
    Bad,
    /// A line that a diff adds.
    Added,
    /// A line that a diff removes.
    Removed,
    /// What is new within an added line.
    AddedPart,
    /// What is gone within a removed line.
    RemovedPart,
    /// What is selected.
    Selected,
    /// What a search has found.
    Match,
    /// Code: a word of the language.
    Keyword,
    /// Code: text.
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

/// A sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The person speaks.
    User,
    /// The agent speaks.
    Agent,
    /// The agent thinks.
    Thought,
    /// Not started.
    Pending,
    /// Running.
    Running,
    /// Ended well.
    Done,
    /// Ended badly.
    Failed,
    /// Taken back.
    Cancelled,
    /// Good to know.
    Info,
    /// Something may go wrong.
    Warning,
    /// The bar beside what belongs together.
    Bar,
    /// A line across.
    Rule,
    /// The bar of what is selected.
    Cursor,
    /// The point of a list.
    Bullet,
    /// A child session.
    Child,
    /// Something was left out.
    More,
    /// What comes of it.
    Arrow,
    /// The bar in front of words of others, where a user decides.
    Quoted,
}

impl Theme {
    /// A theme of these parts.
    pub fn new(palette: Palette, shade: Shade, signs: Signs) -> Theme {
        Theme {
            palette,
            shade,
            signs,
        }
    }

    /// What the terminal of this program can show, as far as the environment tells: `NO_COLOR`, `COLORTERM`, `TERM`,
    /// `COLORFGBG` and the locale.
    pub fn detect() -> Theme {
        let is_terminal = io::stdout().is_terminal();
        let found = Theme::of_environment(|name| env::var(name).ok());
        if is_terminal {
            found
        } else {
            Theme {
                palette: Palette::None,
                ..found
            }
        }
    }

    /// What the variables of an environment tell.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Theme {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        Theme {
            palette: palette(&set),
            shade: shade(&set),
            signs: signs(&set),
        }
    }

    /// How many colours there are.
    pub fn palette(&self) -> Palette {
        self.palette
    }

    /// How text of a role looks.
    pub fn style(&self, role: Role) -> Style {
        match self.palette {
            Palette::None => uncoloured(role),
            Palette::Basic => basic(role),
            Palette::Full => full(role, self.shade),
        }
    }

    /// A sign, one column wide.
    pub fn sign(&self, sign: Sign) -> &'static str {
        match self.signs {
            Signs::Unicode => unicode(sign),
            Signs::Ascii => ascii(sign),
        }
    }

    /// Which characters signs are made of.
    pub fn signs(&self) -> Signs {
        self.signs
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

/// `COLORFGBG` is `text;ground`, in numbers of the sixteen colours.
fn shade(set: &impl Fn(&str) -> Option<String>) -> Shade {
    let ground = set("COLORFGBG").and_then(|value| value.rsplit(';').next().map(str::to_owned));
    match ground.as_deref() {
        Some("7" | "15") => Shade::Light,
        _ => Shade::Dark,
    }
}

fn signs(set: &impl Fn(&str) -> Option<String>) -> Signs {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
    match locale.as_deref() {
        Some("C" | "POSIX") => Signs::Ascii,
        Some(locale) if locale.to_ascii_lowercase().contains("utf") => Signs::Unicode,
        Some(locale) if locale.contains('.') => Signs::Ascii,
        _ => Signs::Unicode,
    }
}

fn uncoloured(role: Role) -> Style {
    let modifier = match role {
        Role::Strong | Role::User | Role::Heading | Role::Keyword => Modifier::BOLD,
        Role::Good | Role::Running | Role::Warning | Role::Bad => Modifier::BOLD,
        Role::Dim | Role::Border | Role::Comment => Modifier::DIM,
        Role::Thought | Role::Quote => Modifier::ITALIC,
        Role::Link => Modifier::UNDERLINED,
        Role::AddedPart | Role::RemovedPart => Modifier::UNDERLINED,
        Role::Selected | Role::Match => Modifier::REVERSED,
        _ => Modifier::empty(),
    };
    Style::new().add_modifier(modifier)
}

fn basic(role: Role) -> Style {
    let style = uncoloured(role);
    match role {
        Role::User | Role::Heading | Role::Selected => style.fg(Color::Cyan),
        Role::Code | Role::Literal => style.fg(Color::Green),
        Role::Link => style.fg(Color::Blue),
        Role::Good | Role::Added | Role::AddedPart => style.fg(Color::Green),
        Role::Running | Role::Function => style.fg(Color::Blue),
        Role::Warning | Role::Match | Role::Constant => style.fg(Color::Yellow),
        Role::Bad | Role::Removed | Role::RemovedPart => style.fg(Color::Red),
        Role::Keyword => Style::new().fg(Color::Magenta),
        Role::Type => style.fg(Color::Cyan),
        _ => style,
    }
}

fn full(role: Role, shade: Shade) -> Style {
    let pick = |dark: u8, light: u8| match shade {
        Shade::Dark => Color::Indexed(dark),
        Shade::Light => Color::Indexed(light),
    };
    match role {
        Role::Added => Style::new().bg(pick(22, 194)),
        Role::Removed => Style::new().bg(pick(52, 224)),
        Role::AddedPart => Style::new().bg(pick(28, 157)).add_modifier(Modifier::BOLD),
        Role::RemovedPart => Style::new().bg(pick(88, 217)).add_modifier(Modifier::BOLD),
        Role::Dim | Role::Border | Role::Comment => Style::new().fg(pick(245, 243)),
        Role::Thought => Style::new()
            .fg(pick(248, 240))
            .add_modifier(Modifier::ITALIC),
        Role::Quote => Style::new()
            .fg(pick(250, 238))
            .add_modifier(Modifier::ITALIC),
        Role::Code => Style::new().fg(pick(180, 94)),
        Role::Match => Style::new().fg(Color::Indexed(16)).bg(pick(220, 220)),
        Role::Literal => Style::new().fg(pick(114, 28)),
        Role::Constant => Style::new().fg(pick(215, 130)),
        Role::Keyword => Style::new().fg(pick(176, 90)),
        Role::Type => Style::new().fg(pick(80, 30)),
        Role::Function => Style::new().fg(pick(111, 25)),
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
    use super::{Palette, Shade, Signs, Theme};

    fn check(variables: &[(&str, &str)], expected: (Palette, Shade, Signs)) {
        let find = |wanted: &str| {
            let mut variables = variables.iter();
            let found = variables.find(|(name, _)| *name == wanted);
            found.map(|(_, value)| (*value).to_owned())
        };
        let (palette, shade, signs) = expected;
        let theme = Theme::of_environment(find);
        assert_eq!(theme, Theme::new(palette, shade, signs), "{variables:?}");
    }

    #[test]
    fn the_environment_tells_what_a_terminal_can_show() {
        use {Palette::*, Shade::*, Signs::*};
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
