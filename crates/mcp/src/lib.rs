//! A client of the Model Context Protocol (MCP): the servers of a session, their tools, resources and prompts.
//!
//! The caller decides whether a tool may be called, and what the model sees of its result.
//!
//! A server is not trusted. It is connected in the background and its messages are bounded. If it fails, the caller gets
//! a [`ServerEvent`]; the session and the other servers keep working.

mod acp_transport;
mod connect;
mod content;
mod environment;
mod handler;
mod http;
mod identity;
mod list_changes;
mod names;
mod offerings;
mod prompts;
mod schema;
mod server;
mod server_context;
mod server_state;
mod server_task;
mod sse_transport;
mod stdio_transport;
mod text;
mod web;
mod wire;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attache::v1;
use futures_util::future;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, GetPromptRequest,
    GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams, ServerResult,
};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use offerings::{ListedPrompt, ListedTool, Offerings};
use server::Server;
use server_task::ServerTask;

pub use content::{CallResult, Content};
pub use identity::{DefinitionPart, Fingerprint, ServerIdentity, ToolIdentity, ToolSnapshot};
pub use server_context::ServerContext;
pub use server_state::{Error, ServerEvent, ServerState, ServerStatus};

/// All MCP servers of a session. Clones share them; dropping the last one ends the servers in the background.
#[derive(Clone)]
pub struct Servers(Arc<[Arc<ServerEntry>]>);

struct ServerEntry {
    server: Arc<Server>,
    task: Mutex<Option<ServerTask>>,
}

/// A tool of a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name for the model: `mcp__server__tool`.
    pub full_name: String,
    /// Its description for the model.
    pub description: String,
    /// The schema of its input, as JSON Schema that every model provider accepts.
    pub input_schema: Value,
    /// The configured name of its server.
    pub server: String,
    /// Its name on the server.
    pub name: String,
    /// The identity that lasting permissions are bound to.
    pub identity: ToolIdentity,
    /// The server's title for it, or its name.
    pub title: String,
    /// Whether the server claims that the tool only reads. The claim is not trusted: it does not replace permission.
    pub read_only: bool,
    /// Whether the tool may be destructive: `true` unless the server denies it.
    pub destructive: bool,
    /// The server's own text about the tool, to quote to the user.
    pub words: ServerText,
}

/// A server's own text about a tool: titles, then the description.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ServerText {
    /// The text, including control and hidden characters.
    pub text: String,
    /// Characters left out at the end.
    pub left_out: usize,
}

/// A resource, and the server to read it from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The configured name of its server.
    pub server: String,
    /// Its URI.
    pub uri: String,
    /// The identity that lasting permissions are bound to.
    pub identity: ServerIdentity,
}

/// The progress of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// The percentage that is done, if the server reports it.
    pub percent: Option<u8>,
    /// The server's message.
    pub message: Option<String>,
}

impl Servers {
    /// Starts connecting to all servers in the background. Must be called within a tokio runtime.
    ///
    /// If the caller does not receive the events, the servers that send them stall, but no others do.
    pub fn connect(
        list: Vec<v1::McpServer>,
        context: ServerContext,
        events: mpsc::Sender<ServerEvent>,
    ) -> Servers {
        let context = Arc::new(context);
        let slugs = names::servers(list.iter().map(name_of));
        let entries = list
            .into_iter()
            .zip(slugs)
            .enumerate()
            .map(|(index, (config, slug))| {
                let name = shown(name_of(&config), &slug);
                let server = Server::new(name, slug, config, Arc::clone(&context), events.clone());
                let server = Arc::new(server);
                let task = if index < MOST {
                    Some(ServerTask::start(Arc::clone(&server)))
                } else {
                    server.refuse(format!("a session has at most {MOST} servers"));
                    None
                };
                Arc::new(ServerEntry {
                    server,
                    task: Mutex::new(task),
                })
            });
        Servers(entries.collect())
    }

    /// Waits until each server is connected or has failed.
    pub async fn ready(&self) {
        future::join_all(self.all().map(|server| server.settled())).await;
    }

