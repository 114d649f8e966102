//! Generated command lines: a call of a fake program, a read of a file, or something harmless with denied words in it,
//! then a few layers around it that each run the line inside.

mod calls;
mod layers;
mod reads;

use super::policy::{DENIED_WORD, OTHER_WORD, Policy};
use super::random::Random;
use super::stage::{FILES, PROGRAMS, Stage};

/// A line, and what it is after.
pub(super) struct Line {
    /// Unlike that of every other line of a run; also the name of the file that a fake program leaves behind.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) target: Target,
    /// The names of the spelling and of the layers.
    pub(super) family: String,
}

#[derive(Clone, Copy)]
pub(super) enum Target {
    Call {
        program: &'static str,
        word: &'static str,
    },
    File(&'static str),
    /// Prints [`HARMLESS`] and does nothing else.
    Harmless,
}

impl Target {
    fn draw(random: &mut Random) -> Self {
        match random.below(12) {
            0..=5 => Self::Call {
                program: random.pick(&PROGRAMS),
                word: if random.once_in(4) {
                    OTHER_WORD
                } else {
                    DENIED_WORD
                },
            },
            6..=10 => Self::File(random.pick(&FILES)),
            _ => Self::Harmless,
        }
    }
}

/// What generators need: a name, and a place for scripts.
pub(super) struct Workshop<'a> {
    pub(super) stage: &'a Stage,
    pub(super) random: &'a mut Random,
    name: String,
    files: usize,
}

impl Workshop<'_> {
    /// A name of no file so far.
    fn fresh(&mut self) -> String {
        self.files += 1;
        format!("{}-{}", self.name.to_lowercase(), self.files)
    }

    /// Writes a script of the project, and gives its name.
    fn script(&mut self, ending: &str, text: &str) -> Result<String, String> {
        let name = format!("{}.{ending}", self.fresh());
        self.stage.write_script(&name, text)?;
        Ok(name)
    }

    fn project(&self) -> String {
        self.stage.project.display().to_string()
    }
}

/// The line of a number: the same for the same seed. Most of them are after something that the policy denies.
pub(super) fn generate(
    stage: &Stage,
    random: &mut Random,
    number: usize,
    policy: &Policy,
) -> Result<Line, String> {
    let name = format!("L{number:04}");
    let mut target = Target::draw(random);
    for _ in 0..3 {
        if matches!(target, Target::Harmless) || policy.denies(target) {
            break;
        }
        target = Target::draw(random);
    }
    let mut workshop = Workshop {
        stage,
        random,
        name: name.clone(),
        files: 0,
    };
    let (family, text) = match target {
        Target::Call { program, word } => calls::spell(&mut workshop, program, word)?,
        Target::File(file) => reads::spell(&mut workshop, file)?,
        Target::Harmless => harmless(&mut workshop),
    };
    let mut line = Line {
        name,
        text,
        target,
        family: family.to_owned(),
    };
    let layers = workshop.random.below(4);
    for _ in 0..layers {
        let (family, text) = layers::wrap(&mut workshop, &line.text)?;
        line.text = text;
        line.family = format!("{family} > {}", line.family);
    }
    Ok(line)
}

fn harmless(workshop: &mut Workshop<'_>) -> (&'static str, String) {
    let program = workshop.random.pick(&PROGRAMS);
    let forms = [
        "echo '{p} push' {h}",
        "echo \"do not run {p} push; {p} is denied\" {h}",
        "printf '%s\\n' '{p} push | {p} **' {h}",
        "test x = '{p}' || echo {h}",
        "echo {h} # {p} push x",
        "x='{p} push'; echo \"$x\" {h}",
        "echo {h} >/dev/null; echo \"$(echo '{p}')\" {h}",
        "case '{p} push' in *push) echo {h};; esac",
        "echo {h} {p}",
        "true; echo '&& {p} push' {h}",
    ];
    let form = workshop.random.pick(&forms);
    let text = form.replace("{p}", program).replace("{h}", HARMLESS);
    ("harmless", text)
}

/// In single quotes for a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// As a string of Python: JSON's strings are some.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What a harmless line prints.
pub(super) const HARMLESS: &str = "harmless-ran";
