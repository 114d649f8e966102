//! The description of a program to start. It can start any number of children.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{PipeReader, PipeWriter};
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::Arc;

use super::{Child, Confinement, Error, ExecWatch, ExitStatus, Stdin, Stdout, platform};

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
    #[cfg(unix)]
    pub(super) directory: Option<Arc<OwnedFd>>,
    pub(super) stderr_tail: usize,
    pub(super) confinement: Confinement,
    pub(super) largest_file: Option<u64>,
    pub(super) watch: Option<ExecWatch>,
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
            #[cfg(unix)]
            directory: None,
            stderr_tail: STDERR_TAIL,
            confinement: Confinement::default(),
            largest_file: None,
            watch: None,
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

    /// The working directory as it was set; the one that we are in otherwise.
    pub fn working_directory(&self) -> &Path {
        self.cwd.as_deref().unwrap_or(Path::new("."))
    }

    /// Its name and its arguments.
    pub fn words(&self) -> impl Iterator<Item = &OsStr> {
        std::iter::once(&self.name)
            .chain(&self.args)
            .map(OsString::as_os_str)
    }

    /// The value of an environment variable as the program gets it.
    pub fn variable(&self, name: impl AsRef<OsStr>) -> Option<OsString> {
        let name = name.as_ref();
        let set = self.env.iter().rev().find(|(set, _)| set == name);
        match set {
            Some((_, value)) => value.clone(),
            None if self.inherits => std::env::var_os(name),
            None => None,
        }
    }

    /// How many bytes of standard error are kept, 64 KiB unless told.
    #[must_use]
    pub fn stderr_tail(mut self, bytes: usize) -> Program {
        self.stderr_tail = bytes;
        self
    }

    /// Has it start in a directory that is open already, whatever has become of the name given to [`cwd`](Self::cwd).
    /// On systems other than Linux the name counts.
    #[cfg(unix)]
    #[must_use]
    pub fn directory(mut self, directory: Arc<OwnedFd>) -> Program {
        self.directory = Some(directory);
        self
    }

    /// Confines it and everything it starts. It starts only where the system can do that; [`namespace_support`] says
    /// so beforehand.
    ///
    /// [`namespace_support`]: super::namespace_support
    #[must_use]
    pub fn confine(mut self, confinement: Confinement) -> Program {
        self.confinement = confinement;
        self
    }

    /// Ends it, or what it has started, with SIGXFSZ when a file it writes grows larger. Only on Linux.
    #[must_use]
    pub fn largest_file(mut self, bytes: u64) -> Program {
        self.largest_file = Some(bytes);
        self
    }

    /// Has each program that it or anything it starts executes judged by these rules, itself first. It starts only where
    /// the system can do that; [`exec_support`] asks beforehand. It and all that it starts gain no rights from
    /// set-user-id programs such as `sudo`. Take the events with [`Child::take_exec_events`].
    ///
    /// [`exec_support`]: super::exec_support
    #[must_use]
    pub fn watch(mut self, watch: ExecWatch) -> Program {
        self.watch = Some(watch);
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
        in_runtime()?;
        let (started, pipes) = platform::start(self).await?;
        Ok(Child::piped(started, pipes, self.stderr_tail))
    }

    /// The same with these as its standard input, output and error: whoever has the other ends talks to it, and closes
    /// its input before it is stopped. [`Child::stderr`] stays empty.
    ///
    /// # Errors
    ///
    /// As with [`Program::spawn`].
    pub async fn spawn_over(
        &self,
        stdin: PipeReader,
        stdout: PipeWriter,
        stderr: PipeWriter,
    ) -> Result<Child, Error> {
        in_runtime()?;
        let started = platform::start_with_pipes(self, stdin, stdout, stderr).await?;
        Ok(Child::captured(started))
    }

    /// Starts it as a command: its standard input is at its end from the first, and standard output and standard error
    /// are one pipe, so that what it writes comes in the order in which it was written. It has no terminal, and leaves
    /// no core file. What it starts and leaves behind lives until the child is stopped, killed or dropped.
    ///
    /// # Errors
    ///
    /// As with [`Program::spawn`].
    pub async fn spawn_captured(&self) -> Result<(Child, Stdout), Error> {
        in_runtime()?;
        let (started, output) = platform::start_captured(self).await?;
        Ok((Child::captured(started), Stdout::new(output)))
    }

    /// Runs it on our own terminal, with our standard input, output and error, until it ends. Meanwhile Ctrl-C goes to
    /// it and not to us (on systems other than Linux to both); Ctrl-Z does nothing. Then the terminal is ours again,
    /// in the state it was in. What it left in its process group is killed; what it put in a session of its own, such
    /// as the browser of a login, is not. If the future is dropped, it and its descendants are killed.
    ///
    /// # Errors
    ///
    /// As with [`Program::spawn`].
    pub async fn run_attached(&self) -> Result<ExitStatus, Error> {
        Ok(self.spawn_attached().await?.wait().await.status)
    }

    /// The same, and returns when it runs.
    ///
    /// # Errors
    ///
    /// As with [`Program::spawn`].
    pub async fn spawn_attached(&self) -> Result<Child, Error> {
        in_runtime()?;
        let started = platform::start_attached(self).await?;
        Ok(Child::captured(started))
    }
}

fn in_runtime() -> Result<(), Error> {
    tokio::runtime::Handle::try_current()
        .map(drop)
        .map_err(|_| Error::NoRuntime)
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

const STDERR_TAIL: usize = 64 * 1024;
