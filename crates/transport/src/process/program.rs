//! The description of a program to start. It holds no resource, and can start any number of children.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use super::{Child, Error, Stdin, Stdout, platform};

/// A program to start: what it is called, its arguments, environment and working directory.
///
/// A name without a slash is looked up in the `PATH` the child gets. Printing a `Program` with `{:?}` shows the
/// names of environment variables but not their values, which are often secrets.
#[derive(Clone)]
pub struct Program {
    pub(super) name: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) inherits: bool,
    pub(super) env: Vec<(OsString, Option<OsString>)>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) tail: usize,
}

impl Program {
    /// A program without arguments, in our environment and directory.
    pub fn new(name: impl AsRef<OsStr>) -> Program {
        Program {
            name: name.as_ref().to_owned(),
            args: Vec::new(),
            inherits: true,
            env: Vec::new(),
            cwd: None,
            tail: TAIL,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Program {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Program {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        self.args.extend(args);
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Program {
        let value = value.as_ref().to_owned();
        self.env.push((name.as_ref().to_owned(), Some(value)));
        self
    }

    /// Removes an environment variable.
    #[must_use]
    pub fn env_remove(mut self, name: impl AsRef<OsStr>) -> Program {
        self.env.push((name.as_ref().to_owned(), None));
        self
    }

    /// Starts from an empty environment; what was set before this is forgotten.
    #[must_use]
    pub fn env_clear(mut self) -> Program {
        self.inherits = false;
        self.env.clear();
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, path: impl AsRef<Path>) -> Program {
        self.cwd = Some(path.as_ref().to_owned());
        self
    }

    /// How many bytes of standard error are kept, 64 KiB unless told.
    #[must_use]
    pub fn tail(mut self, bytes: usize) -> Program {
        self.tail = bytes;
        self
    }

    /// Starts the program and returns when it runs. Needs a tokio runtime with I/O and time.
    ///
    /// # Errors
    ///
    /// When the program cannot be run, its directory cannot be entered, or the system has no room for it.
    pub async fn spawn(&self) -> Result<Child, Error> {
        let (child, stdin, stdout) = self.spawn_piped().await?;
        Ok(child.keep(stdin, stdout))
    }

    /// The same, with our ends of its standard input and output at hand.
    ///
    /// # Errors
    ///
    /// As with [`Program::spawn`].
    pub async fn spawn_piped(&self) -> Result<(Child, Stdin, Stdout), Error> {
        if tokio::runtime::Handle::try_current().is_err() {
            return Err(Error::NoRuntime);
        }
        Ok(Child::new(platform::start(self).await?, self.tail))
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        out.debug_struct("Program")
            .field("name", &self.name)
            .field("args", &self.args)
            .field("inherits", &self.inherits)
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

const TAIL: usize = 64 * 1024;
