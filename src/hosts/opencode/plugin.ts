export const pluginFirstLine = '// Written by `hookloop install opencode`; `hookloop uninstall opencode` removes it.';

/** The plugin: it hands opencode's events to our program and acts on the answer. `program` is a path or a name on PATH. */
export const pluginText = (program: string): string => `${pluginFirstLine}
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = ${JSON.stringify(program)};
/** The launcher keeps from its Node what the environment tells Node to load; a program on PATH would not. */
const env = program.includes('/') ? process.env : { ...process.env, NODE_OPTIONS: '' };

/** What the hooks answer; an error that the user can act on where they cannot. */
function ask(event, payload) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['hook', 'opencode', event], { cwd: payload.directory, env, stdio: ['pipe', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', text => { out += text; });
    child.stderr.setEncoding('utf8').on('data', text => { err += text; });
    child.stdin.on('error', () => {});
    const fail = why => reject(new Error('hookloop did not answer, so this is refused (' + why + '). Install it again, or do without it: remove ' + fileURLToPath(import.meta.url)));
    child.on('error', error => fail(error.code === 'ENOENT' ? program + ' is gone' : error.message));
    child.on('close', code => {
      if (code !== 0) return fail(err.trim() || 'it ended with ' + code);
      if (out.trim() === '') return fail('it said nothing');
      try {
        resolve(JSON.parse(out));
      } catch (error) {
        fail(error.message);
      }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

/** For events that no one can refuse: a failure is not the agent's business. */
const tell = (event, payload) => ask(event, payload).catch(() => ({}));

/** Sessions inside a session, which are subagents, by id; questions for permission that are open. */
const subagents = new Map();
const questions = new Map();

export const Hookloop = async ({ directory }) => ({
  'tool.execute.before': async ({ tool, sessionID, callID }, output) => {
    const { deny, args } = await ask('tool.execute.before', { tool, sessionID, callID, args: output.args, directory });
    if (deny) throw new Error(deny);
    if (!args) return;
    // The call holds on to this object.
    for (const name of Object.keys(output.args)) if (!(name in args)) delete output.args[name];
    Object.assign(output.args, args);
  },
  'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
    const result = { title: output.title, output: output.output, metadata: output.metadata };
    const { context, output: changed } = await tell('tool.execute.after', { tool, sessionID, callID, args: args ?? {}, output: result, directory });
    if (typeof changed === 'string') output.output = changed;
    if (context && typeof output.output === 'string') output.output += '\\n\\n' + context;
  },
  'chat.message': async ({ sessionID }, output) => {
    const texts = output.parts.filter(part => part.type === 'text' && !part.synthetic);
    const [first] = texts;
    if (!first) return;
    const prompt = texts.map(part => part.text).join('\\n');
    const { deny, context } = await ask('chat.message', { sessionID, prompt, directory }).catch(error => ({ deny: error.message }));
    if (deny) {
      for (const part of texts) part.text = '';
      first.text = 'A hook refused this prompt. Do nothing but tell the user why: ' + deny;
    } else if (context) first.text += '\\n\\n' + context;
  },
  'experimental.session.compacting': async ({ sessionID }, output) => {
    const { context } = await tell('experimental.session.compacting', { sessionID, directory });
    if (context && Array.isArray(output.context)) output.context.push(context);
  },
  event: async ({ event: { type, properties = {} } }) => {
    const { info } = properties;
    const sessionID = properties.sessionID ?? info?.id;
    if (type === 'session.created' && info?.parentID) {
      subagents.set(sessionID, { sessionID: info.parentID, subagentId: sessionID, subagentType: info.agent ?? info.title, directory });
      return void (await tell('subagent.created', subagents.get(sessionID)));
    }
    if (type === 'session.idle' && subagents.has(sessionID)) return void (await tell('subagent.idle', subagents.get(sessionID)));
    if (info?.parentID || subagents.has(sessionID)) return;
    if (type === 'permission.asked') questions.set(properties.id, { tool: properties.permission, input: properties.metadata ?? {}, callID: properties.tool?.callID });
    if (type === 'permission.replied') {
      const asked = questions.get(properties.requestID ?? properties.permissionID);
      questions.delete(properties.requestID ?? properties.permissionID);
      if (asked && (properties.reply ?? properties.response) === 'reject')
        await tell('permission.rejected', { ...asked, sessionID, reason: properties.message ?? 'the user said no', directory });
    }
    if (type === 'tui.toast.show') await tell(type, { sessionID, message: properties.message, title: properties.title, kind: properties.variant, directory });
    if (['session.created', 'session.idle', 'session.deleted', 'session.compacted'].includes(type)) await tell(type, { sessionID, directory });
    if (type === 'session.error') await tell(type, { sessionID, directory, error: properties.error?.data?.message ?? properties.error?.name });
  },
});
`;