    /// The tools of the servers that are ready.
    pub fn tools(&self) -> Vec<Tool> {
        let offerings = self.open().map(|server| server.offerings());
        let tools = |offerings: Arc<Offerings>| {
            let tools = offerings.tools.iter().map(|listed| listed.tool.clone());
            tools.collect::<Vec<_>>()
        };
        offerings.flat_map(tools).collect()
    }

    /// A tool by its name for the model. Tools of servers that have ended are still found.
    pub fn tool(&self, name: &str) -> Option<Tool> {
        self.find_tool(name).map(|(_, listed)| listed.tool)
    }

    /// A tool as it is now: if its server has announced a change, waits for the new list.
    ///
    /// # Errors
    ///
    /// When the server does not send its lists.
    pub async fn current_tool(&self, name: &str) -> Result<Option<Tool>, Error> {
        if let Some((server, _)) = self.find_tool(name) {
            server.fresh().await?;
        }
        Ok(self.tool(name))
    }

    /// The resource with a URI, as [`read`](Self::read) would find it.
    ///
    /// # Errors
    ///
    /// When no server has it.
    pub async fn resource(&self, uri: &str) -> Result<Resource, Error> {
        if let Some(server) = self.find_resource(uri) {
            server.fresh().await?;
        }
        let server = self.find_resource(uri);
        let server = server.ok_or(Error::Unknown("resource"))?;
        Ok(resource_of(server, uri))
    }

    /// The prompts of the servers that are ready, as commands named `server:prompt`.
    pub fn prompts(&self) -> Vec<v1::AvailableCommand> {
        let offerings = self.open().map(|server| server.offerings());
        let commands = |offerings: Arc<Offerings>| {
            let commands = offerings
                .prompts
                .iter()
                .map(|prompt| prompt.command.clone());
            commands.collect::<Vec<_>>()
        };
        offerings.flat_map(commands).collect()
    }

    /// The resources of the servers that are ready.
    pub fn resources(&self) -> Vec<v1::ResourceLink> {
        let offerings = self.open().map(|server| server.offerings());
        offerings
            .flat_map(|offerings| offerings.resources.clone())
            .collect()
    }

    /// Calls a tool with the model's input. Dropping the future cancels the call on the server.
    pub async fn call(
        &self,
        name: &str,
        input: &str,
        mut progress: impl FnMut(Progress) + Send,
    ) -> CallResult {
        let called = self.try_call(name, None, input, &mut progress).await;
        called.unwrap_or_else(|failure| failed(&failure))
    }

    /// Like [`call`](Self::call), but only if the server still defines the tool as the user allowed it.
    pub async fn call_unchanged(
        &self,
        tool: &Tool,
        input: &str,
        mut progress: impl FnMut(Progress) + Send,
    ) -> CallResult {
        let called = self.try_call(&tool.full_name, Some(tool), input, &mut progress);
        called.await.unwrap_or_else(|failure| failed(&failure))
    }

    /// Gets a prompt, with the text that the user typed after its name as arguments.
    pub async fn prompt(&self, name: &str, words: &str) -> Result<Vec<Content>, Error> {
        let (server, prompt) = self.find_prompt(name).ok_or(Error::Unknown("prompt"))?;
        let arguments = prompts::arguments(&prompt.arguments, words)?;
        let request = |given, state| {
            let mut params = GetPromptRequestParams::new(&*prompt.theirs);
            params.arguments = Some(arguments.clone());
            params.input_responses = given;
            params.request_state = state;
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        };
        match server.ask(request, &mut drop).await? {
            ServerResult::GetPromptResult(result) => server.cleared(result, content::prompt),
            _ => Err(server.failure(NO_ANSWER)),
        }
    }

    /// Reads a resource from the server that lists it, or from the only one with resources.
    pub async fn read(&self, uri: &str) -> Result<Vec<Content>, Error> {
        self.try_read(uri, None).await
    }

