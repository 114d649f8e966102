//! Text that must not appear in a log.

use std::fmt;

use attache_rpc::json::{Decode, DecodeError, Encode, Reader, write};

/// Text that may be a key, a password or personal data. It is encoded as it is, but `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Secret(String);

impl Secret {
    /// The text itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Secret(text.to_owned())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Secret(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} bytes, not shown)", self.0.len())
    }
}

impl Decode for Secret {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        String::decode(reader).map(Secret)
    }
}

impl Encode for Secret {
    fn encode(&self, out: &mut String) {
        write::string(out, &self.0);
    }
}

#[cfg(test)]
impl crate::tests::sample::Sample for Secret {
    fn sample(source: &mut crate::tests::sample::SampleSource<'_>) -> Self {
        Secret(source.text())
    }
}

#[cfg(test)]
mod tests {
    use attache_rpc::json::Raw;

    use crate::call::Extension;
    use crate::v1;

    #[test]
    fn debug_output_hides_secrets() {
        let server = v1::McpServerStdio::new(
            "files",
            "/bin/files",
            ["--stdio"],
            [v1::EnvVariable::new("API_KEY", "hunter2")],
        );
        let remote = v1::McpServerHttp::new(
            "issues",
            "https://example.com",
            [v1::HttpHeader::new("Authorization", "Bearer hunter2")],
        );
        let servers: [v1::McpServer; 2] = [server.into(), remote.into()];
        let request = v1::NewSessionRequest::new("/project", servers).meta(v1_meta());
        let printed = format!("{request:?}");
        assert!(printed.contains("API_KEY"), "{printed}");
        assert!(!printed.contains("hunter2"), "{printed}");
    }

    #[test]
    fn debug_output_hides_unknown_variants() {
        for text in [
            r#"{"method":"_x","params":{"token":"hunter2"}}"#,
            r#"{"method":"session/prompt","params":{"token":"hunter2"}}"#,
        ] {
            let request: v1::ProxySuccessorRequest = crate::json::from_str(text).expect("read");
            hides(&request);
        }
        let method = r#"{"type":"oauth","id":"o","name":"n","secret":"hunter2"}"#;
        hides(&crate::json::from_str::<v1::AuthMethod>(method).expect("read"));
        let update = r#"{"sessionUpdate":"x_new","token":"hunter2"}"#;
        hides(&crate::json::from_str::<v1::SessionUpdate>(update).expect("read"));
        let params = Raw::parse(r#"{"token":"hunter2"}"#).expect("JSON");
        let method = "_x".to_owned();
        let call = Extension {
            method,
            params: Some(params.clone()),
        };
        hides(&call);
        hides(&attache_rpc::Error::new(1, "m").data(params));
    }

    #[test]
    fn debug_output_hides_accounts() {
        let account =
            r#"{"label":"hunter2","name":"hunter2","email":"hunter2","organization":"hunter2"}"#;
        hides(&crate::json::from_str::<v1::AuthAccount>(account).expect("read"));
    }

    fn hides(value: &impl std::fmt::Debug) {
        let printed = format!("{value:?}");
        assert!(!printed.contains("hunter2"), "{printed}");
        assert!(printed.contains("not shown"), "{printed}");
    }

    fn v1_meta() -> crate::Meta {
        crate::Meta::new().with("credentials", serde_json::json!({ "token": "hunter2" }))
    }
}
