import { quoted } from '../model/own-entry.ts';

/** The demo's project: hook files of four systems, a pipeline, two tasks, and an agent that plays its part without a model. */
export const demoFiles: Readonly<Record<string, string>> = {
  'tasks.md': `# What is to be done

- [ ] Write greet.sh, which greets everybody by name
- [ ] Say in README.md how to use it
`,
  'pipelines/greeter.yaml': `stages:
  - name: plan
    prompt: Plan a program that greets people, as tasks.md says. Write the plan to \${OUTPUT}.
  - name: work
    prompt: |
      Do this task: \${TASK}
      Then tick its box in tasks.md.
    termination: { type: queue, max: 7 }

hooks:
  on_stage_complete:
    - type: webhook
      url: "\${DEMO_RECEIVER}"
      body: { text: "Is this the right plan?", approve: "\${CALLBACK_URL}?action=approve" }
      await: true
      timeout: 60
      when: "\${STAGE} == 'plan'"
    - type: spawn
      pipeline: review
      inputs: { files: "\${CHANGED_FILES}" }
      when: "\${STAGE} == 'work'"
`,
  'pipelines/review.yaml': `stages:
  - name: review
    prompt: Review the files \${INPUTS.files}
`,
  '.sauna/hooks.json': `["sh test.sh"]
`,
  'test.sh': `said=$(sh greet.sh Ada) || exit 1
[ "$said" = 'Hello, Ada!' ] && exit 0
echo "expected: Hello, Ada!"
echo "but got:  $said"
exit 1
`,
  '.iteratr.hooks.yml': `version: 1
hooks:
  post_iteration:
    - command: 'grep -L "^# " *.sh | sed "s/$/: no comment says what it is for/"'
      pipe_output: true
  session_end:
    - command: 'echo "$(ls | wc -l) files in the end"'
`,
  'config.toml': `[[agent.hooks]]
event = "pre_tool"
tool_name = "git_push"
command = "echo only people push; exit 1"
block = true

[[agent.hooks]]
event = "after_edit"
pattern = "README.md"
command = "sh -n greet.sh && echo checked {file}"
`,
  'agent.yaml': `turns:
  - when: Plan a program
    delay: 0.5
    text: First greet.sh, then its README.
  - when: Review the files
    delay: 0.5
    text: Nothing to complain about.
  - when: 'Refused: Bash'
    delay: 0.3
    text: I have read it. Nothing to fix.
  - when: 'expected: Hello, Ada!'
    delay: 0.7
    tools:
      - { name: Edit, input: { file_path: greet.sh, old_string: 'Hello $1', new_string: 'Hello, $1!' } }
    tick: { file: tasks.md }
    text: The test wants a comma and an exclamation mark. Now greet.sh has both.
  - when: Write greet.sh
    delay: 0.7
    tools:
      - { name: Write, input: { file_path: greet.sh, content: "echo \\"Hello $1\\"\\n" } }
    text: greet.sh is there.
  - when: README.md
    delay: 0.7
    tools:
      - { name: Edit, input: { file_path: greet.sh, old_string: echo, new_string: "# Greets whoever it is told to.\\necho" } }
      - { name: Bash, input: { command: git push origin main } }
      - { name: Write, input: { file_path: README.md, content: "# greet\\n\\n    sh greet.sh Ada\\n" } }
    tick: { file: tasks.md }
    text: README.md says how to use it. I may not push, so that is left to you.
`,
};

/** What the person is told before it runs. */
export const demoIntroduction = `A project with a pipeline, two tasks and hooks of four systems: a plan that
waits for a person and a review at the end (pipelines/greeter.yaml), a gate
(.sauna/hooks.json), output that goes back to the agent (.iteratr.hooks.yml),
and a tool call that is refused (config.toml). The agent is scripted: no model,
no network.
`;

/** And afterwards. `command`: how this program is started. */
export const whatToTryNext = (folder: string, command: string): string => `
That was: a plan that waited for an approval (the demo gave it itself, where you
would press a button, or type hookloop approve), a gate that failed and was
fixed in the same conversation, lint output in the next prompt, a git push that
a hook refused, two tasks done, and a review by a child pipeline.

What to try next:
  cd ${quoted(folder)}
${hint(`${command} show demo`, 'how it went, hook by hook')}
${hint(`${command} log demo`, "every event and every hook's output")}
${hint(`${command} list`, 'which hooks apply here, and where they are')}
And in your own project, with a real agent and your own tasks.md:
${hint(`${command} run --tasks tasks.md --agent claude`, 'a task is a line like - [ ] Write greet.sh')}
`;

const column = 38;

const hint = (command: string, what: string): string =>
  command.length < column ? `  ${command.padEnd(column)}${what}` : `  ${command}\n${' '.repeat(6)}${what}`;
