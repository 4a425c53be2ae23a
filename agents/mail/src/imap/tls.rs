//! TLS of mail connections, with the policy of the HTTP client and the roots of the account.

use std::{fmt, fs, path::Path, sync::Arc};

use rustls::{
    ClientConfig,
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
    superstep::http::tls::config(extra).map_err(|error| refused(host, error.to_string()))
}

fn refused(host: &str, why: String) -> MailError {
    MailError::Refused {
        place: host.to_owned(),
        why,
    }
}
