//! Encryption of the connections, checked the machine's way.

use std::{fmt, fs, path::Path, sync::Arc};

use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use crate::MailError;

/// A connection, encrypted or not.
pub(super) trait Wire: AsyncRead + AsyncWrite + Unpin + Send + Sync + fmt::Debug {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + Sync + fmt::Debug> Wire for T {}

/// Encrypts a connection to a host.
pub(super) async fn encrypted(
    host: &str,
    certificates: Option<&Path>,
    stream: TcpStream,
) -> Result<Box<dyn Wire>, MailError> {
    let config = config(host, certificates)?;
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| refused(host, "its name can have no certificate".into()))?;
    let connector = TlsConnector::from(Arc::new(config));
    let stream = connector.connect(name, stream).await;
    let stream = stream.map_err(|error| MailError::Unreachable {
        place: host.to_owned(),
        why: format!("no encrypted connection: {error}"),
    })?;
    Ok(Box::new(stream))
}

fn pem(host: &str, file: &Path) -> Result<Vec<u8>, MailError> {
    fs::read(file).map_err(|error| refused(host, format!("{}: {error}", file.display())))
}

fn config(host: &str, certificates: Option<&Path>) -> Result<ClientConfig, MailError> {
    let mut extra: Vec<CertificateDer<'static>> = Vec::new();
    if let Some(file) = certificates {
        for certificate in CertificateDer::pem_slice_iter(&pem(host, file)?) {
            let certificate = certificate
                .map_err(|_| refused(host, format!("{} has no certificates", file.display())))?;
            extra.push(certificate);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| refused(host, error.to_string()))?;
    let verifier =
        rustls_platform_verifier::Verifier::new_with_extra_roots(extra.clone(), provider);
    let config = match verifier {
        Ok(verifier) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier)),
        // A machine without certificates gets those of the web.
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

fn refused(host: &str, why: String) -> MailError {
    MailError::Refused {
        place: host.to_owned(),
        why,
    }
}
