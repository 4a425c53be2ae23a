//! What can be wrong with a saver, and which checks must notice.

macro_rules! faults {
    ($($name:ident: $($check:literal),+;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Fault {
            None,
            $($name),*
        }

        impl Fault {
            /// Every fault and the checks that must notice it.
            pub(crate) const ALL: &[(Self, &[&str])] = &[$((Self::$name, &[$($check),+])),*];
        }
    };
}

faults! {
    GrantsEveryLease: "a_thread_is_busy_while_its_lease_is_held", "of_many_claims_at_once_one_wins";
    NeverReleases: "a_thread_is_free_once_its_lease_is_dropped";
    EpochStandsStill: "each_lease_has_a_greater_epoch", "a_commit_with_an_old_epoch_is_refused",
        "a_note_with_an_old_epoch_is_refused";
    EpochsBeginAgain: "epochs_grow_over_a_deletion";
    CommitIgnoresEpoch: "a_commit_with_an_old_epoch_is_refused",
        "an_epoch_nobody_was_given_is_refused", "epochs_grow_over_a_deletion";
    NoteIgnoresEpoch: "a_note_with_an_old_epoch_is_refused";
    OneLeaseForAll: "leases_of_two_threads_are_independent";
    LeaseMakesThread: "a_lease_alone_makes_no_thread";
    ReadingNeedsTheLease: "reading_needs_no_lease";

    UnknownThreadIsAnError: "an_unknown_thread_has_no_checkpoint";
    LatestIsOneBehind: "the_newest_checkpoint_is_loaded", "a_subgraph_remembers_over_runs";
    IdFindsTheNearest: "a_checkpoint_is_loaded_by_id";
    BeforeIsInclusive: "the_newest_before_an_id_is_loaded";
    ChainGoesBackTooFar: "a_chain_starts_at_the_last_full_record";
    ChainIsTheHead: "a_chain_without_a_full_record_starts_at_the_first",
        "a_long_loop_reads_right_at_every_step";
    BeginningsAreJoined: "a_second_beginning_stands_alone";
    ForgetsForks: "a_fork_reads_along_its_own_branch", "two_branches_keep_apart",
        "a_run_from_an_older_checkpoint_is_a_fork", "an_edit_is_a_checkpoint_of_its_own";
    OneNamespace: "namespaces_are_independent", "a_subgraph_asks_and_goes_on";
    FoldsThreads: "threads_are_independent", "names_are_only_names";
    FoldsNamespaces: "names_are_only_names";
    NeverSuperseded: "a_checkpoint_is_superseded_once_there_is_a_newer_one";
    SwallowsRefusals: "ids_must_grow", "an_unknown_parent_is_refused",
        "a_note_for_an_unknown_checkpoint_is_refused";
    UnknownParentsAreAdopted: "an_unknown_parent_is_refused", "a_pruned_thread_goes_on";
    RefusedCommitsStay: "a_refused_commit_leaves_nothing";
    StartsWhenAwaited: "calls_count_in_the_order_they_were_made";
    SignedIds: "ids_are_ordered_as_unsigned_numbers";

    NullsVanish: "every_kind_of_value_survives";
    FloatsIntegers: "numbers_survive_exactly";
    StripsNul: "hostile_texts_survive";
    CutsDeepValues: "deep_and_wide_values_survive",
        "what_is_stored_can_be_archived_however_deep_it_is";
    EmptyIsNull: "empty_containers_survive";
    LosesTypedCells: "a_typed_cell_survives_as_its_json_form";
    ExtendIsSet: "every_kind_of_change_survives";
    ForgetsInput: "the_input_that_waits_survives";
    CommandsAreInputs: "a_command_that_waits_survives";
    ForgetsTriggers: "fired_waiting_and_half_met_joins_survive", "sends_and_joins_survive_a_pause";
    LimitsInSeconds: "sends_survive_with_their_limits";
    NothingTouchedIsUnknown: "the_small_fields_survive";
    ForgetsGraphsAbove: "the_checkpoints_of_graphs_above_survive";
    OneLayout: "layouts_survive_and_may_change";

    LosesNotes: "a_note_is_read_with_its_checkpoint",
        "a_failed_step_keeps_what_its_other_tasks_did";
    LosesTasks: "the_tasks_of_a_record_are_notes_of_its_parent";
    LosesTasksOfForks: "the_tasks_of_all_branches_meet_at_the_fork";
    NotesReplace: "a_later_note_of_a_task_is_absorbed", "what_a_note_leaves_open_stays";
    KeepsTakenAnswers: "a_plain_answer_is_gone_once_it_is_taken";
    TasksOutrankNotes: "notes_and_tasks_count_in_the_order_they_came";
    NotesOfTheNewestOnly: "notes_of_an_older_checkpoint_still_grow";
    NotesOfAllNamespaces: "notes_of_two_namespaces_keep_apart";
    FirstNoteOnly: "several_notes_are_stored_together";
    HandlersAreTheirTasks: "every_kind_of_task_has_its_own_notes";
    NoWritesIsNoOutput: "every_kind_of_write_survives";
    DropsAsks: "asks_survive_with_their_schema", "a_question_waits_for_its_answer",
        "questions_of_parallel_tasks_are_answered_by_id", "every_durability_ends_in_the_same_state";
    DropsSchemas: "asks_survive_with_their_schema";
    DropsLimitsOfErrors: "errors_survive_with_their_limit";
    DropsEffects: "effects_survive_and_failed_ones_are_forgotten",
        "an_effect_happens_once_over_a_question";
    SomeNotesAreEnough: "thousands_of_notes_of_one_checkpoint_are_merged";

    OldestFirst: "a_history_is_newest_first";
    IgnoresLimit: "a_history_stops_at_its_limit";
    LimitsBeforeFiltering: "a_limit_counts_what_fits_all_conditions";
    IgnoresBefore: "a_history_may_start_before_an_id";
    IgnoresSource: "a_history_may_be_of_one_source";
    IgnoresStep: "a_history_may_be_of_one_step";
    HistoryOfTheRoot: "a_history_is_of_one_namespace";
    HistoryShowsHeads: "each_entry_of_a_history_reads_like_a_load";

    ListsInReverse: "threads_are_listed_in_order_of_name";
    DeleteLeavesANamespace: "a_deleted_thread_is_gone_with_all_namespaces";
    DeleteLeavesNotes: "a_deleted_thread_can_begin_again";
    DeleteNeedsAThread: "deleting_an_unknown_thread_is_fine";
    DeletesByPrefix: "deleting_leaves_other_threads";
    DeletesTheLeased: "a_leased_thread_is_not_deleted";

    CopyLosesNotes: "a_copy_reads_like_the_original";
    CopyLosesNamespaces: "a_copy_reads_like_the_original";
    CopySharesState: "a_copy_and_its_original_go_their_own_ways", "a_copy_outlives_its_original",
        "a_copied_thread_gets_another_answer";
    CopiedNamesStayTaken: "a_copy_of_a_copy_is_a_copy";
    CopyOverwrites: "an_existing_target_is_refused";
    CopiesNothing: "an_unknown_source_is_refused";

    PrunesNothing: "pruning_to_the_last_few_keeps_just_those";
    PrunesTheRootOnly: "pruning_to_the_latest_keeps_one_of_each_namespace";
    PruneBreaksChains: "pruning_to_the_last_few_keeps_just_those", "pruning_keeps_branches_whole",
        "a_pruned_thread_still_waits_for_its_answer";
    PruneKeepsTheNewestOnly: "pruning_less_than_there_is_changes_nothing";
    PruneLosesNotes: "pruning_keeps_notes";
    EachPruneTakesMore: "pruning_twice_is_pruning_once";
    PruneDropsWhatIsBelow: "pruning_keeps_what_belongs_below_what_it_keeps";
    PrunesEveryThread: "pruning_leaves_other_threads";
    PrunesTheUnknown: "an_unknown_thread_is_not_pruned";
    PrunesTheLeased: "a_leased_thread_is_not_pruned";
    PanicsOnPrune: "pruning_keeps_notes";

    RetentionSparesAll: "an_idle_thread_goes_and_a_used_one_stays", "an_idle_thread_goes_whole";
    RetentionTakesAll: "a_lease_without_a_write_is_use", "the_end_of_a_lease_is_use",
        "a_copy_is_used_when_it_is_made";
    ReadingIsUse: "reading_is_no_use";
    RetentionNeedsAll: "a_leased_thread_is_left_alone";
    RetentionPrunesNothing: "a_retention_prunes_as_prune_does";
    RetentionCountsWhatGoes: "an_idle_thread_goes_whole";
    RetentionHasWishes: "a_retention_without_wishes_changes_nothing";
    RetentionOnlyReports: "a_thread_that_went_can_begin_again",
        "an_idle_thread_goes_and_a_used_one_stays";

    ExportLosesNotes: "an_import_reads_like_the_original",
        "a_thread_moves_to_another_saver_and_back", "an_imported_thread_goes_on",
        "a_pruned_thread_can_be_moved", "a_moved_thread_gets_its_answer_where_it_is";
    ExportIsOfTheRoot: "an_archive_holds_every_checkpoint_in_order",
        "a_moved_thread_gets_its_answer_where_it_is";
    ExportIsNewestFirst: "an_archive_holds_every_checkpoint_in_order";
    ExportsNothing: "an_unknown_thread_is_not_exported";
    ImportLosesTasks: "every_value_survives_an_archive", "an_import_reads_like_the_original";
    ImportsShareState: "imports_of_one_archive_go_their_own_ways";
    ImportOverwrites: "an_import_onto_a_thread_is_refused";
    ImportIgnoresLeases: "an_import_onto_a_leased_name_is_refused";
    ImportTakesAnything: "a_broken_archive_is_refused_whole";
    ImportKeepsHalf: "a_broken_archive_is_refused_whole";

    NeverAsksForEverything: "a_long_tail_asks_for_everything", "a_snapshot_ends_the_tail";
    AlwaysAsksForEverything: "a_snapshot_ends_the_tail";
    OneTailForAllBranches: "each_branch_has_its_own_tail";
    LosesSomeCommits: "commits_to_many_threads_at_once_lose_nothing",
        "parallel_writers_of_many_threads_lose_nothing",
        "a_thread_of_two_thousand_records_reads_right_anywhere";

    EventsInReverse: "entries_come_back_in_order_over_runs";
    EventsByNumber: "entries_come_back_in_order_over_runs";
    CursorIsInclusive: "a_cursor_gives_exactly_what_follows_it";
    CursorCountsInItsRunOnly: "a_cursor_gives_exactly_what_follows_it";
    IgnoresEventLimit: "reading_a_log_stops_at_its_limit";
    ForgetsWhereStatesAre: "entries_come_back_as_they_went_in", "a_followed_run_shows_its_states";
    ForgetsCheckpointsOfEntries: "entries_come_back_as_they_went_in";
    LosesEventsOfCommits: "entries_are_stored_with_commits_and_notes",
        "a_followed_run_shows_its_states";
    LosesEventsOfNotes: "entries_are_stored_with_commits_and_notes";
    LosesEventsAlone: "entries_are_stored_with_commits_and_notes";
    RefusedEventsStay: "a_refused_store_logs_nothing";
    LogIgnoresEpoch: "logging_with_an_old_epoch_is_refused";
    CursorsMayShrink: "cursors_must_grow";
    OneLogForAll: "logs_of_two_threads_keep_apart";
    LogMakesThread: "a_log_without_a_checkpoint_is_kept_and_not_listed";
    DeleteLeavesEvents: "a_deleted_thread_has_no_log";
    CopyLosesEvents: "a_copied_thread_has_its_own_log";
    EpochsBeginAgainInCopies: "a_copied_log_is_continued_after_its_end";
    PruneLeavesEvents: "pruning_drops_the_entries_of_what_it_drops";
    PruneDropsEveryEvent: "pruning_drops_the_entries_of_what_it_drops";
    NeverWakes: "a_reader_is_woken_when_the_log_grows";
    WakesOnlyWhoAwaits: "a_reader_is_woken_when_the_log_grows";

    RunsLoseTheirMetadata: "a_run_is_read_as_it_began", "threads_are_found_by_what_they_are_now";
    RunsInReverse: "runs_are_listed_newest_first";
    RunsOfAnyStatus: "a_list_of_runs_is_of_what_was_asked_for";
    EndingsAreLost: "a_run_keeps_its_ending", "a_run_ends_with_its_lease", "what_runs_cost_is_added_up";
    LostRunsStillRun: "a_run_whose_lease_is_gone_was_cut_short";
    NobodyIsCutShort: "what_was_cut_short_is_found_until_another_run_follows";
    LostRunsAreNeverDone: "a_run_that_stored_its_last_step_is_done";
    RunsIgnoreEpochs: "a_run_with_an_old_epoch_is_refused";
    EndedRunsBeginAgain: "an_ended_run_stays_ended";
    RunsForgetTheirBase: "a_run_that_begins_again_keeps_its_base";
    CancelsAreForgotten: "a_request_to_cancel_is_read_by_others";
    CancelsTheEnded: "a_request_to_cancel_is_read_by_others";
    NobodyIsToldOfCancels: "who_waits_is_told_of_a_request_to_cancel";
    NobodyIsToldOfEndings: "who_waits_is_told_of_an_ending";
    CancelsTheUnknown: "an_unknown_run_is_refused";
    LosesAlarms: "an_alarm_is_seen_by_nobody_before_it_is_due",
        "an_alarm_gives_way_to_a_run_that_begins";
    SleepIsAnEnd: "a_run_that_sleeps_is_in_the_queue_until_it_wakes",
        "a_run_that_sleeps_gives_way_to_one_that_begins",
        "a_thread_whose_run_sleeps_is_not_busy";
    OneListOfRuns: "runs_of_two_threads_keep_apart";
    RunsMakeThreads: "a_run_alone_is_kept_and_makes_no_thread";
    DeleteLeavesRuns: "a_deleted_thread_has_no_runs";
    CopyCopiesRuns: "a_copied_thread_has_no_runs";
    PruneLeavesRuns: "pruning_drops_the_runs_of_what_it_drops";

    ClaimsAreForAll: "a_queued_run_is_claimed_once",
        "runs_of_a_thread_are_claimed_one_after_the_other";
    QueueLosesInputs: "what_a_queued_run_brings_along_survives";
    QueueLosesOptions: "what_a_queued_run_brings_along_survives";
    QueueIgnoresTime: "the_run_that_is_due_longest_is_claimed_first",
        "owners_whose_runs_sleep_hold_up_nobody";
    WorkersTakeAnything: "a_worker_takes_only_runs_of_its_graphs";
    ClaimsLastForEver: "a_claim_ends_with_its_lease";
    OldClaimsHold: "a_claim_ends_with_its_lease";
    ClaimsKnowNoLimit: "a_claim_takes_at_most_what_is_asked_for";
    OwnersAreAlike: "owners_take_turns";
    ClaimsBringNothing: "a_claim_brings_the_newest_checkpoint";
    DroppedRunsKeepTheirThread: "a_run_is_claimed_although_another_was_dropped_on_its_thread";
    RunsHaveAnotherClock: "runs_are_dated_by_the_clock_of_the_saver";
    ReleasedRunsAreLost: "a_released_run_is_claimed_again";
    RefusedRunsWait: "a_refused_run_has_ended";
    OneAttempt: "a_queued_run_that_was_cut_short_goes_back_until_its_attempts_are_used_up";
    NothingIsHandedBack: "a_run_whose_worker_stops_goes_back_without_counting_the_attempt";
    NobodyIsRejected: "a_busy_thread_refuses_a_run_if_asked_to";
    NobodyIsReplaced: "a_run_in_place_of_others_has_them_cancelled";
    WaitingRunsStay: "a_run_that_waits_is_cancelled_at_once";
    WorkersSleep: "a_worker_is_woken_by_a_new_run";

    AfterRunsAreForgotten: "work_after_a_run_is_claimed_once_it_has_ended";
    AfterClaimsAreForAll: "work_after_a_run_is_done_by_one_at_a_time";
    OldAfterClaimsHold: "work_after_a_run_is_done_by_one_at_a_time";
    WhatIsLeftIsForgotten: "what_is_left_after_a_run_is_claimed_again";
    ReadersHoldNothing: "readers_hold_up_the_removal_of_a_thread";

    RecordsAreReplaced: "a_record_is_made_once_and_reads_as_it_was_made";
    StampsForgetMetadata: "a_stamp_replaces_keys_and_keeps_the_rest";
    OwnersAreIgnored: "an_owner_changes_no_record_but_their_own";
    UuidsAreLost: "a_thread_is_found_by_its_uuid";
    DeleteLeavesRecords: "a_record_goes_with_its_thread";
    RecordsMakeThreads: "a_record_alone_makes_no_thread";
    StampsComeFirst: "a_run_and_the_record_of_its_thread_are_stored_together";

    StatusesAreIgnored: "threads_are_found_by_what_is_known_of_them";
    OwnersFindAll: "threads_are_found_by_their_records";
    OrdersAreIgnored: "threads_come_in_the_order_that_is_asked_for";
    PagesSkipByNumber: "pages_have_each_thread_once_while_threads_change",
        "a_page_begins_after_a_thread_that_is_gone";
    CursorsNeedTheirThreads: "a_page_begins_after_a_thread_that_is_gone";
    PagesEndEarly: "threads_are_found_page_by_page";
    CountsArePaged: "threads_are_counted_by_status";

    RewindsNothing: "rewinding_drops_what_is_newer_in_every_graph",
        "rewinding_keeps_notes_that_came_late",
        "a_thread_that_is_rewound_to_nothing_is_listed_no_more";
    RewindsEverything: "a_rewound_thread_goes_on", "rewinding_to_the_newest_changes_nothing";
    RewindIgnoresEpochs: "who_has_no_lease_rewinds_nothing";

    SchedulesForgetInputs: "a_schedule_reads_as_it_was_stored";
    SchedulesAreNotReplaced: "a_schedule_is_replaced_and_deleted_by_its_id";
    DueInReverse: "schedules_that_are_due_come_in_order";
    SchedulesFireAgain: "a_schedule_fires_once_for_each_time", "two_workers_fire_a_schedule_once";
    BusyThreadsQueueUp: "a_time_at_which_the_thread_is_busy_can_be_left_out";
    SchedulesGoWithThreads: "schedules_outlive_threads";
}
