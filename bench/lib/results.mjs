import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Writes one run with all its samples to results/<date>T<time, UTC>-<commit>.json. */
export function save(here, record) {
  const folder = join(here, 'results');
  mkdirSync(folder, { recursive: true });
  const time = record.machine.date.slice(0, 16).replace(':', '');
  const file = join(folder, `${time}-${record.machine.commit.replace('+', '-dirty')}.json`);
  writeFileSync(file, `${JSON.stringify(record, rounded, 1)}\n`);
  return relative(process.cwd(), file);
}

const rounded = (_, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value);

const BEGIN = '<!-- results -->';
const END = '<!-- /results -->';

/** Puts the tables of a run between the marks in the README, formatted as the project formats Markdown. */
export async function publish(here, record, report) {
  const file = join(here, 'README.md');
  const text = readFileSync(file, 'utf8');
  const { machine } = record;
  const facts = `Measured ${machine.date.slice(0, 10)} at commit ${machine.commit} on ${machine.cpu}, ${machine.memoryGb} GB, ${machine.os}, Node ${machine.node}; servers ${machine.pinned ? 'pinned apart from the load' : 'not pinned'}, ${machine.instructions ? 'instructions counted' : 'no instruction counter, so costs are CPU time'}.`;
  const block = [BEGIN, facts, report, END].join('\n\n');
  const filled = text.slice(0, text.indexOf(BEGIN)) + block + text.slice(text.indexOf(END) + END.length);
  const prettier = await import('prettier');
  writeFileSync(file, await prettier.format(filled, { ...(await prettier.resolveConfig(file)), parser: 'markdown' }));
}
