//! Options of Atris: settings of `[agents.atris]`, the model, the hosts.

use std::sync::Arc;

use superstep::{
    Secret,
    model::{ErrorKind, Model, NodeModels, select::DataOwner},
};
use superstep_atris::{Atris, AtrisTable, MODEL_NODES};
use superstep_fake_audius::{FakeAudius, Options, TOKEN};

use crate::{
    app::App, args::AtrisOptions, database, environment, error::Error, opened_model, output::faint,
};

/// What the fake inside a process is called in threads and approvals: its port is another one in each process.
pub(super) const FAKE: &str = "the fake Audius of --fake";

/// An agent that can be asked.
pub(super) struct OpenedAtris {
    pub(super) agent: Atris,
    /// The fake that it asks, which ends with it.
    pub(super) fake: Option<FakeAudius>,
}

pub(super) async fn open(options: &AtrisOptions, app: &mut App<'_>) -> Result<OpenedAtris, Error> {
    let environment = environment::load(app.global)?;
    environment.config.agent_is_trusted("atris")?;
    let AtrisTable {
        mut settings,
        unset,
    } = AtrisTable::read(&environment.config)?;
    for line in unset {
        app.output.say(&[faint(line)]);
    }
    settings.writes = options.writes;
    settings.limit = options.limit;
    settings.client.offline =
        environment.offline.is_some() || environment.config.offline().is_some();
    let mut fake = None;
    if options.fake {
        let server = FakeAudius::start(Options::default()).await?;
        settings.client.hosts = vec![server.address()];
        settings.client.alias = Some(FAKE.to_owned());
        // The token of somebody's account is none of the fake's business.
        let token = options.writes.then(|| Secret::from(TOKEN));
        settings.client.token = token;
        fake = Some(server);
    } else if !options.host.is_empty() {
        settings.client.hosts.clone_from(&options.host);
    }
    let backends = database::create(app.global)?;
    let model = match options.no_model {
        true => None,
        false => model(app).await?,
    };
    let mut models = None;
    if let Some(usual) = model {
        let mut all = NodeModels::new(usual);
        for (node, opened) in
            opened_model::open_nodes(&MODEL_NODES, &DataOwner::Project, app).await?
        {
            all = all.with(node, Arc::new(opened.caller));
        }
        models = Some(all);
    }
    let agent = Atris::with_models(models, settings, backends)?;
    Ok(OpenedAtris { agent, fake })
}

/// The model that is used, or nothing where there is none: rules answer as well.
pub(super) async fn model(app: &mut App<'_>) -> Result<Option<Arc<dyn Model>>, Error> {
    match opened_model::open(&DataOwner::Project, app).await {
        Ok(opened) => Ok(Some(Arc::new(opened.caller))),
        Err(Error::Model(error)) if matches!(error.kind(), ErrorKind::NoModel { .. }) => {
            app.output.say(&[faint(
                "atris: no model, so by rules alone, as with --no-model",
            )]);
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
