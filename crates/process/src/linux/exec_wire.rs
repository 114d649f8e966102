//! The format of exec events, sent from the guard to the owner, and of answers. An event is a frame with its length followed
//! by its fields. An answer has nine bytes.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use super::wire::{put, put_count, put_option, take, take_byte, take_count, take_option};
use crate::exec::{ExecEvent, ExecRecord};

/// Encodes an event as a frame.
pub(super) fn frame(event: &ExecEvent) -> io::Result<Vec<u8>> {
    // The length is filled in at the end.
    let mut body = Vec::with_capacity(USUAL_FRAME);
    body.extend([0; LENGTH]);
    match event {
        ExecEvent::AlreadyWatched => body.push(b'b'),
        ExecEvent::Ran(exec) => {
            body.push(b'r');
            put_record(&mut body, exec)?;
        }
        ExecEvent::Denied { exec, why } => {
            body.push(b'd');
            put(&mut body, why.as_bytes())?;
            put_record(&mut body, exec)?;
        }
        ExecEvent::Ask { id, exec, why } => {
            body.push(b'a');
            body.extend(id.to_le_bytes());
            put(&mut body, why.as_bytes())?;
            put_record(&mut body, exec)?;
        }
        ExecEvent::Withdrawn { id } => {
            body.push(b'w');
            body.extend(id.to_le_bytes());
        }
        ExecEvent::Killed { exec, why } => {
            body.push(b'k');
            put(&mut body, why.as_bytes())?;
            put_record(&mut body, exec)?;
        }
        ExecEvent::Missed { count } => {
            body.push(b'm');
            body.extend(count.to_le_bytes());
        }
    }
    let length = u32::try_from(body.len() - LENGTH);
    let length = length.map_err(|_| io::ErrorKind::ArgumentListTooLong)?;
    body[..LENGTH].copy_from_slice(&length.to_le_bytes());
    Ok(body)
}

/// The length of the frame that follows these bytes; an error if it is too large.
pub(super) fn length(bytes: [u8; LENGTH]) -> io::Result<usize> {
    let length = usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX);
    match length <= MOST_FRAME {
        true => Ok(length),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Reads a frame without its length.
pub(super) fn read(body: &[u8]) -> io::Result<ExecEvent> {
    let from = &mut &*body;
    Ok(match take_byte(from)? {
        b'b' => ExecEvent::AlreadyWatched,
        b'r' => ExecEvent::Ran(take_record(from)?),
        b'd' => ExecEvent::Denied {
            why: take_text(from)?,
            exec: take_record(from)?,
        },
        b'a' => ExecEvent::Ask {
            id: take_number(from)?,
            why: take_text(from)?,
            exec: take_record(from)?,
        },
        b'w' => ExecEvent::Withdrawn {
            id: take_number(from)?,
        },
        b'k' => ExecEvent::Killed {
            why: take_text(from)?,
            exec: take_record(from)?,
        },
        b'm' => ExecEvent::Missed {
            count: take_number(from)?,
        },
        _ => return Err(io::ErrorKind::InvalidData.into()),
    })
}

/// Encodes an answer to a request.
pub(super) fn answer(id: u64, is_allowed: bool) -> [u8; ANSWER] {
    let mut bytes = [u8::from(is_allowed); ANSWER];
    bytes[1..].copy_from_slice(&id.to_le_bytes());
    bytes
}

/// Decodes the output of [`answer`].
pub(super) fn read_answer(bytes: [u8; ANSWER]) -> (u64, bool) {
    let [is_allowed, id @ ..] = bytes;
    (u64::from_le_bytes(id), is_allowed == 1)
}

fn put_record(to: &mut Vec<u8>, exec: &ExecRecord) -> io::Result<()> {
    to.extend(exec.pid.to_le_bytes());
    to.push(u8::from(exec.loses_rights));
    put(to, exec.program.as_os_str().as_bytes())?;
    put_words(to, &exec.args)?;
    to.extend(exec.more.to_le_bytes());
    put_option(to, exec.cwd.as_ref().map(|cwd| cwd.as_os_str().as_bytes()))?;
    put_words(to, &exec.parents)?;
    put_words(to, &exec.variables)
}

fn put_words(to: &mut Vec<u8>, words: &[OsString]) -> io::Result<()> {
    put_count(to, words.len())?;
    words.iter().try_for_each(|word| put(to, word.as_bytes()))
}

fn take_record(from: &mut &[u8]) -> io::Result<ExecRecord> {
    Ok(ExecRecord {
        pid: take_count(from)?,
        loses_rights: take_byte(from)? != 0,
        program: PathBuf::from(OsString::from_vec(take(from)?)),
        args: take_words(from)?,
        more: take_count(from)?,
        cwd: take_option(from)?.map(PathBuf::from),
        parents: take_words(from)?,
        variables: take_words(from)?,
    })
}

fn take_words(from: &mut &[u8]) -> io::Result<Vec<OsString>> {
    let count = take_count(from)?;
    (0..count)
        .map(|_| Ok(OsString::from_vec(take(from)?)))
        .collect()
}

fn take_text(from: &mut &[u8]) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&take(from)?).into_owned())
}

fn take_number(from: &mut &[u8]) -> io::Result<u64> {
    let (number, rest) = from
        .split_first_chunk()
        .ok_or(io::ErrorKind::UnexpectedEof)?;
    *from = rest;
    Ok(u64::from_le_bytes(*number))
}

pub(super) const LENGTH: usize = 4;
pub(super) const ANSWER: usize = 9;
/// Most records fit.
const USUAL_FRAME: usize = 512;
/// More than the longest arguments that are read, with their directory and parents.
const MOST_FRAME: usize = 1024 * 1024;

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::{ExecEvent, ExecRecord, LENGTH, answer, frame, length, read, read_answer};

    #[test]
    fn events_and_answers_arrive_as_they_were_sent() {
        let exec = ExecRecord {
            pid: 7,
            program: "/usr/bin/git".into(),
            args: ["git", "push", ""].map(OsString::from).into(),
            more: 3,
            cwd: Some("/work".into()),
            parents: vec!["sh".into(), "make".into()],
            variables: vec!["A=b".into()],
            loses_rights: true,
        };
        let why = "rule".to_owned();
        for event in [
            ExecEvent::AlreadyWatched,
            ExecEvent::Ran(exec.clone()),
            ExecEvent::Denied {
                exec: exec.clone(),
                why: why.clone(),
            },
            ExecEvent::Ask {
                id: u64::MAX,
                exec: exec.clone(),
                why: why.clone(),
            },
            ExecEvent::Withdrawn { id: 3 },
            ExecEvent::Killed { exec, why },
            ExecEvent::Missed { count: 9 },
        ] {
            let bytes = frame(&event).unwrap();
            let (head, body) = bytes.split_first_chunk::<LENGTH>().unwrap();
            assert_eq!(length(*head).unwrap(), body.len());
            assert_eq!(read(body).unwrap(), event);
            assert!(read(&body[..body.len() - 1]).is_err());
        }
        assert_eq!(read_answer(answer(5, true)), (5, true));
        assert_eq!(read_answer(answer(6, false)), (6, false));
    }
}
