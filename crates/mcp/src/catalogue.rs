//! What a server offers: its tools, prompts and resources, fetched page by page and within bounds.

use std::collections::HashSet;
use std::time::Duration;

use attache::v1;
use attache_text::plain;
use rmcp::model::{
    self, ClientRequest, ListPromptsRequest, ListResourcesRequest, ListToolsRequest,
    PaginatedRequestParams,
};
use rmcp::service::PeerRequestOptions;
use rmcp::{Peer, RoleClient, ServiceError};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::identity::{ServerIdentity, ToolIdentity};
use super::{ServerWords, Tool, names, schema, text};

/// All that a server offers.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Catalogue {
    pub(super) tools: Vec<Listed>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) resources: Vec<v1::ResourceLink>,
    /// What it says of how to use it.
    pub(super) instructions: Option<String>,
    /// The server that offers it.
    pub(super) server: Option<ServerIdentity>,
    /// How many of them were too many, too large or unreadable.
    pub(super) left_out: usize,
}

/// A tool, and what its server calls it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    pub(super) tool: Tool,
    pub(super) theirs: String,
}

/// A prompt, and what its server calls it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prompt {
    pub(super) command: v1::AvailableCommand,
    pub(super) theirs: String,
    pub(super) arguments: Vec<Argument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) required: bool,
}

/// What to call a server to a person, and within other names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) shown: &'a str,
    pub(super) slug: &'a str,
    pub(super) identity: &'a ServerIdentity,
}

impl Catalogue {
    /// Asks a server for everything it has said that it offers. Without its tools a server is of no use; what else it
    /// cannot list is left out.
    pub(super) async fn fetch(
        peer: &Peer<RoleClient>,
        names: Names<'_>,
    ) -> Result<Catalogue, ServiceError> {
        let info = peer.peer_info();
        let said = info.as_ref().and_then(|info| info.instructions.as_deref());
        let server = names.identity.declaring(info.as_deref());
        let names = Names {
            identity: &server,
            ..names
        };
        let mut catalogue = Catalogue {
            instructions: said.map(description),
            server: Some(server.clone()),
            ..Catalogue::default()
        };
        let offers = info
            .map(|info| info.capabilities.clone())
            .unwrap_or_default();
        if offers.tools.is_some() {
            let list = fetch_all(peer, "tools", |page| {
                ClientRequest::ListToolsRequest(ListToolsRequest {
                    params: Some(page),
                    ..Default::default()
                })
            });
            catalogue.take_tools(names, list.await?);
        }
        if offers.prompts.is_some() {
            let list = fetch_all(peer, "prompts", |page| {
                ClientRequest::ListPromptsRequest(ListPromptsRequest {
                    params: Some(page),
                    ..Default::default()
                })
            });
            catalogue.take_prompts(names, list.await.unwrap_or_default());
        }
        if offers.resources.is_some() {
            let list = fetch_all(peer, "resources", |page| {
                ClientRequest::ListResourcesRequest(ListResourcesRequest {
                    params: Some(page),
                    ..Default::default()
                })
            });
            catalogue.take_resources(list.await.unwrap_or_default());
        }
        Ok(catalogue)
    }

    fn take_tools(&mut self, names: Names<'_>, list: List<model::Tool>) {
        self.left_out += list.left_out;
        let (mut taken, mut seen) = (HashSet::new(), HashSet::new());
        let mut room = ALL_SCHEMAS;
        for tool in list.items {
            let is_new = seen.insert(tool.name.clone());
            let schema = schema::usable(&tool.input_schema);
            let name = names::tool(names.slug, &tool.name, &mut taken);
            let (Some(schema), Some(name), true) = (schema, name, is_new) else {
                self.left_out += 1;
                continue;
            };
            let size = schema.to_string().len();
            if size > SCHEMA.min(room) {
                self.left_out += 1;
                continue;
            }
            room -= size;
            self.tools.push(listed(names, name, schema, &tool));
        }
    }

    fn take_prompts(&mut self, names: Names<'_>, list: List<model::Prompt>) {
        self.left_out += list.left_out;
        let mut taken = HashSet::new();
        for prompt in list.items {
            let name = format!("{}:{}", names.slug, names::safe(&prompt.name, NAME));
            if taken.insert(name.clone()) {
                self.prompts.push(offered(name, prompt));
            } else {
                self.left_out += 1;
            }
        }
    }

    fn take_resources(&mut self, list: List<model::Resource>) {
        self.left_out += list.left_out;
        for resource in list.items {
            match link(&resource) {
                Some(link) => self.resources.push(link),
                None => self.left_out += 1,
            }
        }
    }
}

/// A resource as ACP has it, unless its address is no address any more.
pub(super) fn link(resource: &model::Resource) -> Option<v1::ResourceLink> {
    if resource.uri.len() > ADDRESS {
        return None;
    }
    let mut link = v1::ResourceLink::new(text::line(&resource.name, TITLE), &*resource.uri);
    let title = resource.title.as_deref();
    link.title = title.map(|title| text::line(title, TITLE));
    link.description = resource.description.as_deref().map(description);
    let media_type = resource.mime_type.as_deref();
    link.mime_type = media_type.map(|media_type| text::line(media_type, NAME));
    link.size = resource.size.and_then(|size| i64::try_from(size).ok());
    Some(link)
}

