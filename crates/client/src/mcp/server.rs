//! One server: `command`, `args` and `env`, or `url` and `headers`.

use std::env;
use std::path::{Path, PathBuf};

use attache::schema::FilePath;
use attache::v1;
use serde_json::Value;

use super::{ServerFault, VariableLookup};
use crate::agents::resolve_program;

/// Reads a server from an object of servers by name; `None` if the server is disabled.
pub(super) fn named(
    name: &str,
    value: &Value,
    place: &str,
    file: &Path,
    lookup: VariableLookup<'_>,
) -> Result<Option<v1::McpServer>, ServerFault> {
    let server = ServerEntry {
        name,
        value,
        place,
        file,
        lookup,
    };
    if !value.is_object() {
        return Err(server.fault("", "expected an object with `command` or `url`"));
    }
    if value.get("disabled") == Some(&Value::Bool(true)) {
        return Ok(None);
    }
    server.read().map(Some)
}

/// Reads a server that contains its own name, as in a list.
pub(super) fn listed(
    value: &Value,
    place: &str,
    file: &Path,
    lookup: VariableLookup<'_>,
) -> Result<Option<v1::McpServer>, ServerFault> {
    match value.get("name").and_then(Value::as_str) {
        Some(name) => named(name, value, place, file, lookup),
        None => Err((format!("{place}.name"), "expected a string".to_owned())),
    }
}

struct ServerEntry<'a> {
    name: &'a str,
    value: &'a Value,
    place: &'a str,
    /// The file with the definition.
    file: &'a Path,
    lookup: VariableLookup<'a>,
}

impl ServerEntry<'_> {
    fn read(&self) -> Result<v1::McpServer, ServerFault> {
        let kind = match self.value.get("type") {
            Some(kind) => Some(self.text("type", kind)?),
            None => None,
        };
        match kind.as_deref() {
            Some("stdio") => self.command(),
            Some("http" | "streamable-http" | "streamableHttp") => self.http(),
            Some("sse") => self.sse(),
            Some(_) => Err(self.fault("type", "expected `stdio`, `http` or `sse`")),
            None if self.value.get("command").is_some() => self.command(),
            None if self.value.get("url").is_some() => self.http(),
            None => Err(self.fault("", "expected `command` or `url`")),
        }
    }

    fn command(&self) -> Result<v1::McpServer, ServerFault> {
        // Older versions of Zed put program, arguments and environment into `command`.
        let inner = self.value.get("command").filter(|it| it.is_object());
        let (home, key) = match inner {
            Some(inner) => (inner, "path"),
            None => (self.value, "command"),
        };
        let command = home.get(key).ok_or_else(|| self.fault(key, "missing"))?;
        let command = self.program(&self.text(key, command)?)?;
        let args = self.list("args", home.get("args"))?;
        let pairs = self.pairs("env", home.get("env"))?;
        let env = pairs
            .into_iter()
            .map(|(name, value)| v1::EnvVariable::new(name, value));
        Ok(v1::McpServerStdio::new(self.name, command, args, env).into())
    }

    fn http(&self) -> Result<v1::McpServer, ServerFault> {
        Ok(v1::McpServerHttp::new(self.name, self.url()?, self.headers()?).into())
    }

    fn sse(&self) -> Result<v1::McpServer, ServerFault> {
        Ok(v1::McpServerSse::new(self.name, self.url()?, self.headers()?).into())
    }

    fn url(&self) -> Result<String, ServerFault> {
        let url = self
            .value
            .get("url")
            .ok_or_else(|| self.fault("url", "missing"))?;
        let url = self.text("url", url)?;
        if url.starts_with("http://") || url.starts_with("https://") {
            Ok(url)
        } else {
            Err(self.fault(
                "url",
                "expected an address that begins with http:// or https://",
            ))
        }
    }

    fn headers(&self) -> Result<Vec<v1::HttpHeader>, ServerFault> {
        let pairs = self.pairs("headers", self.value.get("headers"))?;
        let header = |(name, value): (String, String)| v1::HttpHeader::new(name, value);
        Ok(pairs.into_iter().map(header).collect())
    }

    /// The absolute path of a program, which the protocol requires.
    fn program(&self, name: &str) -> Result<FilePath, ServerFault> {
        let found = whole_path(&resolve_program(self.file, name)).ok_or_else(|| {
            let fault = format!("there is no program `{name}`; install it, or give its full path");
            self.fault("command", &fault)
        })?;
        FilePath::try_from(found)
            .map_err(|_| self.fault("command", "the program's path is not UTF-8"))
    }

    fn list(&self, key: &str, value: Option<&Value>) -> Result<Vec<String>, ServerFault> {
        match value {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Array(list)) => {
                let items = list.iter().enumerate();
                let read = |(at, item)| self.text(&format!("{key}[{at}]"), item);
                items.map(read).collect()
            }
            Some(_) => Err(self.fault(key, "expected a list of strings")),
        }
    }

    /// Names and values: an object, or a list of objects with `name` and `value`.
    fn pairs(
        &self,
        key: &str,
        value: Option<&Value>,
    ) -> Result<Vec<(String, String)>, ServerFault> {
        match value {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Object(pairs)) => {
                let read = |(name, value): (&String, &Value)| {
                    let value = self.text(&format!("{key}.{name}"), value)?;
                    Ok((name.clone(), value))
                };
                pairs.iter().map(read).collect()
            }
            Some(Value::Array(list)) => {
                let read = |(at, pair): (usize, &Value)| {
                    let part = |part: &str| {
                        let place = format!("{key}[{at}].{part}");
                        match pair.get(part) {
                            Some(value) => self.text(&place, value),
                            None => Err(self.fault(&place, "missing")),
                        }
                    };
                    Ok((part("name")?, part("value")?))
                };
                list.iter().enumerate().map(read).collect()
            }
            Some(_) => Err(self.fault(key, "expected an object of strings")),
        }
    }

    fn text(&self, key: &str, value: &Value) -> Result<String, ServerFault> {
        match value {
            Value::String(text) => filled_in(text, self.lookup).map_err(|name| {
                let fault = format!("the variable {name} is not set");
                self.fault(key, &fault)
            }),
            _ => Err(self.fault(key, "expected a string")),
        }
    }

    fn fault(&self, key: &str, fault: &str) -> ServerFault {
        let place = match key {
            "" => self.place.to_owned(),
            key => format!("{}.{key}", self.place),
        };
        (place, fault.to_owned())
    }
}

/// Replaces variables with their values. The error is the name of a variable that is not set.
fn filled_in(text: &str, lookup: VariableLookup<'_>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((inside, behind)) = after.split_once('}') else {
            break;
        };
        let (name, otherwise) = match inside.split_once(":-") {
            Some((name, otherwise)) => (name, Some(otherwise.to_owned())),
            None => (inside, None),
        };
        let value = lookup(name).filter(|value| !value.is_empty());
        out.push_str(before);
        out.push_str(&value.or(otherwise).ok_or_else(|| name.to_owned())?);
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

/// The program's absolute path, as a shell would find it.
fn whole_path(path: &Path) -> Option<PathBuf> {
    if path.components().count() > 1 || path.is_absolute() {
        return std::path::absolute(path).ok();
    }
    let places = env::var_os("PATH")?;
    let programs = env::split_paths(&places).map(|place| place.join(path));
    let program = programs.into_iter().find(|program| program.is_file())?;
    std::path::absolute(program).ok()
}
