//! Every path that is served, with its method and what a caller must show. The router is made of
//! this table, so there is no other path.

pub(crate) mod access;
mod docs_page;
pub(crate) mod info;
pub(crate) mod openapi;

use std::sync::Arc;

use axum::{
    Router,
    http::Method,
    middleware::{from_fn, from_fn_with_state},
    routing::{MethodRouter, delete, get, patch, post, put},
};

use self::{access::Access, info::RouteInfo};
use crate::{
    app::{App, role::Role},
    assistants, crons, events, files,
    guard::{
        Guard,
        ownership::{no_owner, own_assistant, own_thread},
        require_login,
    },
    interop,
    owners::private_paths::hide_paths,
    presentation, runs, settings, store, system, threads, ui,
};

type Row = (Method, &'static str, Access, MethodRouter<Arc<App>>);

fn table() -> Vec<Row> {
    use Access::{Open, Token, Whole};
    vec![
        (Method::GET, "/", Open, get(ui::root)),
        (Method::GET, "/ui", Open, get(ui::index)),
        (Method::GET, "/ui/{*path}", Open, get(ui::get)),
        (Method::GET, "/ok", Open, get(system::ok)),
        (Method::GET, "/info", Token, get(system::info)),
        (Method::GET, "/me", Token, get(system::me)),
        (Method::GET, "/events", Token, get(events::get)),
        (Method::GET, "/metrics", Whole, get(system::metrics::get)),
        (Method::GET, "/settings", Whole, get(settings::get)),
        (Method::PUT, "/settings/model", Whole, put(settings::model)),
        (
            Method::PUT,
            "/settings/keys/{provider}",
            Whole,
            put(settings::key),
        ),
        (
            Method::DELETE,
            "/settings/keys/{provider}",
            Whole,
            delete(settings::remove_key),
        ),
        (
            Method::POST,
            "/settings/download",
            Whole,
            post(settings::download),
        ),
        (
            Method::POST,
            "/settings/restart",
            Whole,
            post(settings::restart),
        ),
        (Method::GET, "/openapi.json", Open, get(openapi::get)),
        (Method::POST, "/files", Token, post(files::upload)),
        (Method::POST, "/files/search", Token, post(files::search)),
        (Method::GET, "/files/{file}", Token, get(files::download)),
        (
            Method::DELETE,
            "/files/{file}",
            Token,
            delete(files::delete),
        ),
        (Method::GET, "/docs", Open, get(docs_page::get)),
        (
            Method::GET,
            "/.well-known/agent-card.json",
            Token,
            get(interop::a2a::card::get),
        ),
        (
            Method::POST,
            "/a2a/{assistant_id}",
            Token,
            post(interop::a2a::post),
        ),
        (Method::POST, "/mcp", Token, post(interop::mcp::post)),
        (Method::POST, "/mcp/", Token, post(interop::mcp::post)),
        (Method::DELETE, "/mcp", Token, delete(interop::mcp::delete)),
        (Method::POST, "/runs/crons", Token, post(crons::create)),
        (
            Method::POST,
            "/runs/crons/search",
            Token,
            post(crons::search),
        ),
        (Method::POST, "/runs/crons/count", Token, post(crons::count)),
        (Method::GET, "/runs/crons/{cron}", Token, get(crons::get)),
        (
            Method::PATCH,
            "/runs/crons/{cron}",
            Token,
            patch(crons::patch),
        ),
        (
            Method::DELETE,
            "/runs/crons/{cron}",
            Token,
            delete(crons::delete),
        ),
        (
            Method::POST,
            "/threads/{id}/runs/crons",
            Token,
            post(crons::create_on),
        ),
        (
            Method::POST,
            "/assistants/search",
            Token,
            post(assistants::search),
        ),
        (
            Method::POST,
            "/assistants/count",
            Token,
            post(assistants::count),
        ),
        (Method::POST, "/assistants", Token, post(assistants::create)),
        (Method::GET, "/assistants/{id}", Token, get(assistants::get)),
        (
            Method::PATCH,
            "/assistants/{id}",
            Token,
            patch(assistants::patch),
        ),
        (
            Method::DELETE,
            "/assistants/{id}",
            Token,
            delete(assistants::delete),
        ),
        (
            Method::POST,
            "/assistants/{id}/versions",
            Token,
            post(assistants::versions),
        ),
        (
            Method::POST,
            "/assistants/{id}/latest",
            Token,
            post(assistants::latest),
        ),
        (
            Method::GET,
            "/assistants/{id}/subgraphs",
            Token,
            get(assistants::subgraphs),
        ),
        (
            Method::GET,
            "/assistants/{id}/subgraphs/{namespace}",
            Token,
            get(assistants::subgraph),
        ),
        (
            Method::GET,
            "/assistants/{id}/schemas",
            Token,
            get(assistants::schemas),
        ),
        (Method::POST, "/threads", Token, post(threads::create)),
        (
            Method::POST,
            "/threads/search",
            Token,
            post(threads::search),
        ),
        (Method::POST, "/threads/count", Token, post(threads::count)),
        (Method::GET, "/threads/{id}", Token, get(threads::get)),
        (Method::PATCH, "/threads/{id}", Token, patch(threads::patch)),
        (
            Method::DELETE,
            "/threads/{id}",
            Token,
            delete(threads::delete),
        ),
        (
            Method::GET,
            "/threads/{id}/view",
            Token,
            get(presentation::view::get),
        ),
        (
            Method::GET,
            "/threads/{id}/text",
            Token,
            get(presentation::text::get),
        ),
        (
            Method::GET,
            "/threads/{id}/branches",
            Token,
            get(threads::branches::get),
        ),
        (
            Method::GET,
            "/threads/{id}/compare",
            Token,
            get(threads::branches::compare),
        ),
        (
            Method::POST,
            "/threads/{id}/answer",
            Token,
            post(threads::answer::post),
        ),
        (
            Method::GET,
            "/threads/{id}/state",
            Token,
            get(threads::state::get),
        ),
        (
            Method::POST,
            "/threads/{id}/state",
            Token,
            post(threads::state::update),
        ),
        (
            Method::POST,
            "/threads/{id}/state/checkpoint",
            Token,
            post(threads::state::post_at),
        ),
        (
            Method::GET,
            "/threads/{id}/state/{checkpoint}",
            Token,
            get(threads::state::get_at),
        ),
        (
            Method::GET,
            "/threads/{id}/history",
            Token,
            get(threads::state::get_history),
        ),
        (
            Method::POST,
            "/threads/{id}/history",
            Token,
            post(threads::state::post_history),
        ),
        (
            Method::GET,
            "/threads/{id}/stream",
            Token,
            get(threads::stream::join),
        ),
        (
            Method::POST,
            "/threads/{id}/commands",
            Token,
            post(threads::protocol::command::post),
        ),
        (
            Method::POST,
            "/threads/{id}/stream/events",
            Token,
            post(threads::protocol::stream::events),
        ),
        (
            Method::GET,
            "/threads/{id}/stream/events",
            Token,
            get(threads::protocol::socket::upgrade),
        ),
        (
            Method::POST,
            "/threads/{id}/runs",
            Token,
            post(runs::create),
        ),
        (
            Method::DELETE,
            "/threads/{id}/runs/{run}",
            Token,
            delete(runs::records::delete),
        ),
        (
            Method::GET,
            "/threads/{id}/runs/{run}/stream",
            Token,
            get(runs::records::join_stream),
        ),
        (Method::POST, "/runs", Token, post(runs::create_alone)),
        (
            Method::POST,
            "/runs/batch",
            Token,
            post(runs::batch::create),
        ),
        (
            Method::POST,
            "/runs/search",
            Token,
            post(runs::search::post),
        ),
        (
            Method::POST,
            "/runs/cancel",
            Token,
            post(runs::records::cancel_many),
        ),
        (
            Method::GET,
            "/runs/{run}/stream",
            Token,
            get(runs::records::join_stream_alone),
        ),
        (
            Method::POST,
            "/threads/{id}/runs/stream",
            Token,
            post(runs::stream),
        ),
        (
            Method::POST,
            "/threads/{id}/runs/wait",
            Token,
            post(runs::wait),
        ),
        (
            Method::GET,
            "/threads/{id}/runs",
            Token,
            get(runs::records::list),
        ),
        (
            Method::GET,
            "/threads/{id}/runs/{run}",
            Token,
            get(runs::records::get),
        ),
        (
            Method::GET,
            "/threads/{id}/runs/{run}/join",
            Token,
            get(runs::records::join),
        ),
        (
            Method::POST,
            "/threads/{id}/runs/{run}/cancel",
            Token,
            post(runs::records::cancel),
        ),
        (Method::PUT, "/store/items", Token, put(store::put)),
        (Method::GET, "/store/items", Token, get(store::get)),
        (Method::DELETE, "/store/items", Token, delete(store::delete)),
        (
            Method::POST,
            "/store/items/search",
            Token,
            post(store::search),
        ),
        (
            Method::POST,
            "/store/namespaces",
            Token,
            post(store::namespaces),
        ),
        (
            Method::POST,
            "/runs/stream",
            Token,
            post(runs::stream_alone),
        ),
        (Method::POST, "/runs/wait", Token, post(runs::wait_alone)),
        (
            Method::GET,
            "/assistants/{id}/graph",
            Token,
            get(assistants::graph),
        ),
        (
            Method::GET,
            "/threads/{id}/trace",
            Token,
            get(threads::trace::get),
        ),
        (
            Method::POST,
            "/threads/{id}/copy",
            Token,
            post(threads::copy),
        ),
        (Method::GET, "/inbox/info", Token, get(system::info)),
        (
            Method::POST,
            "/inbox/threads/search",
            Token,
            post(threads::search).layer(from_fn(interop::inbox::shown)),
        ),
        (
            Method::GET,
            "/inbox/threads/{id}",
            Token,
            get(threads::get).layer(from_fn(interop::inbox::shown)),
        ),
        (
            Method::GET,
            "/inbox/threads/{id}/state",
            Token,
            get(threads::state::get).layer(from_fn(interop::inbox::shown)),
        ),
        (
            Method::POST,
            "/inbox/threads/{id}/state",
            Token,
            post(threads::state::update),
        ),
        (
            Method::POST,
            "/inbox/threads/{id}/history",
            Token,
            post(threads::state::post_history).layer(from_fn(interop::inbox::shown)),
        ),
        (
            Method::POST,
            "/inbox/threads/{id}/runs",
            Token,
            post(runs::create),
        ),
        (
            Method::POST,
            "/inbox/threads/{id}/runs/stream",
            Token,
            post(runs::stream),
        ),
    ]
}

/// What a process answers that only runs what is in the queue.
const PROBES: &[&str] = &["/ok", "/metrics"];

/// Whether a path is for inboxes that know one form of questions, and takes their answers.
fn takes_inbox_answers(path: &str) -> bool {
    path.starts_with("/inbox/threads/{id}/runs")
}

/// Every path that is served.
pub fn routes() -> Vec<RouteInfo> {
    let info = |(method, path, access, _)| RouteInfo {
        method,
        path,
        access,
    };
    table().into_iter().map(info).collect()
}

/// The router; each route that needs a token asks for it itself.
pub(crate) fn router(app: Arc<App>, guard: &Arc<Guard>) -> Router {
    let mut router = Router::new();
    let is_served = |path| app.role != Role::Worker || PROBES.contains(&path);
    let rows = table().into_iter().filter(|(_, path, ..)| is_served(*path));
    for (_, path, access, handler) in rows {
        let handler = match takes_inbox_answers(path) {
            true => handler.layer(from_fn_with_state(app.clone(), interop::inbox::answered)),
            false => handler,
        };
        // The token is asked for first, then whose the thread is.
        let bare = path.strip_prefix("/inbox").unwrap_or(path);
        let handler = match bare {
            _ if access == Access::Open => handler,
            path if path.starts_with("/threads/{id}") || path.starts_with("/runs/{run}") => {
                handler.layer(from_fn_with_state(app.clone(), own_thread))
            }
            path if path.starts_with("/assistants/{id}") => {
                handler.layer(from_fn_with_state(app.clone(), own_assistant))
            }
            _ => handler,
        };
        let handler = match access {
            Access::Open => handler,
            Access::Token => handler
                .layer(from_fn_with_state(app.private.clone(), hide_paths))
                .layer(from_fn_with_state(guard.clone(), require_login)),
            Access::Whole => handler
                .layer(from_fn(no_owner))
                .layer(from_fn_with_state(guard.clone(), require_login)),
        };
        router = router.route(path, handler);
    }
    router.with_state(app)
}
