// Builds the service and the web UI side by side: two processes, as each keeps one core busy. Names choose one of them.
import { spawn } from 'node:child_process';

const HALVES = {
  service: [process.execPath, ['scripts/build-service.mjs']],
  web: ['npm', ['run', '-s', 'build', '-w', 'web']],
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in HALVES));
if (unknown.length > 0) {
  console.error(`Nothing is called ${unknown.join(', ')}; there are ${Object.keys(HALVES).join(' and ')}`);
  process.exit(2);
}

function build(name) {
  const [command, args] = HALVES[name];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const parts = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ name, code: 1, output: Buffer.from(`${error.message}\n`) }));
    child.once('close', (code) => resolve({ name, code: code ?? 1, output: Buffer.concat(parts) }));
  });
}

const ended = await Promise.all((named.length > 0 ? named : Object.keys(HALVES)).map(build));
// What a build that went well has to say is of no interest.
for (const { name, code, output } of ended) {
  if (code === 0) continue;
  process.stderr.write(output);
  console.error(`Building ${name} failed`);
  process.exitCode = 1;
}
