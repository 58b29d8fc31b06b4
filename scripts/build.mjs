// Builds the service (`nest build`, described in nest-cli.json) and the web UI at once: each keeps one core busy.
import { spawn } from 'node:child_process';

const HALVES = ['service', 'web'];

const named = process.argv.slice(2);
const unknown = named.filter((name) => !HALVES.includes(name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Choose from ${HALVES.join(' and ')}.`);
  process.exit(2);
}

function build(name) {
  const child = spawn('npm', ['run', '-s', `build:${name}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const parts = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => parts.push(part));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ name, code: 1, output: Buffer.from(`${error.message}\n`) }));
    child.once('close', (code) => resolve({ name, code: code ?? 1, output: Buffer.concat(parts) }));
  });
}

const ended = await Promise.all((named.length > 0 ? named : HALVES).map(build));
for (const { name, code, output } of ended) {
  if (code === 0) continue;
  process.stderr.write(output);
  console.error(`Building ${name} failed`);
  process.exitCode = 1;
}
