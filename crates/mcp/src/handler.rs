//! Handles requests and notifications of a server: the session's directories, elicitations, progress of calls and list
//! changes. Servers can't use the model.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use attache::json::{self, Raw};
use attache::v1;
use reqwest::Url;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ElicitationSchema, ErrorData, FormElicitationCapability, Implementation,
    InputRequest, ProgressNotificationParam, ProgressToken, ProtocolVersion, RootsCapabilities,
};
#[expect(deprecated, reason = "servers of today still ask for roots")]
use rmcp::model::{ListRootsResult, Root};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};

use super::list_changes::ListChanges;
use super::{Progress, ServerContext, text};

/// The handler of one connection to a server.
#[derive(Clone)]
pub(super) struct Handler(Arc<HandlerInner>);

struct HandlerInner {
    server: String,
    context: Arc<ServerContext>,
    changes: ListChanges,
    listeners: Mutex<ProgressListeners>,
    questions: Semaphore,
    asking: AtomicUsize,
}

/// The receivers of progress. A call's token is known only after the call was sent, so progress may arrive before its
/// receiver is registered. Such progress is kept for a while.
#[derive(Default)]
struct ProgressListeners {
    calls: HashMap<ProgressToken, mpsc::Sender<Progress>>,
    early: VecDeque<(ProgressToken, Progress)>,
}

/// Ends the subscription to a call's progress when dropped.
pub(super) struct ProgressSubscription {
    handler: Handler,
    token: ProgressToken,
}

impl Handler {
    pub(super) fn new(server: &str, context: Arc<ServerContext>) -> Handler {
        Handler(Arc::new(HandlerInner {
            server: server.to_owned(),
            context,
            changes: ListChanges::default(),
            listeners: Mutex::default(),
            questions: Semaphore::new(QUESTIONS),
            asking: AtomicUsize::new(0),
        }))
    }

    /// The list changes that the server has announced.
    pub(super) fn changes(&self) -> &ListChanges {
        &self.0.changes
    }

    /// Whether an elicitation of the server waits for the user.
    pub(super) fn is_asking(&self) -> bool {
        self.0.asking.load(Ordering::Relaxed) > 0
    }

    /// Subscribes to the progress of a call.
    pub(super) fn follow(
        &self,
        token: ProgressToken,
        to: mpsc::Sender<Progress>,
    ) -> ProgressSubscription {
        self.with_listeners(|listeners| listeners.follow(token.clone(), to));
        let handler = self.clone();
        ProgressSubscription { handler, token }
    }

    /// Responds to an input request, which a server sends before it continues with one of our requests.
    pub(super) async fn answer(&self, request: InputRequest) -> Option<Value> {
        match request {
            InputRequest::Elicitation(request) => {
                serde_json::to_value(self.elicit(request.params).await).ok()
            }
            InputRequest::ListRoots(_) => serde_json::to_value(self.roots()).ok(),
            _ => None,
        }
    }

    fn with_listeners<T>(&self, act: impl FnOnce(&mut ProgressListeners) -> T) -> T {
        let listeners = self.0.listeners.lock();
        act(&mut listeners.unwrap_or_else(PoisonError::into_inner))
    }

    #[expect(deprecated, reason = "servers of today still ask for roots")]
    fn roots(&self) -> ListRootsResult {
        let uris = self.0.context.roots.iter().filter_map(uri);
        ListRootsResult::new(uris.map(Root::new).collect())
    }

    async fn elicit(&self, params: ElicitRequestParams) -> ElicitResult {
        let declined = ElicitResult::new(ElicitationAction::Decline);
        let ElicitRequestParams::FormElicitationParams {
            message,
            requested_schema,
            ..
        } = params
        else {
            return declined;
        };
        let Ok(_place) = self.0.questions.try_acquire() else {
            return declined;
        };
        self.0.asking.fetch_add(1, Ordering::Relaxed);
        let _asking = OpenQuestion(self);
        self.ask(&message, &requested_schema)
            .await
            .unwrap_or(declined)
    }

