//! `attache mock`.

use anyhow::anyhow;
use attache::transport;
use attache_recording::mock;
use serde_json::json;

use crate::arguments::Mock;
use crate::exit::{self, Exit};
use crate::print;
use crate::table::table;

pub(crate) async fn mock(arguments: Mock) -> anyhow::Result<Exit> {
    if arguments.list {
        return list(arguments.json);
    }
    let scenario = match &arguments.scenario {
        None => None,
        Some(name) => match mock::find_scenario(name) {
            Some(scenario) => Some(scenario),
            None => {
                let error = anyhow!("no scenario `{name}`; `attache mock --list` lists them");
                return Ok(exit::fail(Exit::Usage, &error));
            }
        },
    };
    let (input, output) = transport::stdio()?;
    match mock::serve(mock::MockAgent::new(scenario), input, output).await? {
        Some(code) => Ok(Exit::Code(code)),
        None => Ok(Exit::Done),
    }
}

fn list(as_json: bool) -> anyhow::Result<Exit> {
    let scenarios = mock::scenarios().iter();
    if as_json {
        let row =
            |it: &mock::Scenario| json!({ "name": it.name, "about": it.about, "needs": it.needs });
        return print::json(&scenarios.map(row).collect());
    }
    let rows: Vec<Vec<String>> = scenarios
        .map(|it| vec![it.name.to_owned(), it.needs.join(" "), it.about.to_owned()])
        .collect();
    print::print_table(&table(&["name", "needs", "about"], &rows))
}
