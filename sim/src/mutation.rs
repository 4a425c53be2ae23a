//! Mutations: mistakes made on purpose, to prove that the checks find them.

/// A mistake of the store or of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// The store says that a step is stored and drops it.
    DropsCommits,
    /// The store says that notes are stored and drops them.
    ForgetsNotes,
    /// The store keeps the record of a step and loses one of its changes.
    HalfCommits,
    /// The store takes what a worker writes whose lease has ended.
    IgnoresEpochs,
    /// The store leases a thread that is taken, under the same epoch.
    LeasesTwice,
    /// A power loss takes the newest step with it, though it was stored.
    LosesSynced,
    /// The store shows the last step but one as the newest.
    ReadsStale,
    /// The store replaces an answer by a later one.
    ReplacesAnswers,
    /// Workers make ids without regard to what is stored.
    RepeatsIds,
    /// Workers do not look at stored results of tasks.
    RerunsFinished,
    /// Workers run an effect again that was started.
    RepeatsStarted,
    /// Workers run an effect again that is done.
    RepeatsDone,
    /// Workers run an effect before its start is stored.
    HurriesEffects,
    /// Workers start tasks before the step they follow is stored.
    HurriesTasks,
    /// Workers say that a run is over before it is stored.
    HurriesStop,
    /// Workers hand an answer to the next question, whichever it was given to.
    MixesAnswers,
    /// Workers never come back after a crash.
    GivesUp,
}

impl Mutation {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::DropsCommits,
        Self::ForgetsNotes,
        Self::HalfCommits,
        Self::IgnoresEpochs,
        Self::LeasesTwice,
        Self::LosesSynced,
        Self::ReadsStale,
        Self::ReplacesAnswers,
        Self::RepeatsIds,
        Self::RerunsFinished,
        Self::RepeatsStarted,
        Self::RepeatsDone,
        Self::HurriesEffects,
        Self::HurriesTasks,
        Self::HurriesStop,
        Self::MixesAnswers,
        Self::GivesUp,
    ];
}
