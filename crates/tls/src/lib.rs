//! The cryptography that TLS is done with, chosen in one place for every crate that opens connections.
//!
//! `reqwest` is built without a provider and takes the one of the process, so whoever builds a client calls [`prepare`]
//! first. Connections and certificates are the business of those crates.

/// Makes TLS ready for every user of `rustls` in this process. It can be called from anywhere, any number of times.
pub fn prepare() {
    // Whoever comes second finds a provider installed, which is all that is wanted.
    drop(rustls::crypto::ring::default_provider().install_default());
}

#[cfg(test)]
mod tests {
    use rustls::crypto::CryptoProvider;

    #[test]
    fn a_provider_is_there_however_often_and_wherever_it_is_asked_for() {
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(super::prepare)).collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
        super::prepare();
        assert!(CryptoProvider::get_default().is_some());
    }
}
