//! Generated command lines: a call of a fake program, a read or a change of a file, or something harmless with denied words
//! in it, then a few layers around it that each run the line inside.

mod calls;
mod layers;
mod reads;
mod writes;

use super::batch::Way;
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
    /// How a request names the file.
    pub(super) path: String,
}

impl Line {
    /// What a change adds to its file.
    pub(super) fn word(&self) -> String {
        added_word(&self.name)
    }
}

fn added_word(name: &str) -> String {
    format!("wrote-{name}")
}

#[derive(Clone, Copy)]
pub(super) enum Target {
    Call {
        program: &'static str,
        word: &'static str,
    },
    /// Prints the word in a file.
    Read(&'static str),
    /// Adds a word to a file.
    Write(&'static str),
    /// Prints [`HARMLESS`] and does nothing else.
    Harmless,
}

impl Target {
    fn draw(random: &mut Random, way: Way) -> Self {
        let choice = match way {
            Way::Request => 6 + random.below(6),
            _ => random.below(14),
        };
        // Nothing outside the project is changed in a terminal, or given to a request.
        let mut file = random.pick(&FILES);
        while file.starts_with("..") && (choice > 9 || way == Way::Request) {
            file = random.pick(&FILES);
        }
        match choice {
            0..=5 => Self::Call {
                program: random.pick(&PROGRAMS),
                word: if random.once_in(4) {
                    OTHER_WORD
                } else {
                    DENIED_WORD
                },
            },
            6..=9 => Self::Read(file),
            10..=12 => Self::Write(file),
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
    way: Way,
) -> Result<Line, String> {
    let name = format!("L{number:04}");
    let mut target = Target::draw(random, way);
    for _ in 0..3 {
        if matches!(target, Target::Harmless) || policy.denies(target, way) {
            break;
        }
        target = Target::draw(random, way);
    }
    let mut layers = random.below(4);
    // Of the lines that must run in spite of rules, a plain one now and then.
    if way != Way::Own && policy.lets_run(Target::Harmless, way) && random.once_in(4) {
        (target, layers) = (Target::Harmless, 0);
    }
    let mut workshop = Workshop {
        stage,
        random,
        name: name.clone(),
        files: 0,
    };
    let (family, text) = match target {
        Target::Call { program, word } => calls::spell(&mut workshop, program, word)?,
        Target::Read(file) => reads::spell(&mut workshop, file)?,
        Target::Write(file) => writes::spell(&mut workshop, file, &added_word(&name))?,
        Target::Harmless => harmless(&mut workshop),
    };
    let path = match target {
        Target::Read(file) | Target::Write(file) if way == Way::Request => {
            reads::requested(&mut workshop, file)?
        }
        _ => String::new(),
    };
    let mut line = Line {
        name,
        path,
        text,
        target,
        family: family.to_owned(),
    };
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

/// As a string of Python: JSON's strings are some.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// What a harmless line prints.
pub(super) const HARMLESS: &str = "harmless-ran";
