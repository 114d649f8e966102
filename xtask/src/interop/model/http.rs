//! As much of HTTP as the products' requests need: one request on a connection, a body of a known length.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

pub(in crate::interop) struct Request {
    pub(in crate::interop) path: String,
    pub(in crate::interop) body: Vec<u8>,
}

impl Request {
    pub(in crate::interop) fn read(stream: &TcpStream) -> io::Result<Request> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let path = line.split(' ').nth(1).unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default().to_owned();
        let mut length = 0;
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
        }
        let mut body = Vec::new();
        reader.take(length).read_to_end(&mut body)?;
        Ok(Request { path, body })
    }
}

/// The head of an answer whose body ends with the connection.
pub(in crate::interop) fn begin(stream: &mut TcpStream, kind: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())
}

/// One event of a stream of them.
pub(in crate::interop) fn event(
    stream: &mut TcpStream,
    name: Option<&str>,
    data: &str,
) -> io::Result<()> {
    let name = name.map_or(String::new(), |name| format!("event: {name}\n"));
    stream.write_all(format!("{name}data: {data}\n\n").as_bytes())
}
