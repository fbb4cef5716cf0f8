// What a server must do at least to answer with a hook: usage: node bench/bare-server.cjs FILE [ARG ...]
// Reads a request, starts the program in a process group of its own with the body on stdin, reads both outputs to their
// end, and answers. Prints its port.
const { spawn } = require('node:child_process');
const { createServer } = require('node:http');

const [file, ...args] = process.argv.slice(2);

const server = createServer((request, response) => {
  const body = [];
  request.on('data', chunk => body.push(chunk));
  request.on('end', () => {
    const child = spawn(file, args, { detached: true });
    child.stdout.resume();
    child.stderr.resume();
    child.stdin.on('error', () => {});
    child.stdin.end(Buffer.concat(body));
    child.on('close', () => response.writeHead(200, { 'content-type': 'application/json' }).end());
  });
});

server.listen(0, '127.0.0.1', () => console.log(server.address().port));