    /// Reads a resource that the user has allowed, only from the server that the user was asked about.
    ///
    /// # Errors
    ///
    /// When the resource would come from another server now, or the server fails.
    pub async fn read_unchanged(&self, resource: &Resource) -> Result<Vec<Content>, Error> {
        self.try_read(&resource.uri, Some(resource)).await
    }

    async fn try_read(&self, uri: &str, allowed: Option<&Resource>) -> Result<Vec<Content>, Error> {
        let server = self.find_resource(uri);
        let server = server.ok_or(Error::Unknown("resource"))?;
        if allowed.is_some_and(|allowed| *allowed != resource_of(server, uri)) {
            return Err(Error::Changed(server.name.clone()));
        }
        let request = |given, state| {
            let mut params = ReadResourceRequestParams::new(uri);
            params.input_responses = given;
            params.request_state = state;
            ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
        };
        match server.ask(request, &mut drop).await? {
            ServerResult::ReadResourceResult(result) => {
                server.cleared(result, |result| content::resource(result.contents))
            }
            _ => Err(server.failure(NO_ANSWER)),
        }
    }

    /// The instructions of the servers that are ready, with their names. The text is not trusted.
    pub fn instructions(&self) -> Vec<(String, String)> {
        let said = self.open().filter_map(|server| {
            let said = server.offerings().instructions.clone()?;
            Some((server.name.clone(), said))
        });
        said.collect()
    }

    /// Delivers a notification that the client forwards from a server reached through it.
    pub fn deliver(&self, notification: &v1::MessageMcpNotification) {
        self.all().any(|server| server.deliver(notification));
    }

    /// The current state of all servers.
    pub fn states(&self) -> Vec<ServerState> {
        let states = self.all().map(|server| ServerState {
            name: server.name.clone(),
            transport: transport_of(&server.config),
            status: server.status(),
        });
        states.collect()
    }

    /// Ends a server and connects to it again, by its name in [`Servers::states`]. Fails if the server was closed or is already
    /// being reconnected. Runs to completion even if the caller stops waiting.
    pub async fn reconnect(&self, name: &str) -> Result<(), Error> {
        let entry = self.0.iter().find(|entry| entry.server.name == name);
        let entry = entry.ok_or(Error::Unknown("server"))?;
        let Some(task) = entry.take() else {
            return Err(entry
                .server
                .failure("it was closed, or is being connected again"));
        };
        let again = Arc::clone(entry);
        let restarted = tokio::spawn(async move {
            task.close().await;
            again.put(ServerTask::start(Arc::clone(&again.server)));
        });
        // Fails only if the runtime is shutting down.
        drop(restarted.await);
        entry.server.settled().await;
        match entry.server.status() {
            ServerStatus::Failed(reason) | ServerStatus::Ended(reason) => {
                Err(entry.server.failure(&reason))
            }
            ServerStatus::Connecting | ServerStatus::Ready { .. } => Ok(()),
        }
    }

    /// Ends all servers and waits until they have ended, for a few seconds at most.
    pub async fn close(&self) {
        let keepers = self.0.iter().filter_map(|entry| entry.take());
        future::join_all(keepers.map(ServerTask::close)).await;
    }

