//! The options of interpreters, by language.

/// How the interpreters of one language read their options.
pub(super) struct Family {
    pub(super) names: &'static [&'static str],
    /// Letters of options without a value.
    pub(super) flags: &'static str,
    /// Letters with a value, in the same word or the next.
    pub(super) valued: &'static str,
    /// Letters whose value, if there is one, is in the same word.
    pub(super) glued: &'static str,
    /// Letters that have the interpreter run code, and no script.
    pub(super) code: &'static str,
    /// Letters whose value is a module that is run as a program.
    pub(super) modules: &'static str,
    /// Letters whose value is a file that is run, too.
    pub(super) files: &'static str,
    pub(super) long_flags: &'static [&'static str],
    pub(super) long_valued: &'static [&'static str],
    pub(super) long_code: &'static [&'static str],
    pub(super) long_files: &'static [&'static str],
    /// Words that may stand in front of the script.
    pub(super) subcommands: &'static [&'static str],
}

pub(super) const FAMILIES: &[Family] = &[
    Family {
        names: &[
            "sh", "bash", "rbash", "dash", "ash", "hush", "zsh", "ksh", "mksh", "lksh", "oksh",
            "pdksh", "yash", "posh",
        ],
        flags: "abefhijklmnprtuvxyBCDEFGHIPTUVX",
        valued: "oOA",
        // The words behind `-s` are for what comes from standard input.
        code: "cs",
        long_flags: &[
            "--help",
            "--version",
            "--login",
            "--norc",
            "--noprofile",
            "--posix",
            "--verbose",
            "--restricted",
            "--noediting",
            "--debugger",
            "--debug",
            "--interactive",
            "--protected",
            "--wordexp",
            "--dump-strings",
            "--dump-po-strings",
            "--pretty-print",
            "--no-rcs",
            "--no-globalrcs",
        ],
        long_valued: &["--emulate", "--option"],
        long_files: &["--rcfile", "--init-file"],
        ..NONE
    },
    Family {
        names: &["fish"],
        flags: "ilnNPhv",
        valued: "Cpdof",
        code: "c",
        long_flags: &[
            "--interactive",
            "--login",
            "--no-execute",
            "--no-config",
            "--private",
        ],
        long_valued: &[
            "--init-command",
            "--profile",
            "--profile-startup",
            "--debug",
            "--features",
        ],
        long_code: &["--command"],
        ..NONE
    },
    Family {
        names: &["python", "pypy", "jython", "micropython"],
        flags: "bBdEhiIOPqRsStuvVx3?",
        valued: "WXQ",
        code: "c",
        modules: "m",
        long_valued: &["--check-hash-based-pycs", "--jit"],
        ..NONE
    },
    Family {
        names: &["node", "nodejs", "iojs"],
        flags: "chivsS",
        valued: "C",
        code: "ep",
        files: "r",
        long_flags: &[
            "--check",
            "--interactive",
            "--inspect",
            "--inspect-brk",
            "--no-warnings",
            "--trace-warnings",
        ],
        long_valued: &[
            "--conditions",
            "--input-type",
            "--icu-data-dir",
            "--openssl-config",
            "--title",
            "--env-file",
            "--env-file-if-exists",
            "--max-http-header-size",
            "--unhandled-rejections",
            "--dns-result-order",
            "--disable-warning",
            "--redirect-warnings",
            "--watch-path",
            "--test-reporter",
            "--test-name-pattern",
        ],
        long_code: &["--eval", "--print"],
        long_files: &["--require", "--import", "--loader", "--experimental-loader"],
        subcommands: &["inspect", "debug"],
        ..NONE
    },
    Family {
        names: &["deno", "bun"],
        flags: "AqhviwRWNESb",
        valued: "cL",
        code: "ep",
        files: "r",
        long_flags: &[
            "--allow-all",
            "--watch",
            "--hot",
            "--quiet",
            "--no-check",
            "--unstable",
            "--silent",
            "--bun",
            "--smol",
        ],
        long_valued: &[
            "--config",
            "--import-map",
            "--lock",
            "--cert",
            "--location",
            "--seed",
            "--env-file",
            "--cwd",
            "--filter",
        ],
        long_code: &["--eval", "--print"],
        long_files: &["--preload", "--require", "--import"],
        subcommands: &[
            "run", "x", "exec", "serve", "test", "bench", "task", "install", "compile", "debug",
        ],
        ..NONE
    },
    Family {
        names: &["perl"],
        flags: "0123456789acfghlnpsSTtuUvwWX",
        valued: "I",
        glued: "iCDdFmMVx",
        code: "eE",
        ..NONE
    },
    Family {
        names: &["ruby", "jruby", "truffleruby", "mruby"],
        flags: "acdhlnpsSUvwy",
        valued: "ICEr",
        glued: "0FiKTWx",
        code: "e",
        long_flags: &["--verbose", "--yjit", "--jit", "--copyright", "--debug"],
        long_valued: &[
            "--encoding",
            "--external-encoding",
            "--internal-encoding",
            "--enable",
            "--disable",
            "--parser",
            "--dump",
        ],
        ..NONE
    },
    Family {
        names: &["php"],
        flags: "aCehHilmnqsvw",
        valued: "cdgSTtz",
        code: "rBRE",
        files: "fF",
        long_valued: &[
            "--php-ini",
            "--define",
            "--server",
            "--docroot",
            "--zend-extension",
        ],
        long_code: &[
            "--run",
            "--process-begin",
            "--process-code",
            "--process-end",
        ],
        long_files: &["--file", "--process-file"],
        ..NONE
    },
    Family {
        names: &["lua", "luajit", "texlua"],
        flags: "iEvW",
        valued: "el",
        glued: "jOb",
        ..NONE
    },
    Family {
        names: &["tclsh", "wish", "expect"],
        flags: "ivNn",
        valued: "cDd",
        files: "f",
        long_valued: &["-encoding"],
        ..NONE
    },
    Family {
        names: &[
            "rscript",
            "julia",
            "guile",
            "racket",
            "elixir",
            "escript",
            "groovy",
            "pwsh",
            "osascript",
        ],
        code: "e",
        files: "f",
        ..NONE
    },
];

const NONE: Family = Family {
    names: &[],
    flags: "",
    valued: "",
    glued: "",
    code: "",
    modules: "",
    files: "",
    long_flags: &["--help", "--version"],
    long_valued: &[],
    long_code: &[],
    long_files: &[],
    subcommands: &[],
};
