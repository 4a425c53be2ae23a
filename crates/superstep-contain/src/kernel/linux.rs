//! Limits of resources, Landlock and seccomp.

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, sock_filter,
};

/// Files that a process may still reach.
#[derive(Default)]
pub(crate) struct Files {
    /// Folders and files to read and execute.
    pub(crate) read: Vec<PathBuf>,
    /// Folders to read and write.
    pub(crate) write: Vec<PathBuf>,
}

/// The largest file that a process may write.
const LARGEST_FILE: u64 = 256 << 20;

/// Limits memory and time of the processor, and forbids core dumps. The limit of memory counts what
/// is mapped; what the process has already is added.
pub(crate) fn memory(bytes: u64, seconds: u64) -> Result<(), String> {
    let set = |resource, most: u64| {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        setrlimit(resource, limit).map_err(|error| format!("a limit of resources: {error}"))
    };
    set(Resource::As, bytes.saturating_add(mapped()))?;
    set(Resource::Cpu, seconds.max(1))?;
    set(Resource::Fsize, LARGEST_FILE)?;
    set(Resource::Core, 0)
}

/// Has the kernel kill this process when the one that started it ends, however that ends.
pub(crate) fn with_parent(parent: Option<u32>) -> Result<(), String> {
    let kill = Some(rustix::process::Signal::KILL);
    // Where that is not possible the limits of time end it.
    let _ = rustix::process::set_parent_process_death_signal(kill);
    let Some(parent) = parent else {
        return Ok(());
    };
    // It may have ended before the kernel knew that this matters.
    let now = rustix::process::getppid().map(|it| it.as_raw_nonzero().get());
    match now.and_then(|it| u32::try_from(it).ok()) == Some(parent) {
        true => Ok(()),
        false => Err("the process that started it has ended".to_owned()),
    }
}

/// How many bytes the process has mapped.
fn mapped() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split_whitespace()
        .next()
        .and_then(|it| it.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

/// Takes away all files but some, the network, and signals to other processes.
pub(crate) fn files(files: &Files) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("Landlock: {error}");
    let abi = ABI::V6;
    let all = AccessFs::from_all(abi);
    let mut rules = Ruleset::default()
        // Without files there is no containment; the rest is taken where the kernel has it.
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .map_err(|error| failed(&error))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .map_err(|error| failed(&error))?
        .handle_access(AccessNet::from_all(abi))
        .map_err(|error| failed(&error))?
        .scope(Scope::from_all(abi))
        .map_err(|error| failed(&error))?
        .create()
        .map_err(|error| failed(&error))?;
    let some = [
        (&files.read, AccessFs::from_read(abi)),
        (&files.write, all & !AccessFs::Execute),
    ];
    for (paths, access) in some {
        for path in paths {
            let Ok(descriptor) = PathFd::new(path) else {
                continue;
            };
            let access: BitFlags<AccessFs> = match path.is_dir() {
                true => access,
                false => access & AccessFs::from_file(abi),
            };
            rules = rules
                .add_rule(PathBeneath::new(descriptor, access))
                .map_err(|error| failed(&error))?;
        }
    }
    let status = rules.restrict_self().map_err(|error| failed(&error))?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("Landlock: the kernel does not enforce it".to_owned()),
        _ => Ok(()),
    }
}

/// System calls that no contained program needs: they fail as not permitted.
const FORBIDDEN: &[i64] = &[
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_sethostname,
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_io_uring_setup,
    libc::SYS_userfaultfd,
    libc::SYS_open_by_handle_at,
    libc::SYS_memfd_create,
    libc::SYS_setpriority,
    libc::SYS_sched_setaffinity,
    libc::SYS_personality,
    libc::SYS_prlimit64,
    // Landlock decides about contents; rights, owners, times and attributes it leaves to this list.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_fgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_flistxattr,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_memfd_secret,
    FCHMODAT2,
];

/// `fchmodat2`, which has this number on every architecture.
const FCHMODAT2: i64 = 452;

/// The older forms of some, which only this architecture has.
#[cfg(target_arch = "x86_64")]
const FORBIDDEN_OLD: &[i64] = &[
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_inotify_init,
];

/// Forbids system calls: the network, new processes, and what looks into or changes others.
pub(crate) fn system_calls() -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("seccomp: {error}");
    let arch = std::env::consts::ARCH
        .try_into()
        .map_err(|error: seccompiler::BackendError| failed(&error))?;
    let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
        FORBIDDEN.iter().map(|call| (*call, Vec::new())).collect();
    #[cfg(target_arch = "x86_64")]
    rules.extend(FORBIDDEN_OLD.iter().map(|call| (*call, Vec::new())));
    // A new thread is permitted, a new process is not.
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let no_thread = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Qword,
        SeccompCmpOp::MaskedEq(thread),
        0,
    )
    .and_then(|condition| SeccompRule::new(vec![condition]))
    .map_err(|error| failed(&error))?;
    rules.insert(libc::SYS_clone, vec![no_thread]);
    // Its own threads may be signalled, as `abort` does; other processes may not.
    let not_own = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Ne,
        u64::from(std::process::id()),
    )
    .and_then(|condition| SeccompRule::new(vec![condition]))
    .map_err(|error| failed(&error))?;
    rules.insert(libc::SYS_tgkill, vec![not_own]);
    let denied = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    apply(rules, denied, arch)?;
    #[cfg(target_arch = "x86_64")]
    refuse_x32()?;
    // Its flags are in memory, out of reach of a filter; programs fall back to `clone`.
    let clone3 = [(libc::SYS_clone3, Vec::new())].into();
    apply(
        clone3,
        SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
        arch,
    )
}

/// Refuses every system call of the x32 interface. It has the same architecture as the others and its own numbers, which
/// the list above does not name; no program for x86-64 uses it.
#[cfg(target_arch = "x86_64")]
fn refuse_x32() -> Result<(), String> {
    /// The bit that all numbers of x32 have.
    const X32: u32 = 0x4000_0000;
    let step = |code: u32, jt: u8, k: u32| {
        let code = u16::try_from(code).map_err(|error| format!("seccomp: {error}"))?;
        Ok::<_, String>(sock_filter { code, jt, jf: 0, k })
    };
    let program = [
        // The number of the call is the first word of what the kernel shows.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0)?,
        step(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 1, X32)?,
        step(libc::BPF_RET | libc::BPF_K, 0, libc::SECCOMP_RET_ALLOW)?,
        step(
            libc::BPF_RET | libc::BPF_K,
            0,
            libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs(),
        )?,
    ];
    seccompiler::apply_filter(&program).map_err(|error| format!("seccomp: {error}"))
}

fn apply(
    rules: std::collections::BTreeMap<i64, Vec<SeccompRule>>,
    action: SeccompAction,
    arch: seccompiler::TargetArch,
) -> Result<(), String> {
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch)
        .map_err(|error| format!("seccomp: {error}"))?;
    let program: BpfProgram = filter
        .try_into()
        .map_err(|error: seccompiler::BackendError| format!("seccomp: {error}"))?;
    seccompiler::apply_filter(&program).map_err(|error| format!("seccomp: {error}"))
}

/// Whether the kernel has Landlock; if not, why.
pub fn landlock() -> Result<(), String> {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))
        .and_then(|rules| rules.create())
        .map(|_| ())
        .map_err(|error| format!("Landlock: {error}"))
}
