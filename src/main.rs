//! The program: runs the command line.

/// Allocation takes half the time of a search on several threads, and of a run with many items, so a fast allocator is
/// used.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    asldbg::cli::main()
}
