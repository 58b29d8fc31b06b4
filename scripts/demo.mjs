// Asks the demo's multi-tool assistant one question and shows what happens: its tools, its sources, its answer.
// Uses the server on PORT when one runs there. Otherwise it starts one on a free port and stops it afterwards.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfStale } from './build-if-stale.mjs';

const ASSISTANT = 'Essay feedback';
const QUESTION =
  process.argv.slice(2).join(' ') ||
  'My essay says the mean waiting time of 10 minutes is typical. Is that a good argument? Keep \\frac{a}{b} and {name} as they are.';

const { PORT = '3000', DATA_DIR = './data', BOOTSTRAP_ADMIN_KEY } = process.env;

async function isReady(url) {
  try {
    return (await fetch(`${url}/health/ready`)).ok;
  } catch {
    return false;
  }
}

async function ownServer() {
  buildIfStale(['service']);
  const child = spawn(process.execPath, ['dist/src/main.js'], {
    env: { ...process.env, PORT: '0', SEED_DEMO: 'true', LOG_LEVEL: process.env.LOG_LEVEL ?? 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, reject) => {
    let seen = '';
    child.stdout.on('data', (data) => {
      seen += data;
      const found = /answers on (http:\S+)/.exec(seen);
      if (found) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`the server stopped with code ${code}\n${seen}`)));
  });
  const stop = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGTERM');
    });
  return { url, stop };
}

async function* events(response) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of response.body) {
    rest += decoder.decode(bytes, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop();
    for (const block of blocks)
      if (block.startsWith('data: ') && !block.endsWith('[DONE]')) yield JSON.parse(block.slice(6));
  }
}

function show(event, state) {
  if (event.error) throw new Error(event.error.message);
  if (event.progress?.message) console.log(`  ${event.progress.message}`);
  const text = event.choices?.[0]?.delta?.content;
  if (text) {
    if (!state.answering) console.log('\nAnswer\n');
    state.answering = true;
    process.stdout.write(text);
  }
  if (event.sources) state.sources = event.sources;
}

const describe = ({ type, title, path, similarity, document }) =>
  `  ${type}: ${title ?? path}${document && document !== title ? ` — ${document}` : ''}${similarity === undefined ? '' : ` (similarity ${similarity.toFixed(2)})`}`;

async function run({ url }) {
  const key = BOOTSTRAP_ADMIN_KEY ?? readFileSync(join(DATA_DIR, 'admin-key'), 'utf8').trim();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const list = await (await fetch(`${url}/api/v1/assistants?q=${encodeURIComponent(ASSISTANT)}`, { headers })).json();
  const assistant = list.items?.[0];
  if (!assistant) throw new Error(`There is no assistant "${ASSISTANT}": start once with SEED_DEMO=true`);
  console.log(`\n${assistant.name} (lamb_assistant.${assistant.id}) on ${url}\n\nQuestion\n\n  ${QUESTION}\n\nTools\n`);
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model: `lamb_assistant.${assistant.id}`,
      stream: true,
      stream_options: { progress: 'chunk' },
      messages: [{ role: 'user', content: QUESTION }],
    }),
  });
  if (!response.ok) throw new Error(await response.text());
  const state = { answering: false, sources: [] };
  for await (const event of events(response)) show(event, state);
  console.log(`\n\nSources\n\n${state.sources.map(describe).join('\n')}`);
  console.log(`\nReport: ${url}/api/v1/runs/${response.headers.get('x-run-id')}/report\n`);
}

const running = `http://localhost:${PORT}`;
const server = (await isReady(running)) ? { url: running, stop: async () => {} } : await ownServer();
try {
  await run(server);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await server.stop();
}
