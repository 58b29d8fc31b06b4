const SCENARIOS = [
  'template',
  'toolloop',
  'engine',
  'faults',
  'cache',
  'cost',
  'gateway',
  'tools',
  'stream',
  'abort',
  'parallel',
  'hold',
  'fanout',
  'overload',
  'boot',
];
const SMOKE = ['template', 'engine', 'cost', 'stream', 'abort'];
const WITH_PEERS = ['engine', 'gateway', 'stream', 'abort', 'hold'];

/** Which scenarios run, on what, how much. Unknown words end the run before anything starts. */
export function parseOptions(words) {
  const flags = new Set(words.filter((word) => word.startsWith('--') && !word.includes('=')));
  const known = ['--smoke', '--peers', '--quick', '--allow-busy', '--publish'];
  for (const flag of flags) if (!known.includes(flag)) refuse(`unknown option ${flag}; known are ${known.join(' ')}`);
  const named = words.filter((word) => !word.startsWith('--'));
  for (const name of named)
    if (!SCENARIOS.includes(name)) refuse(`unknown scenario ${name}; known are ${SCENARIOS.join(' ')}`);
  const smoke = flags.has('--smoke');
  const isFull = !smoke && !flags.has('--quick');
  if (flags.has('--publish') && !isFull) refuse('--publish shows a full run: leave --quick and --smoke out');
  const all = smoke ? SMOKE : flags.has('--peers') ? WITH_PEERS : SCENARIOS;
  return {
    smoke,
    peers: flags.has('--peers'),
    mode: isFull ? 'full' : smoke ? 'smoke' : 'quick',
    // A smoke run shares its machine with the rest of the checks; its ratios are taken side by side.
    allowBusy: smoke || flags.has('--allow-busy'),
    publish: flags.has('--publish'),
    scenarios: named.length
      ? all.concat(SCENARIOS).filter((name, at, list) => named.includes(name) && list.indexOf(name) === at)
      : all,
    servers: words
      .find((word) => word.startsWith('--servers='))
      ?.slice('--servers='.length)
      .split(','),
  };
}

function refuse(message) {
  console.error(message);
  process.exit(2);
}
