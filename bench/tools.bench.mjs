// P22: what three real tools cost over the plain path. Every question is another one, so that no kept result answers it.
import { questions } from './suts/bellwether-course.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { meter } from './lib/meter.mjs';
import { bestRatio, least, overReps, paired } from './lib/pairs.mjs';
import { startServer } from './lib/fleet.mjs';
import { figure, plainTable, range } from './lib/report.mjs';
import { chatRequest, expected } from './lib/targets.mjs';

export async function run(bench) {
  const servers = new Map();
  for (const name of bench.names.filter((name) => name === 'bellwether' || name === 'before')) {
    servers.set(name, await startServer(name, bench, { targets: 'course' }));
  }
  const asked = questions();
  const names = [...servers.keys()].flatMap((name) => [`${name}/plain`, `${name}/course`]);
  const load = (name, seconds) => closedLoop(bench, servers, name, { asked, seconds });
  try {
    for (const name of names) await bench.warm(name, () => load(name, bench.scale.warmSeconds / 3));
    const samples = await interleave({
      bench,
      names,
      reps: bench.scale.reps,
      measure: (name) => load(name, bench.scale.closedSeconds),
    });
    return { results: results(samples), samples, text: table(samples), voids: voids(samples) };
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

async function closedLoop({ load, mock, scale }, servers, name, { asked, seconds }) {
  const [server, target] = name.split('/');
  const { port, pid, targets } = servers.get(server);
  // One core answers some hundred questions a second; those that are left over are never asked again.
  const request = Array.from({ length: Math.ceil(seconds * 500) }, () =>
    chatRequest(port, targets[target], { content: asked.next().value }),
  );
  await mock('mode', {});
  const spent = await meter(pid);
  const limit = request.length;
  const run = await load('closedLoop', {
    port,
    request,
    expect: expected,
    connections: scale.connections,
    seconds,
    limit,
  });
  const { cpuMs, rssMb } = await spent.stop();
  return {
    ...run,
    cpuMs: cpuMs / run.count,
    rssMb,
    fault: run.errors > 0 ? `${run.errors} errors, first: ${run.firstError}` : undefined,
  };
}

const cost = ({ cpuMs }) => cpuMs;

function results(samples) {
  const shared = { ours: overReps(samples, 'bellwether/course', cost), unit: 'ms CPU' };
  return {
    'tools.cost.plain': { ...shared, value: bestRatio(samples, 'bellwether/course', 'bellwether/plain', cost) },
    'tools.cost.ms': { ...shared, value: least(samples, 'bellwether/course', cost) },
  };
}

function table(samples) {
  return plainTable(
    ['three tools', 'questions/s', 'p50 ms', 'p99 ms', 'CPU ms/question', '÷ plain', 'RSS MB'],
    Object.keys(samples).map((name) => [
      name,
      range(overReps(samples, name, ({ rps }) => rps)),
      figure(overReps(samples, name, ({ p50 }) => p50).median),
      figure(overReps(samples, name, ({ p99 }) => p99).median),
      figure(least(samples, name, cost)),
      range(paired(samples, name, `${name.split('/')[0]}/plain`, cost)),
      figure(overReps(samples, name, ({ rssMb }) => rssMb).median),
    ]),
  );
}
