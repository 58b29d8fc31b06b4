// P17: filling a prompt template, by the service's compiled templates and by two other ways.
import { built } from './lib/built.mjs';
import { interleave, voids } from './lib/runner.mjs';
import { overReps, paired } from './lib/pairs.mjs';
import { figure, plainTable, range } from './lib/report.mjs';
import { cases, chainedReplace, compileReference, workload } from './lib/template-cases.mjs';

export async function run(bench) {
  const { compileTemplate } = built('packages/kernel/src/templates/compile');
  const compile = (template, types, names) => {
    const compiled = compileTemplate(template, { types, names });
    return (values) => compiled.render((name) => values[name] ?? '');
  };
  const work = workload();
  const ours = compile(work.template, work.types, work.names);
  const reference = compileReference(work.template, [...work.names, 'user_input']);
  const { user_input, ...results } = work.values;
  const renderers = {
    bellwether: () => ours(work.values),
    reference: () => reference(work.values),
    listing: () => chainedReplace(work.template, results, user_input),
  };
  const whole = renderers.reference();
  if (renderers.bellwether() !== whole) throw new Error('the rendering differs from the reference on the workload');
  const lost = whole.length - renderers.listing().length;

  for (const render of Object.values(renderers)) batch(render, bench.scale.templateMs);
  const samples = await interleave({
    bench,
    names: Object.keys(renderers),
    reps: bench.scale.reps,
    measure: async (name) => ({ us: batch(renderers[name], bench.scale.templateMs) }),
  });
  const right = correct(compile);
  return { results: summarise(samples, right), samples, text: table(samples, right, lost), voids: voids(samples) };
}

// Strings are built as ropes; reading one character lays the text out, as writing it to a socket would.
function batch(render, forMs) {
  let least = Infinity;
  const end = performance.now() + forMs;
  do {
    const begin = performance.now();
    for (let n = 0; n < 8; n++) {
      const text = render();
      if (Number.isNaN(text.charCodeAt(text.length >> 1))) throw new Error('rendered nothing');
    }
    least = Math.min(least, (performance.now() - begin) / 8);
  } while (performance.now() < end);
  return least * 1e3;
}

function correct(compile) {
  const types = ['context', 'rubric', 'file'];
  return cases.map(({ name, template, values, expected }) => {
    const { user_input = '', ...results } = values;
    return {
      name,
      ours: compile(template, types, Object.keys(results))({ ...values, user_input }) === expected,
      listing: chainedReplace(template, results, user_input) === expected,
    };
  });
}

function summarise(samples, right) {
  const read = (sample) => sample.us;
  const toReference = paired(samples, 'bellwether', 'reference', read);
  const toListing = paired(samples, 'listing', 'bellwether', read);
  const ours = overReps(samples, 'bellwether', read);
  const limit = `compiled reference ${figure(overReps(samples, 'reference', read).median)} µs`;
  const peer = `${figure(overReps(samples, 'listing', read).median)} µs (chained replaces)`;
  const share = (100 * right.filter((one) => one.ours).length) / right.length;
  return {
    'template.reference': { value: toReference.median, ours, unit: 'µs', limit, peer },
    'template.listing': {
      value: toListing.median,
      ours,
      unit: 'µs',
      limit,
      peer,
      vsPeer: paired(samples, 'bellwether', 'listing', read),
    },
    'template.right': {
      value: share,
      ours: { median: share, min: share, max: share, n: 1 },
      unit: '%',
      limit: `${right.length} cases`,
    },
  };
}

function table(samples, right, lost) {
  const wrong = right.filter((one) => !one.listing).map((one) => one.name);
  const failing = right.filter((one) => !one.ours).map((one) => one.name);
  const read = (sample) => sample.us;
  const rows = Object.keys(samples).map((name) => [
    name,
    range(overReps(samples, name, read)),
    range(paired(samples, name, 'reference', read)),
  ]);
  return `${plainTable(['template', '200 KB + 9 × 1 KB, µs', '÷ reference'], rows)}

Right: ${right.length - failing.length} of ${right.length} cases${failing.length ? `, wrong: ${failing.join('; ')}` : ''}. The listing loses ${figure(lost)} characters of the workload and is wrong on: ${wrong.join('; ')}.`;
}