    /// Sends an elicitation to the client, with a form that names the server.
    async fn ask(&self, message: &str, schema: &ElicitationSchema) -> Option<ElicitResult> {
        let context = &self.0.context;
        let (client, session) = (context.client.as_ref()?, context.session.clone()?);
        if !context.can_ask() {
            return None;
        }
        let schema = serde_json::to_string(schema)
            .ok()
            .filter(|schema| schema.len() <= FORM)?;
        let schema: v1::ElicitationSchema = json::from_str(&schema).ok()?;
        let message = format!(
            "{} asks: {}",
            self.0.server,
            text::one_line(message, MESSAGE)
        );
        let scope = v1::ElicitationScope::Session(v1::ElicitationSessionScope::new(session));
        let mode = v1::ElicitationMode::Form(v1::ElicitationFormMode::new(schema));
        let request = v1::CreateElicitationRequest::new(message, scope, mode);
        let action = client.request(request).await.ok()?.action;
        match action {
            v1::ElicitationAction::Accept(accepted) => {
                let content = accepted.content.unwrap_or_default();
                let content = serde_json::from_str(Raw::of(&content).as_str()).ok()?;
                Some(ElicitResult::new(ElicitationAction::Accept).with_content(content))
            }
            v1::ElicitationAction::Cancel => Some(ElicitResult::new(ElicitationAction::Cancel)),
            _ => None,
        }
    }
}

impl ClientHandler for Handler {
    #[expect(deprecated, reason = "servers of today still ask for roots")]
    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(self.roots())
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            answer = self.elicit(params) => Ok(answer),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn on_progress(
        &self,
        told: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.with_listeners(|listeners| listeners.tell(&told.progress_token, progress(&told)));
    }

    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = Some(RootsCapabilities::default());
        if self.0.context.can_ask() {
            let mut elicitation = ElicitationCapability::new();
            elicitation.form = Some(FormElicitationCapability::new());
            capabilities.elicitation = Some(elicitation);
        }
        let us = Implementation::new("attache", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, us)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

impl Drop for ProgressSubscription {
    fn drop(&mut self) {
        let token = &self.token;
        self.handler
            .with_listeners(|listeners| listeners.calls.remove(token));
    }
}

impl ProgressListeners {
    fn follow(&mut self, token: ProgressToken, to: mpsc::Sender<Progress>) {
        self.early.retain(|(early, progress)| {
            let is_ours = *early == token;
            if is_ours {
                to.try_send(progress.clone()).ok();
            }
            !is_ours
        });
        self.calls.insert(token, to);
    }

    /// Passes on progress; drops it if the receiver is too slow.
    fn tell(&mut self, token: &ProgressToken, progress: Progress) {
        match self.calls.get(token) {
            Some(to) => {
                to.try_send(progress).ok();
            }
            None => {
                self.early.truncate(EARLY - 1);
                self.early.push_front((token.clone(), progress));
            }
        }
    }
}

/// Counts an open elicitation until it is dropped.
struct OpenQuestion<'a>(&'a Handler);

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.0.0.asking.fetch_sub(1, Ordering::Relaxed);
    }
}

fn progress(told: &ProgressNotificationParam) -> Progress {
    let total = told.total.filter(|total| *total > 0.0);
    let percent = total.map(|total| (told.progress / total * 100.0).clamp(0.0, 100.0));
    Progress {
        percent: percent.map(whole),
        message: told
            .message
            .as_deref()
            .map(|message| text::one_line(message, MESSAGE)),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies between 0 and 100"
)]
fn whole(percent: f64) -> u8 {
    percent as u8
}

fn uri(path: &PathBuf) -> Option<String> {
    Url::from_directory_path(path).ok().map(|url| {
        let url = String::from(url);
        url.strip_suffix('/').map_or(url.clone(), str::to_owned)
    })
}

const QUESTIONS: usize = 4;
const EARLY: usize = 16;
const MESSAGE: usize = 1000;
const FORM: usize = 64 * 1024;
