//! Services that nodes use besides the state: models, versions, settings. They are never stored.

use std::sync::{Arc, Mutex};

use superstep::{model::Model, sync::lock};
use superstep_sandbox::Calculator;
use superstep_workbook::{Calculation, Workbook, Written};

use crate::{error::Error, settings::Settings, tools, versions::Versions, workbench::Workbench};

/// How many workbooks are kept open.
const OPEN: usize = 3;

/// Services of one agent.
pub(crate) struct Services {
    pub(crate) planner: Arc<dyn Model>,
    pub(crate) informer: Arc<dyn Model>,
    pub(crate) versions: Versions,
    pub(crate) settings: Settings,
    /// The last ones that were used, the newest at the end.
    open: Mutex<Vec<(String, Arc<Workbook>)>>,
}

/// A version that was stored.
pub(crate) struct Committed {
    pub(crate) version: String,
    pub(crate) calculation: Calculation,
    pub(crate) sheet_state: String,
}

impl Services {
    pub(crate) fn new(
        planner: Arc<dyn Model>,
        informer: Arc<dyn Model>,
        versions: Versions,
        settings: Settings,
    ) -> Self {
        Self {
            planner,
            informer,
            versions,
            settings,
            open: Mutex::default(),
        }
    }

    /// The workbook of a version.
    pub(crate) async fn workbook(self: &Arc<Self>, version: &str) -> Result<Arc<Workbook>, Error> {
        if version.is_empty() {
            return Err(Error::NoWorkbook);
        }
        if let Some(book) = self.known(version) {
            return Ok(book);
        }
        let bytes = self.versions.get(version).await?;
        let services = self.clone();
        let book = blocking(move || Ok(Workbook::read(bytes, &services.settings.limits)?));
        let book = Arc::new(book.await?);
        self.keep(version, &book);
        Ok(book)
    }

    /// Stores a workbook as a new version, its formulas calculated.
    pub(crate) async fn commit(self: &Arc<Self>, book: Workbook) -> Result<Committed, Error> {
        let services = self.clone();
        let (written, calculation) = written(book, self.settings.calculator.as_ref()).await?;
        let read = blocking(move || {
            // What is stored must open again, with the values that were calculated.
            let book = Workbook::read(written.bytes.as_slice(), &services.settings.limits)?;
            let sheet_state = services.describe(&book);
            Ok((book, written.bytes, sheet_state))
        });
        let (book, bytes, sheet_state) = read.await?;
        let version = self.versions.put(bytes).await?;
        self.keep(&version, &Arc::new(book));
        Ok(Committed {
            version,
            calculation,
            sheet_state,
        })
    }

    /// A workbook in words, as the planner reads it.
    pub(crate) fn describe(&self, book: &Workbook) -> String {
        let context = self.planner.caps().context;
        book.state(self.settings.state_tokens(context))
    }

    /// The tools over a workbook.
    pub(crate) fn tools(
        &self,
        file: &str,
        book: Option<Arc<Workbook>>,
    ) -> Result<(superstep::tools::Tools, Arc<Workbench>), Error> {
        let bench = Arc::new(Workbench::new(file, book, self.settings.query));
        Ok((tools::build(&self.settings, bench.clone())?, bench))
    }

    fn known(&self, version: &str) -> Option<Arc<Workbook>> {
        let mut open = lock(&self.open);
        let at = open.iter().position(|(name, _)| name == version)?;
        let found = open.remove(at);
        let book = found.1.clone();
        open.push(found);
        Some(book)
    }

    fn keep(&self, version: &str, book: &Arc<Workbook>) {
        let mut open = lock(&self.open);
        open.retain(|(name, _)| name != version);
        open.push((version.to_owned(), book.clone()));
        let spare = open.len().saturating_sub(OPEN);
        open.drain(..spare);
    }
}

/// A workbook as a file, its formulas calculated where that is possible.
pub(crate) async fn written(
    book: Workbook,
    calculator: Option<&Calculator>,
) -> Result<(Written, Calculation), Error> {
    let calculated = match calculator {
        Some(calculator) if book.needs_calculation() => Some(calculator.calculate(&book).await),
        _ => None,
    };
    blocking(move || {
        Ok(match calculated {
            Some(calculated) => book.write_with(calculated)?,
            None => book.write_calculated()?,
        })
    })
    .await
}

/// Runs work on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Error::Broken {
            why: error.to_string(),
        })?
}
