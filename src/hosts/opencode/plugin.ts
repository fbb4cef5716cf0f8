export const pluginFirstLine = '// Written by `hookloop install opencode`; `hookloop uninstall opencode` removes it.';

/** The plugin: it hands opencode's events to our program and acts on the answer. `program` is a path or a name on PATH. */
export const pluginText = (program: string): string => `${pluginFirstLine}
import { spawn } from 'node:child_process';

const program = ${JSON.stringify(program)};

/** What the hooks answer; an error where they cannot. */
function ask(event, payload) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['hook', 'opencode', event], { cwd: payload.directory, stdio: ['pipe', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', text => { out += text; });
    child.stderr.setEncoding('utf8').on('data', text => { err += text; });
    child.stdin.on('error', () => {});
    child.on('error', reject);
    child.on('close', code => {
      if (code !== 0) return reject(new Error(err.trim() || 'hookloop ended with ' + code));
      try {
        resolve(out.trim() === '' ? {} : JSON.parse(out));
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.end(JSON.stringify(payload));
  });
}

/** For events that nobody can refuse: a failure is not the agent's business. */
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
    const { deny, context } = await tell('chat.message', { sessionID, prompt, directory });
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
