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

export const Hookloop = async ({ directory }) => ({
  'tool.execute.before': async ({ tool, sessionID, callID }, output) => {
    const { deny } = await ask('tool.execute.before', { tool, sessionID, callID, args: output.args, directory });
    if (deny) throw new Error(deny);
  },
  'tool.execute.after': async ({ tool, sessionID, callID, args }, output) => {
    const result = { title: output.title, output: output.output, metadata: output.metadata };
    const { context } = await tell('tool.execute.after', { tool, sessionID, callID, args: args ?? {}, output: result, directory });
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
  event: async ({ event: { type, properties = {} } }) => {
    const sessionID = properties.sessionID ?? properties.info?.id;
    // A session inside a session is a subagent's.
    if (properties.info?.parentID) return;
    if (['session.created', 'session.idle', 'session.deleted'].includes(type)) await tell(type, { sessionID, directory });
    if (type === 'session.error') await tell(type, { sessionID, directory, error: properties.error?.data?.message ?? properties.error?.name });
  },
});
`;
