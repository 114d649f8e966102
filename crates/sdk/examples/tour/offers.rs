//! The capabilities, modes, config options and commands of the tour.

use attache::agent::ClientHandle;
use attache::schema::error;
use attache::{Error, v1};

pub(crate) fn initialize_response() -> v1::InitializeResponse {
    let sessions = v1::SessionCapabilities::new()
        .list(v1::SessionListCapabilities::new())
        .delete(v1::SessionDeleteCapabilities::new());
    let prompts = v1::PromptCapabilities::new()
        .image(true)
        .embedded_context(true);
    let capabilities = v1::AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(prompts)
        .session_capabilities(sessions);
    v1::InitializeResponse::new(v1::ProtocolVersion::V1)
        .agent_info(v1::Implementation::new("tour", "1.0.0").title("The tour"))
        .agent_capabilities(capabilities)
}

pub(crate) fn modes(current: v1::SessionModeId) -> v1::SessionModeState {
    let ask = v1::SessionMode::new("ask", "Ask").description("Asks before it changes anything");
    let plan = v1::SessionMode::new("plan", "Plan").description("Changes nothing");
    v1::SessionModeState::new(current, [ask, plan])
}

/// The config options. The boolean one is offered only to clients that support it.
pub(crate) fn options(client: &ClientHandle) -> Vec<v1::SessionConfigOption> {
    let choice = |value: &str, name: &str| v1::SessionConfigSelectOption::new(value, name);
    let small = v1::SessionConfigSelectGroup::new("small", "Small", [choice("wren", "Wren")]);
    let large = [choice("heron", "Heron"), choice("crane", "Crane")];
    let large = v1::SessionConfigSelectGroup::new("large", "Large", large);
    let birds = v1::SessionConfigSelectOptions::Grouped(vec![small, large]);
    let birds = v1::SessionConfigKind::Select(v1::SessionConfigSelect::new("heron", birds));
    let model = v1::SessionConfigOption::new("model", "Model", birds)
        .category(v1::SessionConfigOptionCategory::Model);
    let brief = v1::SessionConfigKind::Boolean(v1::SessionConfigBoolean::new(false));
    let brief = v1::SessionConfigOption::new("brief", "Brief answers", brief);
    match supports_boolean(client) {
        true => vec![model, brief],
        false => vec![model],
    }
}

fn supports_boolean(client: &ClientHandle) -> bool {
    let session = client.capabilities().and_then(|can| can.session);
    let options = session.and_then(|session| session.config_options);
    options.is_some_and(|options| options.boolean.is_some())
}

/// Sets a config option, if the value is one of the offered ones.
pub(crate) fn set(
    options: &mut [v1::SessionConfigOption],
    to: &v1::SetSessionConfigOptionRequest,
) -> Result<(), Error> {
    let option = options.iter_mut().find(|option| option.id == to.config_id);
    match (option.map(|option| &mut option.kind), &to.value) {
        (
            Some(v1::SessionConfigKind::Select(select)),
            v1::SessionConfigOptionValue::ValueId(value),
        ) if offers(&select.options, value) => select.current_value = value.clone(),
        (
            Some(v1::SessionConfigKind::Boolean(switch)),
            v1::SessionConfigOptionValue::Boolean(value),
        ) => switch.current_value = *value,
        _ => return Err(error::unusable_params("there is no such choice")),
    }
    Ok(())
}

fn offers(options: &v1::SessionConfigSelectOptions, value: &v1::SessionConfigValueId) -> bool {
    let has = |choices: &[v1::SessionConfigSelectOption]| {
        choices.iter().any(|choice| choice.value == *value)
    };
    match options {
        v1::SessionConfigSelectOptions::Ungrouped(choices) => has(choices),
        v1::SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().any(|group| has(&group.options))
        }
        _ => false,
    }
}

pub(crate) fn commands() -> v1::SessionUpdate {
    let command = |name: &str, what: &str| v1::AvailableCommand::new(name, what);
    let count = v1::UnstructuredCommandInput::new("how many");
    let count = v1::AvailableCommandInput::Unstructured(count);
    v1::SessionUpdate::AvailableCommandsUpdate(v1::AvailableCommandsUpdate::new([
        command("form", "Asks for a few things"),
        command("page", "Asks to open a page"),
        command("flood", "Says very much").input(count),
        command("slow", "Takes its time, until it is cancelled"),
        command("notice", "Gives notice"),
        command("die", "Ends the agent"),
    ]))
}
