// P14: tools that wait on a slow knowledge-base server, run one after another and at once, through the whole service.
import { interleave, voids } from './lib/runner.mjs';
import { overReps } from './lib/pairs.mjs';
import { plainTable, range } from './lib/report.mjs';
import { chatRequest, expected } from './lib/targets.mjs';
import { TOOL_MS } from './suts/bellwether-content.mjs';

export const usesFleet = true;

export async function run(bench) {
  const server = (await bench.fleet()).find(({ name }) => name === 'bellwether');
  if (!server) return { results: {}, samples: {}, text: '', voids: [] };
  await timed(bench, server, 'parallel8');
  await timed(bench, server, 'sequential3');
  const samples = await interleave({
    bench,
    names: ['three', 'eight'],
    reps: bench.scale.reps,
    measure: (name) => compare(bench, server, name === 'three' ? 3 : 8),
  });
  return { results: results(samples), samples, text: table(samples), voids: voids(samples) };
}

async function compare(bench, server, tools) {
  const parallel = [];
  const sequential = [];
  for (let round = 0; round < bench.scale.toolRounds; round++) {
    parallel.push(await timed(bench, server, `parallel${tools}`));
    sequential.push(await timed(bench, server, `sequential${tools}`));
  }
  const [parallelMs, sequentialMs] = [Math.min(...parallel), Math.min(...sequential)];
  return { parallelMs, sequentialMs, speedUp: sequentialMs / parallelMs, overPath: parallelMs / TOOL_MS };
}

let lastQuestion = 500_000;

/** One whole answer in ms; every question is new, so that no cache can answer for a tool. */
async function timed({ load, mock }, server, target) {
  const tools = Number(target.at(-1));
  await mock('mode', { keepBody: true });
  await mock('take');
  const text = Buffer.from(chatRequest(server.port, server.targets[target]), 'base64').toString();
  const request = Buffer.from(text.replace('bench-id-000000', `bench-id-${++lastQuestion}`)).toString('base64');
  const run = await load('closedLoop', {
    port: server.port,
    request,
    expect: expected,
    connections: 1,
    seconds: 20,
    limit: 1,
  });
  if (run.count !== 1) throw new Error(`${target}: ${run.firstError}`);
  const { requests, lastBody } = await mock('take');
  if (requests !== tools + 1) throw new Error(`${target}: ${requests - 1} of ${tools} tools asked the server`);
  const at = Array.from({ length: tools }, (_, n) => lastBody.indexOf(`passage of wait-${TOOL_MS}-${n + 1}`));
  if (at.some((place, n) => place < 0 || place < (at[n - 1] ?? 0)))
    throw new Error(`${target}: results missing or out of order`);
  return run.p50;
}

function results(samples) {
  return Object.fromEntries(
    ['three', 'eight'].map((name) => {
      const speedUp = overReps(samples, name, (sample) => sample.speedUp);
      return [
        `parallel.${name}`,
        { value: speedUp.median, ours: speedUp, unit: '×', limit: `${name === 'three' ? 3 : 8} ×` },
      ];
    }),
  );
}

function table(samples) {
  return plainTable(
    [`parallel, ${TOOL_MS} ms tools`, 'sequential ms', 'parallel ms', 'speed-up', 'parallel ÷ one tool'],
    Object.keys(samples).map((name) => [
      name,
      range(overReps(samples, name, (sample) => sample.sequentialMs)),
      range(overReps(samples, name, (sample) => sample.parallelMs)),
      range(overReps(samples, name, (sample) => sample.speedUp)),
      range(overReps(samples, name, (sample) => sample.overPath)),
    ]),
  );
}
