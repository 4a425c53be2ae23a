//! Deliberate differences from LangGraph, listed in one place.

/// Whether a run reproduces LangGraph 1.2.20 where superstep differs from it on purpose.
///
/// Each method is one difference and returns whether superstep's own rule applies. There are no others: the loop and
/// the engine ask here. `conformance/DIFFERENCES.md` lists the recorded cases that they change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fidelity {
    /// Superstep's own rules.
    #[default]
    Sensible,
    /// The behaviour of LangGraph, accidents included.
    LangGraph,
}

impl Fidelity {
    fn is_sensible(self) -> bool {
        self == Self::Sensible
    }

    /// A plain answer belongs to the one open question and reaches it once.
    ///
    /// LangGraph stores it beside the input, and offers it again to the next run that brings none.
    pub fn gives_plain_answers_once(self) -> bool {
        self.is_sensible()
    }

    /// An answer by id reaches a question that is recorded as open, and no other.
    ///
    /// In LangGraph all questions of a task share one id, so an answer to the first also answers the next.
    pub fn answers_open_questions_only(self) -> bool {
        self.is_sensible()
    }

    /// A question with an answer is closed at once, and answering it again fails.
    ///
    /// LangGraph shows it as open until the run of its task ends, and again if the task failed since.
    pub fn closes_answered_questions(self) -> bool {
        self.is_sensible()
    }

    /// Strict answers must fit the open questions of a past checkpoint too.
    ///
    /// LangGraph accepts any answer at a checkpoint that its thread has moved on from.
    pub fn checks_answers_in_the_past(self) -> bool {
        self.is_sensible()
    }

    /// A typed question has an id made of its kind and content, and takes only an answer given to that id.
    ///
    /// In LangGraph the place of a question is its id, so an approval may reach another request in the same place.
    pub fn binds_answers_to_content(self) -> bool {
        self.is_sensible()
    }

    /// An answer must match the JSON schema of its question before the run begins.
    ///
    /// LangGraph shows the schema to clients and checks nothing.
    pub fn checks_answer_schemas(self) -> bool {
        self.is_sensible()
    }

    /// The questions of a graph without a saver inside a stored one have the same ids each time it runs.
    ///
    /// LangGraph asks anew under new ids, so nothing can answer such a question by id.
    pub fn keeps_ids_of_unsaved_graphs(self) -> bool {
        self.is_sensible()
    }

    /// New input at the newest checkpoint keeps the state that finished tasks of the open step wrote.
    ///
    /// LangGraph drops their writes, so the state does not show effects that happened.
    pub fn keeps_finished_tasks(self) -> bool {
        self.is_sensible()
    }

    /// A retried task continues the graphs that its last attempt ran.
    ///
    /// LangGraph runs them from their start and repeats finished tasks.
    pub fn continues_graphs_in_retries(self) -> bool {
        self.is_sensible()
    }

    /// A graph that ended in an earlier step starts anew when a resumed task runs it.
    ///
    /// LangGraph takes it as resumed too, so it does nothing.
    pub fn restarts_ended_graphs(self) -> bool {
        self.is_sensible()
    }

    /// Calls of a task that comes back find their results by name and arguments.
    ///
    /// LangGraph goes by their number, so calls in another order get each other's results.
    pub fn matches_calls_by_content(self) -> bool {
        self.is_sensible()
    }

    /// A task fails if it skips a recorded call whose effect has an unknown outcome.
    ///
    /// LangGraph has no record of effects.
    pub fn reports_skipped_effects(self) -> bool {
        self.is_sensible()
    }

    /// A graph with one history per thread runs once per step at its position.
    ///
    /// LangGraph lets parallel tasks write into the same history.
    pub fn refuses_shared_histories(self) -> bool {
        self.is_sensible()
    }

    /// A thread does not resume if the graph has lost a node that was about to run.
    ///
    /// LangGraph drops such work without an error.
    pub fn refuses_lost_nodes(self) -> bool {
        self.is_sensible()
    }

    /// Values of untracked channels are never stored.
    ///
    /// LangGraph stores them with the input, and with open steps under durability `exit`.
    pub fn never_stores_untracked_values(self) -> bool {
        self.is_sensible()
    }

    /// A run that continues a thread without a context or a caller has those of the run before it.
    ///
    /// LangGraph runs it without.
    pub fn inherits_context(self) -> bool {
        self.is_sensible()
    }
}
