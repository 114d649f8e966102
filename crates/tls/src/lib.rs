//! Chooses the cryptography provider for TLS, in one place for all crates that open connections.
//!
//! `reqwest` is built without a provider and uses the one of the process, so call [`prepare`] before you build a client.
//! This crate does not deal with connections or certificates.

/// Installs the cryptography provider for every user of `rustls` in this process. You can call it from anywhere, any number
/// of times.
pub fn prepare() {
    // Fails if a provider is already installed, which is fine.
    drop(rustls::crypto::ring::default_provider().install_default());
}

#[cfg(test)]
mod tests {
    use rustls::crypto::CryptoProvider;

    #[test]
    fn prepare_can_be_called_repeatedly_and_from_several_threads() {
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(super::prepare)).collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
        super::prepare();
        assert!(CryptoProvider::get_default().is_some());
    }
}
