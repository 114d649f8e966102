//! Lists, names, archives and deletes stored sessions.

use std::sync::Arc;

use attache::schema::{FilePath, error};
use attache::{Error, v1};
use attache_journal::{ArchiveFilter, SessionFilter, StoredSession, TitleSource};

use super::Agent;
use crate::failure::{Failure, of_session};

impl Agent {
    pub(super) async fn list(
        self: &Arc<Self>,
        request: v1::ListSessionsRequest,
    ) -> Result<v1::ListSessionsResponse, Error> {
        let archived = match request.archived {
            None | Some(v1::SessionArchiveFilter::Exclude) => ArchiveFilter::Exclude,
            Some(v1::SessionArchiveFilter::Include) => ArchiveFilter::Include,
            Some(v1::SessionArchiveFilter::Only) => ArchiveFilter::Only,
            Some(_) => return Err(error::unusable_params("unknown archive filter")),
        };
        let filter = SessionFilter {
            cwd: request.cwd.map(|cwd| cwd.as_path().to_owned()),
            archived,
        };
        let page = self
            .store
            .list(&filter, request.cursor.as_deref(), PAGE)
            .await
            .map_err(Failure::from)?;
        let mut response = v1::ListSessionsResponse::new(page.infos.into_iter().filter_map(listed));
        response.next_cursor = page.next;
        Ok(response)
    }

    pub(super) async fn delete(
        self: &Arc<Self>,
        request: v1::DeleteSessionRequest,
    ) -> Result<v1::DeleteSessionResponse, Error> {
        let _alone = self.locks.lock(&request.session_id).await;
        self.close_if_open(&request.session_id).await;
        let done = self.store.delete(request.session_id.as_str()).await;
        done.map_err(|fault| of_session(fault, &request.session_id))?;
        Ok(v1::DeleteSessionResponse::new())
    }

    pub(super) async fn archive(
        self: &Arc<Self>,
        request: v1::ArchiveSessionRequest,
    ) -> Result<v1::ArchiveSessionResponse, Error> {
        let _alone = self.locks.lock(&request.session_id).await;
        self.close_if_open(&request.session_id).await;
        let done = self.store.archive(request.session_id.as_str()).await;
        done.map_err(|fault| of_session(fault, &request.session_id))?;
        Ok(v1::ArchiveSessionResponse::new())
    }

    pub(super) async fn unarchive(
        self: &Arc<Self>,
        request: v1::UnarchiveSessionRequest,
    ) -> Result<v1::UnarchiveSessionResponse, Error> {
        let done = self.store.unarchive(request.session_id.as_str()).await;
        done.map_err(|fault| of_session(fault, &request.session_id))?;
        Ok(v1::UnarchiveSessionResponse::new())
    }

    pub(super) async fn status(
        self: &Arc<Self>,
        request: v1::SessionStatusRequest,
    ) -> Result<v1::SessionStatusResponse, Error> {
        if self.session(&request.session_id).is_ok() {
            return Ok(v1::SessionStatusResponse::new(v1::SessionStatus::Open));
        }
        let known = self.store.info(request.session_id.as_str()).await;
        known.map_err(|fault| of_session(fault, &request.session_id))?;
        Ok(v1::SessionStatusResponse::new(v1::SessionStatus::Saved))
    }

    pub(super) async fn set_title(
        self: &Arc<Self>,
        request: v1::SetSessionTitleRequest,
    ) -> Result<v1::SetSessionTitleResponse, Error> {
        let words: Vec<&str> = request.title.split_whitespace().collect();
        let title: String = words
            .join(" ")
            .chars()
            .filter(|letter| !letter.is_control())
            .take(MOST_TITLE)
            .collect();
        if title.is_empty() {
            return Err(error::unusable_params("the title is empty"));
        }
        let id = &request.session_id;
        let named = self
            .store
            .set_title(id.as_str(), &title, TitleSource::Person)
            .await;
        named.map_err(|fault| of_session(fault, id))?;
        if let Ok(session) = self.session(&request.session_id) {
            let update = v1::SessionInfoUpdate::new().title(title.clone());
            // The response contains the title too.
            drop(session.send_update(update).await);
        }
        Ok(v1::SetSessionTitleResponse::new(title))
    }

    async fn close_if_open(self: &Arc<Self>, id: &v1::SessionId) {
        if let Ok(session) = self.session(id) {
            self.close(&session).await;
        }
    }
}

/// A session as listed for the client; `None` if a directory is not valid on the wire.
fn listed(info: StoredSession) -> Option<v1::SessionInfo> {
    let cwd = FilePath::try_from(info.cwd).ok()?;
    let additional = info
        .additional
        .into_iter()
        .filter_map(|path| FilePath::try_from(path).ok());
    let mut listed = v1::SessionInfo::new(info.id, cwd)
        .additional_directories(additional.collect::<Vec<_>>())
        .updated_at(info.updated.to_string())
        .archived(info.archived);
    listed.title = info.title;
    Some(listed)
}

const PAGE: usize = 50;
const MOST_TITLE: usize = 200;
