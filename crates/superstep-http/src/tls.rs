//! TLS policy: rustls with ring, certificates checked the machine's way.
//!
//! The platform's verifier knows the roots that an administrator added or removed (`SSL_CERT_FILE`
//! included); a machine without any, such as a bare container, gets the built-in list of the web.
//! The provider of cryptography is part of the configuration, so none is installed for the process.

use std::sync::Arc;

use rustls::{ClientConfig, RootCertStore, pki_types::CertificateDer};

/// The configuration of a connection; `extra` roots are trusted beside those of the machine.
pub fn config(extra: Vec<CertificateDer<'static>>) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()?;
    let verifier =
        rustls_platform_verifier::Verifier::new_with_extra_roots(extra.clone(), provider);
    let config = match verifier {
        Ok(verifier) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier)),
        Err(_) => {
            let mut roots = RootCertStore {
                roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
            };
            roots.add_parsable_certificates(extra);
            builder.with_root_certificates(roots)
        }
    };
    Ok(config.with_no_client_auth())
}