fn listed(names: Names<'_>, name: String, schema: Value, tool: &model::Tool) -> Listed {
    let hints = tool.annotations.as_ref();
    let title = tool.title.as_deref();
    let title = title.or_else(|| hints.and_then(|hints| hints.title.as_deref()));
    let read_only = hints.and_then(|hints| hints.read_only_hint) == Some(true);
    let destructive = hints.and_then(|hints| hints.destructive_hint);
    Listed {
        theirs: tool.name.clone().into_owned(),
        tool: Tool {
            full_name: name,
            description: tool
                .description
                .as_deref()
                .map(description)
                .unwrap_or_default(),
            input_schema: schema,
            server: names.shown.to_owned(),
            name: tool.name.clone().into_owned(),
            identity: ToolIdentity::of(names.identity, tool),
            title: text::line(title.unwrap_or(&tool.name), TITLE),
            read_only,
            destructive: destructive.unwrap_or(!read_only),
            words: words(tool),
        },
    }
}

/// What a server says of a tool, as it came.
fn words(tool: &model::Tool) -> ServerWords {
    let hints = tool.annotations.as_ref();
    let titles = [
        tool.title.as_deref(),
        hints.and_then(|hints| hints.title.as_deref()),
    ];
    let titles = titles.into_iter().flatten();
    let mut said: Vec<String> = titles.map(|title| format!("Title: {title}")).collect();
    said.dedup();
    said.extend(tool.description.as_deref().map(str::to_owned));
    let said = said.join("\n");
    let (text, _) = text::head(&said, DESCRIPTION);
    ServerWords {
        left_out: said[text.len()..].chars().count(),
        text: text.to_owned(),
    }
}

fn offered(name: String, prompt: model::Prompt) -> Prompt {
    let about = prompt.description.as_deref().or(prompt.title.as_deref());
    let about = text::line(about.unwrap_or(&prompt.name), TITLE);
    let arguments = prompt.arguments.unwrap_or_default().into_iter();
    let arguments = arguments.take(ARGUMENTS).map(|argument| Argument {
        name: argument.name,
        required: argument.required.unwrap_or(false),
    });
    let arguments: Vec<_> = arguments.collect();
    let mut command = v1::AvailableCommand::new(name, about);
    if !arguments.is_empty() {
        let hint = v1::UnstructuredCommandInput::new(hint(&arguments));
        command.input = Some(v1::AvailableCommandInput::Unstructured(hint));
    }
    Prompt {
        command,
        theirs: prompt.name,
        arguments,
    }
}

fn hint(arguments: &[Argument]) -> String {
    let words = arguments.iter().map(|argument| {
        let name = text::line(&argument.name, NAME);
        match argument.required {
            true => format!("<{name}>"),
            false => format!("[{name}]"),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn description(words: &str) -> String {
    let words = plain::strip(words);
    match text::head(&words, DESCRIPTION) {
        (words, 0) => words.to_owned(),
        (words, _) => format!("{words}…"),
    }
}

/// What a list of a server came to.
struct List<T> {
    items: Vec<T>,
    left_out: usize,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List {
            items: Vec::new(),
            left_out: 0,
        }
    }
}

/// Fetches page after page, up to the bounds. An item that cannot be read costs only itself.
async fn fetch_all<T: DeserializeOwned>(
    peer: &Peer<RoleClient>,
    member: &str,
    request: impl Fn(PaginatedRequestParams) -> ClientRequest,
) -> Result<List<T>, ServiceError> {
    let mut list = List::default();
    let mut cursor = None;
    for _ in 0..PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let options = PeerRequestOptions::with_timeout(PAGE);
        let handle = peer
            .send_request_with_option(request(page), options)
            .await?;
        let answer = serde_json::to_value(handle.await_response().await?);
        let Ok(Value::Object(mut answer)) = answer else {
            return Err(ServiceError::UnexpectedResponse);
        };
        let Some(Value::Array(items)) = answer.remove(member) else {
            return Err(ServiceError::UnexpectedResponse);
        };
        for item in items {
            match serde_json::from_value(item) {
                Ok(item) if list.items.len() < ITEMS => list.items.push(item),
                _ => list.left_out += 1,
            }
        }
        match answer.remove("nextCursor") {
            Some(Value::String(next)) if list.items.len() < ITEMS => cursor = Some(next),
            _ => return Ok(list),
        }
    }
    Ok(list)
}

const PAGE: Duration = Duration::from_secs(20);
const PAGES: usize = 64;
const ITEMS: usize = 256;
const ARGUMENTS: usize = 16;
const NAME: usize = 48;
/// The longest address of a resource.
pub(super) const ADDRESS: usize = 4 * 1024;
const TITLE: usize = 200;
const DESCRIPTION: usize = 4 * 1024;
const SCHEMA: usize = 64 * 1024;
const ALL_SCHEMAS: usize = 1024 * 1024;
