//! Instructions per update, one side under callgrind while the other runs as it is.

use std::process::Command;

use crate::meter;
use crate::pair::{client_of, join};
use crate::side::Side;
use crate::table::{Table, float, whole};
use crate::task::Task;

pub(crate) fn bench() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("instructions per update: valgrind is not installed");
        return;
    }
    let mut table = Table::new("instructions per update", &["", "agent", "client"]);
    for side in [Side::Ours, Side::Official, Side::OfficialPipe, Side::Raw] {
        eprintln!("counting {side}");
        let cells = vec![
            whole(per_update(side, agent)),
            whole(per_update(side, client)),
        ];
        table.row(side.to_string(), cells);
    }
    table.print();
    crate::relay::count_instructions();
}

/// The difference of n and 2n updates: what happens once per process falls out.
fn per_update(side: Side, count: fn(Side, usize) -> f64) -> f64 {
    (count(side, 2 * COUNTED) - count(side, COUNTED)) / float(COUNTED)
}

fn agent(side: Side, n: usize) -> f64 {
    let agent = under_callgrind(&side.agent().unwrap());
    let figures = join(client_of(Side::Raw, Task::Stream(n)), agent);
    figures.agent.instructions()
}

fn client(side: Side, n: usize) -> f64 {
    let client = under_callgrind(&client_of(side, Task::Stream(n)));
    let figures = join(client, Side::Raw.agent().unwrap());
    figures.client.instructions()
}

pub(crate) fn under_callgrind(command: &Command) -> Command {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.env(meter::UNTIMED, "1");
    valgrind.arg(command.get_program()).args(command.get_args());
    valgrind
}

const COUNTED: usize = 10_000;