    async fn try_call(
        &self,
        name: &str,
        allowed: Option<&Tool>,
        input: &str,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<CallResult, Error> {
        let (server, _) = self.find_tool(name).ok_or(Error::Unknown("tool"))?;
        if allowed.is_some() {
            server.fresh().await?;
        }
        let (server, listed) = self.find_tool(name).ok_or(Error::Unknown("tool"))?;
        if allowed.is_some_and(|allowed| allowed.identity != listed.tool.identity) {
            return Err(Error::Changed(server.name.clone()));
        }
        let arguments = arguments(input)?;
        let request = |given, state| {
            let mut params = CallToolRequestParams::new(listed.theirs.clone());
            params.arguments = Some(arguments.clone());
            params.input_responses = given;
            params.request_state = state;
            ClientRequest::CallToolRequest(CallToolRequest::new(params))
        };
        match server.ask(request, progress).await? {
            ServerResult::CallToolResult(result) => server.cleared(result, content::result),
            _ => Err(server.failure(NO_ANSWER)),
        }
    }

    fn find_tool(&self, name: &str) -> Option<(&Arc<Server>, ListedTool)> {
        self.all().find_map(|server| {
            let offerings = server.offerings();
            let mut tools = offerings.tools.iter();
            let listed = tools.find(|listed| listed.tool.full_name == name)?;
            Some((server, listed.clone()))
        })
    }

    /// The server that lists a resource, or the only one that has resources at all.
    fn find_resource(&self, uri: &str) -> Option<&Arc<Server>> {
        let has = |server: &&Arc<Server>| {
            let offerings = server.offerings();
            offerings.resources.iter().any(|link| link.uri == uri)
        };
        let mut with_any = self
            .open()
            .filter(|server| !server.offerings().resources.is_empty());
        let only = with_any.next().filter(|_| with_any.next().is_none());
        self.open().find(has).or(only)
    }

    fn find_prompt(&self, name: &str) -> Option<(&Arc<Server>, ListedPrompt)> {
        self.all().find_map(|server| {
            let offerings = server.offerings();
            let mut prompts = offerings.prompts.iter();
            let prompt = prompts.find(|prompt| prompt.command.name == name)?;
            Some((server, prompt.clone()))
        })
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Server>> {
        self.0.iter().map(|entry| &entry.server)
    }

    fn open(&self) -> impl Iterator<Item = &Arc<Server>> {
        let is_ready =
            |server: &&Arc<Server>| matches!(server.status(), ServerStatus::Ready { .. });
        self.all().filter(is_ready)
    }
}

impl ServerEntry {
    fn take(&self) -> Option<ServerTask> {
        self.lock().take()
    }

    fn put(&self, task: ServerTask) {
        *self.lock() = Some(task);
    }

    fn lock(&self) -> MutexGuard<'_, Option<ServerTask>> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Servers").field(&self.states()).finish()
    }
}

fn resource_of(server: &Server, uri: &str) -> Resource {
    Resource {
        server: server.name.clone(),
        uri: uri.to_owned(),
        identity: server.identity(),
    }
}

fn failed(failure: &Error) -> CallResult {
    let words = failure.to_string();
    CallResult {
        for_user: vec![v1::ContentBlock::from(words.clone())],
        for_model: vec![Content::Text(words)],
        raw: None,
        failed: true,
    }
}

fn arguments(input: &str) -> Result<Map<String, Value>, Error> {
    if input.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(input) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err(Error::Input("the input is not a JSON object".to_owned())),
        Err(fault) => Err(Error::Input(format!("the input is not JSON: {fault}"))),
    }
}

fn name_of(server: &v1::McpServer) -> &str {
    match server {
        v1::McpServer::Stdio(server) => &server.name,
        v1::McpServer::Http(server) => &server.name,
        v1::McpServer::Sse(server) => &server.name,
        v1::McpServer::Acp(server) => &server.name,
        _ => "unknown",
    }
}

fn transport_of(server: &v1::McpServer) -> &'static str {
    match server {
        v1::McpServer::Stdio(_) => "stdio",
        v1::McpServer::Http(_) => "http",
        v1::McpServer::Sse(_) => "sse",
        v1::McpServer::Acp(_) => "acp",
        _ => "unknown",
    }
}

/// The configured name, made safe to show, with a number if another server has the same name.
fn shown(name: &str, slug: &str) -> String {
    let name = text::one_line(name, NAME);
    let number = slug.rsplit_once('_').map(|(_, number)| number);
    let number = number.filter(|number| number.parse::<usize>().is_ok() && !name.ends_with(number));
    match number {
        Some(number) => format!("{name} ({number})"),
        None if name.is_empty() => slug.to_owned(),
        None => name,
    }
}

const MOST: usize = 32;
/// Maximum servers that a request may name. The first 32 are connected; the user is notified of the others.
pub const MOST_NAMED: usize = 256;
const NAME: usize = 64;
const NO_ANSWER: &str = "it sent a response of the wrong type";
