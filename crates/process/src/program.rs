//! Describes a program to start, and starts it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{PipeReader, PipeWriter};
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::stderr_tail::StderrCopy;
use super::{
    Child, Confinement, Error, ExecWatch, ExitStatus, Stdin, Stdout, diagnostics, platform,
};

/// A program to start: its name, arguments, environment and working directory. It can be started any number of times.
///
/// A name without a slash is looked up in the child's `PATH`. Printing a `Program` with `{:?}` shows the names of
/// environment variables but not their values, which are often secrets.
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
    pub(super) stderr_copy: StderrCopy,
    pub(super) confinement: Confinement,
    pub(super) largest_file: Option<u64>,
    pub(super) watch: Option<ExecWatch>,
}

impl Program {
    /// Describes a program without arguments that inherits the environment and the working directory of this process.
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
            stderr_copy: StderrCopy::default(),
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

    /// Starts from an empty environment. Also clears variables that were set before this call.
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

    /// The working directory that was set, or else the working directory of this process.
    pub fn working_directory(&self) -> &Path {
        self.cwd.as_deref().unwrap_or(Path::new("."))
    }

    /// The name of the program, followed by its arguments.
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

    /// Sets how many bytes of standard error are kept for [`Child::stderr`]. Default: 64 KiB.
    #[must_use]
    pub fn stderr_tail(mut self, bytes: usize) -> Program {
        self.stderr_tail = bytes;
        self
    }

    /// Also copies the child's standard error to that of this process, as it is. A child whose output is not read has to
    /// wait, as if it had inherited the standard error. [`Child::stderr`] keeps the last bytes all the same.
    #[must_use]
    pub fn inherit_stderr(mut self) -> Program {
        self.stderr_copy.inherits = true;
        self
    }

    /// Also passes each line of the child's standard error to a closure, made safe to print. The closure must return
    /// quickly: it runs in a task. A line of more than 64 KiB comes in parts.
    #[must_use]
    pub fn on_stderr_line(mut self, see: impl Fn(&str) + Send + Sync + 'static) -> Program {
        self.stderr_copy.see_line = Some(Arc::new(see));
        self
    }

    /// Starts the program in a directory that is already open, even if the path given to [`cwd`](Self::cwd) now leads
    /// elsewhere. On systems other than Linux the path is used.
    #[cfg(unix)]
    #[must_use]
    pub fn directory(mut self, directory: Arc<OwnedFd>) -> Program {
        self.directory = Some(directory);
        self
    }

    /// Confines the program and everything it starts. If the system does not support that, the program does not start;
    /// check with [`namespace_support`].
    ///
    /// [`namespace_support`]: super::namespace_support
    #[must_use]
    pub fn confine(mut self, confinement: Confinement) -> Program {
        self.confinement = confinement;
        self
    }

    /// Limits the size of files that the program and everything it starts can write. A process that exceeds the limit is
    /// killed by SIGXFSZ. Linux only.
    #[must_use]
    pub fn largest_file(mut self, bytes: u64) -> Program {
        self.largest_file = Some(bytes);
        self
    }

    /// Judges every program executed in the process tree by these rules, beginning with this program. If the system does
    /// not support that, the program does not start; check with [`exec_support`]. Set-user-id programs such as `sudo` gain
    /// no rights in the tree. Take the events with [`Child::take_exec_events`].
    ///
    /// [`exec_support`]: super::exec_support
    #[must_use]
    pub fn watch(mut self, watch: ExecWatch) -> Program {
        self.watch = Some(watch);
        self
    }

    /// Starts the program with pipes for standard input, output and error, and returns when it is running. Needs a tokio
    /// runtime with I/O and time enabled.
    ///
    /// # Errors
    ///
    /// If the program cannot be executed, its directory cannot be entered, or the system lacks resources.
    pub async fn spawn(&self) -> Result<Child, Error> {
        let (child, stdin, stdout) = self.spawn_piped().await?;
        Ok(child.with_stdio(stdin, stdout))
    }

    /// Starts the program like [`Program::spawn`], and also returns the pipes to its standard input and from its standard
    /// output.
    ///
    /// # Errors
    ///
    /// As with [`Program::spawn`].
    pub async fn spawn_piped(&self) -> Result<(Child, Stdin, Stdout), Error> {
        in_runtime()?;
        let result = platform::start(self).await;
        let (started, pipes) = diagnostics::starting(self, result, |it| &it.0)?;
        let copy = self.stderr_copy.clone();
        Ok(Child::piped(started, pipes, self.stderr_tail, copy))
    }

    /// Starts the program like [`Program::spawn`], with these pipes as standard input, output and error. The caller keeps
    /// the other ends and closes standard input before stopping the child. [`Child::stderr`] stays empty.
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
        let result = platform::start_with_pipes(self, stdin, stdout, stderr).await;
        let started = diagnostics::starting(self, result, |it| it)?;
        Ok(Child::captured(started))
    }

    /// Starts the program as a command: its standard input is empty, and standard output and standard error share one pipe,
    /// so that their order is kept. The command has no terminal and leaves no core file. Background processes that it
    /// leaves behind live until the child is stopped, killed or dropped.
    ///
    /// # Errors
    ///
    /// As with [`Program::spawn`].
    pub async fn spawn_captured(&self) -> Result<(Child, Stdout), Error> {
        in_runtime()?;
        let result = platform::start_captured(self).await;
        let (started, output) = diagnostics::starting(self, result, |it| &it.0)?;
        Ok((Child::captured(started), Stdout::new(output)))
    }

    /// Runs the program on the terminal of this process, with the same standard input, output and error, until it ends.
    /// Meanwhile Ctrl-C goes only to the program (on systems other than Linux to both), and Ctrl-Z does nothing. Afterwards
    /// the terminal is restored. Processes left in the program's process group are killed; processes in sessions of their
    /// own, such as a browser opened for a login, are not. If the future is dropped, the program and its descendants are
    /// killed.
    ///
    /// # Errors
    ///
    /// As with [`Program::spawn`].
    pub async fn run_attached(&self) -> Result<ExitStatus, Error> {
        Ok(self.spawn_attached().await?.wait().await.status)
    }

    /// Starts the program on the terminal of this process, like [`Program::run_attached`], and returns when it is running.
    ///
    /// # Errors
    ///
    /// As with [`Program::spawn`].
    pub async fn spawn_attached(&self) -> Result<Child, Error> {
        in_runtime()?;
        let result = platform::start_attached(self).await;
        let started = diagnostics::starting(self, result, |it| it)?;
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
