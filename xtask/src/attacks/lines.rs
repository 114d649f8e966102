//! Generates command lines: each calls a fake program, reads or changes a file, or does something harmless with denied
//! words in it; then a few layers are added that each run the line inside.

mod calls;
mod layers;
mod reads;
mod writes;

use super::batch::Runner;
use super::policy::{DENIED_WORD, OTHER_WORD, Policy};
use super::random::Random;
use super::testbed::{FILES, PROGRAMS, Testbed};

/// A line and its target.
pub(super) struct Line {
    /// Unique within a run; also the name of the file that a fake program leaves behind.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) target: Target,
    /// The names of the spelling and of the layers.
    pub(super) family: String,
    /// The path of the file in a request.
    pub(super) path: String,
}

impl Line {
    /// The word that a change adds to its file.
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
    /// Prints the canary of a file.
    Read(&'static str),
    /// Adds a word to a file.
    Write(&'static str),
    /// Prints [`HARMLESS`] and does nothing else.
    Harmless,
}

impl Target {
    fn random_target(random: &mut Random, runner: Runner) -> Self {
        let choice = match runner {
            Runner::Request => 6 + random.below(6),
            _ => random.below(14),
        };
        // Lines in a terminal never change files outside the project, and requests never name them.
        let mut file = random.pick(&FILES);
        while file.starts_with("..") && (choice > 9 || runner == Runner::Request) {
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

/// What generators need: random numbers, a name and a place for scripts.
pub(super) struct LineBuilder<'a> {
    pub(super) testbed: &'a Testbed,
    pub(super) random: &'a mut Random,
    name: String,
    files: usize,
}

impl LineBuilder<'_> {
    /// A file name that is not used yet.
    fn new_name(&mut self) -> String {
        self.files += 1;
        format!("{}-{}", self.name.to_lowercase(), self.files)
    }

    /// Writes a script into the project and returns its name.
    fn script(&mut self, ending: &str, text: &str) -> Result<String, String> {
        let name = format!("{}.{ending}", self.new_name());
        self.testbed.write_script(&name, text)?;
        Ok(name)
    }

    fn project(&self) -> String {
        self.testbed.project.display().to_string()
    }
}

/// Generates the line with this number; the same seed gives the same line. Most lines target something that the policy
/// denies.
pub(super) fn generate(
    testbed: &Testbed,
    random: &mut Random,
    number: usize,
    policy: &Policy,
    runner: Runner,
) -> Result<Line, String> {
    let name = format!("L{number:04}");
    let mut target = Target::random_target(random, runner);
    for _ in 0..3 {
        if matches!(target, Target::Harmless) || policy.denies(target, runner) {
            break;
        }
        target = Target::random_target(random, runner);
    }
    let mut layers = random.below(4);
    // Every now and then, a plain line that must run in spite of the rules.
    if runner != Runner::AgentItself
        && policy.must_allow(Target::Harmless, runner)
        && random.once_in(4)
    {
        (target, layers) = (Target::Harmless, 0);
    }
    let mut builder = LineBuilder {
        testbed,
        random,
        name: name.clone(),
        files: 0,
    };
    let (family, text) = match target {
        Target::Call { program, word } => calls::spell(&mut builder, program, word)?,
        Target::Read(file) => reads::spell(&mut builder, file)?,
        Target::Write(file) => writes::spell(&mut builder, file, &added_word(&name))?,
        Target::Harmless => harmless(&mut builder),
    };
    let path = match target {
        Target::Read(file) | Target::Write(file) if runner == Runner::Request => {
            reads::requested(&mut builder, file)?
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
        let (family, text) = layers::wrap(&mut builder, &line.text)?;
        line.text = text;
        line.family = format!("{family} > {}", line.family);
    }
    Ok(line)
}

fn harmless(builder: &mut LineBuilder<'_>) -> (&'static str, String) {
    let program = builder.random.pick(&PROGRAMS);
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
    let form = builder.random.pick(&forms);
    let text = form.replace("{p}", program).replace("{h}", HARMLESS);
    ("harmless", text)
}

/// A Python string literal: a JSON string is one.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The output of a harmless line.
pub(super) const HARMLESS: &str = "harmless-ran";
