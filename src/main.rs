//! The entry point of the program: runs the command that its arguments name.

/// A fast allocator, because allocation takes half the time of a search on several threads and of a run with many
/// items.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    asldbg::cli::main()
}
