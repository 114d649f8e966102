//! The parts of HTTP that the products need: one request per connection, with a body of known length.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Serves on a free port until the process ends, with a thread for each connection. Errors are ignored: the client has
/// disconnected.
pub(in crate::interop) fn serve(
    answer: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || answer(stream).ok());
        }
    });
    Ok(address)
}

pub(in crate::interop) struct Request {
    pub(in crate::interop) method: String,
    pub(in crate::interop) path: String,
    /// All lines before the body.
    pub(in crate::interop) head: String,
    /// The `Authorization` header.
    pub(in crate::interop) authorization: String,
    pub(in crate::interop) body: Vec<u8>,
}

impl Request {
    pub(in crate::interop) fn read(stream: &TcpStream) -> io::Result<Request> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut words = line.split(' ').map(str::to_owned);
        let method = words.next().unwrap_or_default();
        let path = words.next().unwrap_or_default();
        let path = path.split('?').next().unwrap_or_default().to_owned();
        let (mut length, mut authorization) = (0, String::new());
        let mut head = line.clone();
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            head.push_str(&line);
            let (name, value) = line.split_once(':').unwrap_or_default();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().map_err(io::Error::other)?,
                "authorization" => authorization = value.trim().to_owned(),
                _ => {}
            }
        }
        let mut body = Vec::new();
        reader.take(length).read_to_end(&mut body)?;
        Ok(Request {
            method,
            path,
            head,
            authorization,
            body,
        })
    }
}

/// Writes the head of a response whose body ends with the connection.
pub(in crate::interop) fn begin(stream: &mut TcpStream, kind: &str) -> io::Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes())
}

/// Writes one server-sent event.
pub(in crate::interop) fn event(
    stream: &mut TcpStream,
    name: Option<&str>,
    data: &str,
) -> io::Result<()> {
    let name = name.map_or(String::new(), |name| format!("event: {name}\n"));
    stream.write_all(format!("{name}data: {data}\n\n").as_bytes())
}
