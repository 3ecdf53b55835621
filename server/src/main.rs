//! The server binary.

/// A move makes and drops a few dozen small values on whichever thread has it: the system's allocator takes a
/// tenth of its time for that (docs/tuning.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    zeitnot_server::cli::main()
}
