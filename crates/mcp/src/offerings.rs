//! The tools, prompts and resources of a server, fetched page by page within limits.

use std::collections::{HashMap, HashSet};
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
use super::{ServerText, Tool, names, schema, text};

/// The tools, prompts and resources of a server.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Offerings {
    pub(super) tools: Vec<ListedTool>,
    pub(super) prompts: Vec<ListedPrompt>,
    pub(super) resources: Vec<v1::ResourceLink>,
    /// Its instructions for the model.
    pub(super) instructions: Option<String>,
    /// The identity of the server.
    pub(super) server: Option<ServerIdentity>,
    /// How many items were left out as too many, too large or unreadable.
    pub(super) left_out: usize,
}

/// A tool and its name on the server.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ListedTool {
    pub(super) tool: Tool,
    pub(super) theirs: String,
}

/// A prompt and its name on the server.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ListedPrompt {
    pub(super) command: v1::AvailableCommand,
    pub(super) theirs: String,
    pub(super) arguments: Vec<PromptArgument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PromptArgument {
    pub(super) name: String,
    pub(super) required: bool,
}

/// The names of a server: for the user, and as part of other names.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerNames<'a> {
    pub(super) shown: &'a str,
    pub(super) slug: &'a str,
    pub(super) identity: &'a ServerIdentity,
}

impl Offerings {
    /// Fetches everything that the server's capabilities announce. An error listing tools is fatal; prompts or resources that
    /// can't be listed are left out.
    pub(super) async fn fetch(
        peer: &Peer<RoleClient>,
        names: ServerNames<'_>,
    ) -> Result<Offerings, ServiceError> {
        let info = peer.peer_info();
        let said = info.as_ref().and_then(|info| info.instructions.as_deref());
        let server = names.identity.declaring(info.as_deref());
        let names = ServerNames {
            identity: &server,
            ..names
        };
        let mut offerings = Offerings {
            instructions: said.map(description),
            server: Some(server.clone()),
            ..Offerings::default()
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
            offerings.take_tools(names, list.await?);
        }
        if offers.prompts.is_some() {
            let list = fetch_all(peer, "prompts", |page| {
                ClientRequest::ListPromptsRequest(ListPromptsRequest {
                    params: Some(page),
                    ..Default::default()
                })
            });
            offerings.take_prompts(names, list.await.unwrap_or_default());
        }
        if offers.resources.is_some() {
            let list = fetch_all(peer, "resources", |page| {
                ClientRequest::ListResourcesRequest(ListResourcesRequest {
                    params: Some(page),
                    ..Default::default()
                })
            });
            offerings.take_resources(list.await.unwrap_or_default());
        }
        Ok(offerings)
    }

    fn take_tools(&mut self, names: ServerNames<'_>, list: FetchedList<model::Tool>) {
        self.left_out += list.left_out;
        let mut taken = HashSet::new();
        let mut room = ALL_SCHEMAS;
        let mut by_name: HashMap<&str, Vec<&model::Tool>> = HashMap::new();
        for tool in &list.items {
            by_name.entry(&tool.name).or_default().push(tool);
        }
        for tool in &list.items {
            let others = by_name.remove(&*tool.name);
            let is_new = others.is_some();
            let others = others.unwrap_or_default();
            let others = others.get(1..).unwrap_or_default();
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
            self.tools.push(listed(names, name, schema, tool, others));
        }
    }

    fn take_prompts(&mut self, names: ServerNames<'_>, list: FetchedList<model::Prompt>) {
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

    fn take_resources(&mut self, list: FetchedList<model::Resource>) {
        self.left_out += list.left_out;
        for resource in list.items {
            match link(&resource) {
                Some(link) => self.resources.push(link),
                None => self.left_out += 1,
            }
        }
    }
}

/// A resource as an ACP link, unless its URI is too long.
pub(super) fn link(resource: &model::Resource) -> Option<v1::ResourceLink> {
    if resource.uri.len() > ADDRESS {
        return None;
    }
    let mut link = v1::ResourceLink::new(text::one_line(&resource.name, TITLE), &*resource.uri);
    let title = resource.title.as_deref();
    link.title = title.map(|title| text::one_line(title, TITLE));
    link.description = resource.description.as_deref().map(description);
    let media_type = resource.mime_type.as_deref();
    link.mime_type = media_type.map(|media_type| text::one_line(media_type, NAME));
    link.size = resource.size.and_then(|size| i64::try_from(size).ok());
    Some(link)
}

fn listed(
    names: ServerNames<'_>,
    name: String,
    schema: Value,
    tool: &model::Tool,
    others: &[&model::Tool],
) -> ListedTool {
    let hints = tool.annotations.as_ref();
    let title = tool.title.as_deref();
    let title = title.or_else(|| hints.and_then(|hints| hints.title.as_deref()));
    let read_only = hints.and_then(|hints| hints.read_only_hint) == Some(true);
    let destructive = hints.and_then(|hints| hints.destructive_hint);
    ListedTool {
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
            identity: ToolIdentity::of(names.identity, tool, others),
            title: text::one_line(title.unwrap_or(&tool.name), TITLE),
            read_only,
            destructive: destructive.unwrap_or(!read_only),
            words: words(tool),
        },
    }
}

/// The server's own text about a tool.
fn words(tool: &model::Tool) -> ServerText {
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
    ServerText {
        left_out: said[text.len()..].chars().count(),
        text: text.to_owned(),
    }
}

fn offered(name: String, prompt: model::Prompt) -> ListedPrompt {
    let about = prompt.description.as_deref().or(prompt.title.as_deref());
    let about = text::one_line(about.unwrap_or(&prompt.name), TITLE);
    let arguments = prompt.arguments.unwrap_or_default().into_iter();
    let arguments = arguments.take(ARGUMENTS).map(|argument| PromptArgument {
        name: argument.name,
        required: argument.required.unwrap_or(false),
    });
    let arguments: Vec<_> = arguments.collect();
    let mut command = v1::AvailableCommand::new(name, about);
    if !arguments.is_empty() {
        let hint = v1::UnstructuredCommandInput::new(hint(&arguments));
        command.input = Some(v1::AvailableCommandInput::Unstructured(hint));
    }
    ListedPrompt {
        command,
        theirs: prompt.name,
        arguments,
    }
}

fn hint(arguments: &[PromptArgument]) -> String {
    let words = arguments.iter().map(|argument| {
        let name = text::one_line(&argument.name, NAME);
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

/// A fetched list.
struct FetchedList<T> {
    items: Vec<T>,
    left_out: usize,
}

impl<T> Default for FetchedList<T> {
    fn default() -> Self {
        FetchedList {
            items: Vec::new(),
            left_out: 0,
        }
    }
}

/// Fetches all pages of a list, up to the limits. Items that can't be read are left out.
async fn fetch_all<T: DeserializeOwned>(
    peer: &Peer<RoleClient>,
    member: &str,
    request: impl Fn(PaginatedRequestParams) -> ClientRequest,
) -> Result<FetchedList<T>, ServiceError> {
    let mut list = FetchedList::default();
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
/// Maximum length of a resource's URI.
pub(super) const ADDRESS: usize = 4 * 1024;
const TITLE: usize = 200;
const DESCRIPTION: usize = 4 * 1024;
const SCHEMA: usize = 64 * 1024;
const ALL_SCHEMAS: usize = 1024 * 1024;
