//! `/settings`: the settings of the program around the server, for its operator alone.
//!
//! The program implements `OperatorSettings`; a server without one has no settings here. Changes are taken from this
//! machine only: a key must not cross a network that the server does not encrypt.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    extract::{ConnectInfo, FromRequestParts, Path, State},
    http::{StatusCode, request::Parts},
    response::{IntoResponse, Response},
};
use serde_json::Value as Json;
use superstep::Secret;

use crate::{
    app::{
        App,
        operator_settings::{OperatorSettings, SettingsChange},
    },
    refusal::{Refusal, answer},
    request::payload::Payload,
};

/// The headers by which proxies name the machine that a request is from.
const FORWARDED: [&str; 3] = ["forwarded", "x-forwarded-for", "x-real-ip"];

/// Whether a request is from this machine. What a proxy passed on is not, and unknown counts as no.
pub(crate) struct IsLocal(bool);

impl<S: Sync> FromRequestParts<S> for IsLocal {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let is_local = peer.is_some_and(|peer| peer.0.ip().to_canonical().is_loopback());
        let is_direct = !FORWARDED
            .iter()
            .any(|name| parts.headers.contains_key(*name));
        Ok(Self(is_local && is_direct))
    }
}

/// `GET /settings`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    IsLocal(is_local): IsLocal,
) -> Result<Response, Refusal> {
    let mut settings = app.settings()?.read().await?;
    if let Json::Object(fields) = &mut settings {
        fields.insert("can_change".to_owned(), is_local.into());
    }
    Ok(answer(&settings))
}

/// `PUT /settings/model`
pub(crate) async fn model(
    State(app): State<Arc<App>>,
    is_local: IsLocal,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let name = required(&mut body, "name")?;
    app.change(is_local, SettingsChange::Model { name }).await
}

/// `PUT /settings/keys/{provider}`
pub(crate) async fn key(
    State(app): State<Arc<App>>,
    is_local: IsLocal,
    Path(provider): Path<String>,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let key = Secret::new(required(&mut body, "key")?);
    app.change(is_local, SettingsChange::Key { provider, key })
        .await
}

/// `DELETE /settings/keys/{provider}`
pub(crate) async fn remove_key(
    State(app): State<Arc<App>>,
    is_local: IsLocal,
    Path(provider): Path<String>,
) -> Result<Response, Refusal> {
    app.change(is_local, SettingsChange::RemoveKey { provider })
        .await
}

/// `POST /settings/download`
pub(crate) async fn download(
    State(app): State<Arc<App>>,
    is_local: IsLocal,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let name = required(&mut body, "name")?;
    app.change(is_local, SettingsChange::Download { name })
        .await
}

/// `POST /settings/restart`
pub(crate) async fn restart(
    State(app): State<Arc<App>>,
    is_local: IsLocal,
) -> Result<Response, Refusal> {
    app.change(is_local, SettingsChange::Restart).await
}

fn required(body: &mut Payload, name: &str) -> Result<String, Refusal> {
    let missing = || Refusal::invalid(format!("`{name}` is missing"));
    body.field(name)?.ok_or_else(missing)
}

impl App {
    fn settings(&self) -> Result<&dyn OperatorSettings, Refusal> {
        let why = "this server has no settings that can be changed over HTTP";
        self.settings
            .as_deref()
            .ok_or_else(|| Refusal::missing(why))
    }

    async fn change(
        &self,
        IsLocal(is_local): IsLocal,
        change: SettingsChange,
    ) -> Result<Response, Refusal> {
        let settings = self.settings()?;
        if !is_local {
            let why = "settings are changed from the server's own machine only";
            return Err(Refusal::new(StatusCode::FORBIDDEN, why));
        }
        settings.change(change).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}
