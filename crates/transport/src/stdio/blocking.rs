//! Standard input, output and error for threads that block, without a runtime.

use std::fs::File;
use std::io::{self, Read, Write};

/// Standard input, output or error as a blocking stream. Also works if another process has made the shared file
/// non-blocking. See [`blocking_stdio`].
#[derive(Debug)]
pub struct BlockingStdio(File);

/// Takes over standard input, output and error, in this order, for a protocol. On Unix, later reads of standard input by
/// other code find nothing, and later prints to standard output go to standard error.
pub fn blocking_stdio() -> io::Result<[BlockingStdio; 3]> {
    platform::take().map(|files| files.map(BlockingStdio))
}

impl Read for BlockingStdio {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    platform::wait_to_read(&self.0)?;
                }
                done => return done,
            }
        }
    }
}

impl Write for BlockingStdio {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    platform::wait_to_write(&self.0)?;
                }
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};

    use rustix::event::{PollFd, PollFlags, poll};

    pub(super) fn take() -> io::Result<[File; 3]> {
        let copy = |fd: io::Result<OwnedFd>| fd.map(File::from);
        let files = [
            copy(io::stdin().as_fd().try_clone_to_owned())?,
            copy(io::stdout().as_fd().try_clone_to_owned())?,
            copy(io::stderr().as_fd().try_clone_to_owned())?,
        ];
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(files)
    }

    pub(super) fn wait_to_read(file: &File) -> io::Result<()> {
        wait(file, PollFlags::IN)
    }

    pub(super) fn wait_to_write(file: &File) -> io::Result<()> {
        wait(file, PollFlags::OUT)
    }

    fn wait(file: &File, what: PollFlags) -> io::Result<()> {
        match poll(&mut [PollFd::new(file, what)], None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(windows)]
mod platform {
    use std::fs::File;
    use std::io;
    use std::os::windows::io::{AsHandle, OwnedHandle};

    pub(super) fn take() -> io::Result<[File; 3]> {
        let copy = |handle: io::Result<OwnedHandle>| handle.map(File::from);
        Ok([
            copy(io::stdin().as_handle().try_clone_to_owned())?,
            copy(io::stdout().as_handle().try_clone_to_owned())?,
            copy(io::stderr().as_handle().try_clone_to_owned())?,
        ])
    }

    pub(super) fn wait_to_read(_: &File) -> io::Result<()> {
        Err(io::ErrorKind::WouldBlock.into())
    }

    pub(super) fn wait_to_write(_: &File) -> io::Result<()> {
        Err(io::ErrorKind::WouldBlock.into())
    }
}
