import { infoOf } from './fleet.mjs';

/** A number with as many digits as it deserves. */
export function figure(value) {
  if (value === undefined || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3)));
}

export function range(spread, unit = '') {
  if (!spread || !spread.n) return '–';
  const text = `${figure(spread.median)}${unit && ` ${unit}`}`;
  return spread.n > 1 ? `${text} [${figure(spread.min)}..${figure(spread.max)}]` : text;
}

export function limitText(direct, nodepipe, unit = '') {
  return `${figure(direct?.median)} / ${figure(nodepipe?.median)}${unit && ` ${unit}`}`;
}

export function peerText(name, spread, unit = '') {
  if (!spread?.n) return '–';
  return `${figure(spread.median)}${unit && ` ${unit}`} (${name} ${infoOf(name).version})`;
}

function meets(value, goal, limit) {
  return goal.is === '<=' ? value <= limit : value >= limit;
}

// Twice the limit for costs, half of it for gains; for figures with a floor of 1 or a whole of 100 %, twice the excess.
function slackened(goal) {
  const base = goal.slackAbove;
  if (base !== undefined) return base + (goal.must - base) * 2;
  return goal.is === '<=' ? goal.must * 2 : goal.must / 2;
}

export function judge(goal, result, { smoke = false } = {}) {
  const value = smoke ? (result?.smokeValue ?? result?.value) : result?.value;
  if (value === undefined || Number.isNaN(value)) {
    return { verdict: result?.why ? `not measured: ${result.why}` : 'not measured', failed: false, missing: true };
  }
  const must = smoke ? slackened(goal) : goal.must;
  const note = result.note ? ` (${result.note})` : '';
  if (goal.must === undefined) {
    return { verdict: `${meets(value, goal, goal.stretch) ? 'stretch' : 'short of stretch'}${note}`, failed: false };
  }
  if (!meets(value, goal, must)) return { verdict: `**missed**${note}`, failed: true };
  if (smoke) return { verdict: `ok, slack to ${figure(must)}${note}`, failed: false };
  const stretched = goal.stretch !== undefined && meets(value, goal, goal.stretch);
  return { verdict: `${stretched ? 'stretch' : 'must'}${note}`, failed: false };
}

const columns = [
  'id',
  'scenario',
  'metric',
  'limit (direct/nodepipe)',
  'best peer (name, version)',
  'ours median [min..max]',
  'ours ÷ nodepipe',
  'ours ÷ peer',
  'must',
  'stretch',
  'verdict',
  'measured',
];

const row = (cells) => `| ${cells.join(' | ')} |`;

/** Columns of the page; the terminal shows all. */
const BRIEF = [
  'scenario',
  'metric',
  'measured',
  'must',
  'verdict',
  'ours median [min..max]',
  'best peer (name, version)',
];

/** The goals as one table, judged. `results` maps a goal's key to its figures. */
export function goalsTable(goals, results, options = {}) {
  const wanted = options.brief ? BRIEF.map((name) => columns.indexOf(name)) : columns.map((_, at) => at);
  const only = (cells) => row(wanted.map((at) => cells[at]));
  const shown = (text) => (options.brief ? text.replace(/ \(.*\)$/, '') : text);
  const lines = [only(columns), only(columns.map(() => '---'))];
  const judged = goals.map((goal) => {
    const result = results[goal.key];
    const { verdict, failed, missing } = judge(goal, result, options);
    const sign = goal.is === '<=' ? '≤' : '≥';
    lines.push(
      only([
        goal.id,
        goal.scenario,
        goal.metric,
        result?.limit ?? '–',
        result?.peer ?? '–',
        range(result?.ours, result?.unit),
        range(result?.vsNodepipe),
        range(result?.vsPeer),
        goal.must === undefined ? '–' : `${sign} ${goal.must}`,
        goal.stretch === undefined ? '–' : `${sign} ${goal.stretch}`,
        shown(verdict),
        figure(result?.value),
      ]),
    );
    return { key: goal.key, id: goal.id, value: result?.value, verdict, failed, missing: Boolean(missing) };
  });
  return { text: lines.join('\n'), judged };
}

/** A plain table: header cells and rows of cells. */
export function plainTable(head, rows) {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}
