//! Every method with a way to make its parameters and its result.

use std::fmt::Debug;

use crate::json::{self, Decode, Encode};
use crate::method::{Method, Notification, Request};
use crate::tests::sample::{Sample, SampleSource};
use crate::v1;

/// A method of the table.
pub(super) struct MethodSamples {
    pub(super) method: &'static Method,
    pub(super) params: TypeSampler,
    pub(super) result: Option<TypeSampler>,
}

/// Functions for a type, so that tests need not name the type.
#[derive(Clone, Copy)]
pub(super) struct TypeSampler {
    /// A value as JSON.
    pub(super) sample: fn(&mut SampleSource<'_>) -> String,
    /// Whether a text can be read. If it can, the function also writes it and reads it again.
    pub(super) again: fn(&str) -> bool,
}

impl MethodSamples {
    /// Parameters or a result, and whether it is a result.
    pub(super) fn sample(&self, source: &mut SampleSource<'_>) -> (String, bool) {
        match self.result {
            Some(result) if bool::sample(source) => ((result.sample)(source), true),
            _ => ((self.params.sample)(source), false),
        }
    }
}

impl TypeSampler {
    const fn of<T: Sample + Decode + Encode + PartialEq + Debug>() -> Self {
        TypeSampler {
            sample: |source| json::to_string(&T::sample(source)),
            again: again::<T>,
        }
    }
}

fn again<T: Decode + Encode + PartialEq + Debug>(text: &str) -> bool {
    let Ok(value) = json::from_str::<T>(text) else {
        return false;
    };
    let written = json::to_string(&value);
    assert!(!written.contains(['\n', '\r']), "{written:?}");
    let others = serde_json::from_str::<serde::de::IgnoredAny>(&written);
    assert!(others.is_ok(), "no JSON: {written}");
    assert_eq!(json::from_str(&written).as_ref(), Ok(&value), "{written}");
    true
}

macro_rules! every {
    (requests { $($Request:ident)* } notifications { $($Notification:ident)* }) => {
        pub(super) const EVERY: &[MethodSamples] = &[
            $(MethodSamples {
                method: <v1::$Request as Request>::METHOD,
                params: TypeSampler::of::<v1::$Request>(),
                result: Some(TypeSampler::of::<<v1::$Request as Request>::Response>()),
            },)*
            $(MethodSamples {
                method: <v1::$Notification as Notification>::METHOD,
                params: TypeSampler::of::<v1::$Notification>(),
                result: None,
            },)*
        ];
    };
}

every! {
    requests {
        InitializeRequest AuthenticateRequest LogoutRequest AuthStatusRequest
        NewSessionRequest LoadSessionRequest ResumeSessionRequest CloseSessionRequest ListSessionsRequest
        DeleteSessionRequest ForkSessionRequest ArchiveSessionRequest UnarchiveSessionRequest
        SessionStatusRequest SetSessionTitleRequest SetSessionModeRequest SetSessionConfigOptionRequest
        PromptRequest ListProvidersRequest SetProviderRequest DisableProviderRequest
        RequestPermissionRequest ReadTextFileRequest WriteTextFileRequest
        CreateTerminalRequest TerminalOutputRequest WaitForTerminalExitRequest KillTerminalRequest
        ReleaseTerminalRequest CreateElicitationRequest MessageMcpRequest
        InitializeProxyRequest ProxySuccessorRequest
    }
    notifications {
        CancelNotification MessageMcpNotification SessionNotification CompleteElicitationNotification
        AuthStatusUpdateNotification ProxySuccessorNotification CancelRequestNotification
    }
}

#[test]
fn no_method_is_missing() {
    for method in Method::all() {
        let same = |row: &&MethodSamples| {
            row.method.name == method.name
                && row.method.kind == method.kind
                && row.method.direction == method.direction
        };
        let found = EVERY.iter().filter(same).count();
        assert_eq!(found, 1, "{} {:?}", method.name, method.kind);
    }
    assert_eq!(EVERY.len(), Method::all().count());
}
