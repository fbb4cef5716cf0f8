import { quoted } from '../install/launcher.ts';

/** POSTs payloads to an address one after another; prints how many milliseconds each took. */
const script = `
const { request } = require('node:http');
const [url, token, ...payloads] = process.argv.slice(1);
const post = body => new Promise((resolve, reject) => {
  const headers = { authorization: 'Bearer ' + token };
  const sent = request(url, { method: 'POST', headers }, response => {
    if (response.statusCode !== 200) reject(new Error('serve answered ' + response.statusCode));
    response.resume().on('end', resolve);
  });
  sent.on('error', reject).end(body);
});
(async () => {
  for (const body of payloads) {
    const begun = performance.now();
    await post(body);
    console.log(performance.now() - begun);
  }
})().catch(error => { console.error(error.message); process.exit(1); });
`;

/** A line for `sh` that lets the first command start serve, and then calls it. */
export const httpProbe = (start: string, url: string, token: string, payloads: readonly string[]): string => {
  const words = [process.execPath, '-e', script, url, token, ...payloads].map(quoted);
  return `{ ${start.replace(/ # hookloop$/, '')}; } > /dev/null && exec ${words.join(' ')}`;
};
