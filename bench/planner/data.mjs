// Public collections of questions with the tools that answer them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const HOW = `BENCH_DATA names a folder (or one in it) with \`tools/\`:
  metatool_10way.jsonl    {"query", "candidates": [names], "tools": [the right one]}, metatool_tools.json {name: description}
  bfcl_{simple_python,multiple,parallel,irrelevance}.jsonl   {"messages", "tools": [OpenAI's], "gold_tools"}
  nestful_{executable,glaive}.jsonl   {"query", "calls": [{"name", "arguments", "label"}], "edges"}, *_spec.json [tools]
Made from MetaTool (HowieHwong, MIT), BFCL v4 (gorilla, Apache-2.0) and NESTFUL (IBM, Apache-2.0).`;

export function dataFolder() {
  const given = process.env.BENCH_DATA ?? '';
  const folder = [join(given, 'tools'), join(dirname(given), 'tools'), given].find((each) =>
    existsSync(join(each, 'metatool_10way.jsonl')),
  );
  if (given === '' || folder === undefined) {
    console.error(HOW);
    process.exit(2);
  }
  return folder;
}

export const json = (folder, name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
export const jsonLines = (folder, name) =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));

/** Halves by what must not be on both sides: the one was tuned on, the other was not looked at. */
export function isTunedOn(text) {
  let sum = 0;
  for (const unit of text) sum = (Math.imul(sum, 31) + unit.charCodeAt(0)) >>> 0;
  return sum % 2 === 0;
}

/** OpenAI's tool as the selector sees it. */
export const toolText = ({ function: tool, ...rest }) => ({
  name: rest['x-original-name'] ?? tool.name,
  description: tool.description ?? '',
  parameters: Object.entries(tool.parameters?.properties ?? {}).map(([name, { description = '', type }]) => ({
    name,
    description,
    type,
    required: (tool.parameters?.required ?? []).includes(name),
  })),
});

export const share = (rows, holds) => (rows.length === 0 ? NaN : rows.filter(holds).length / rows.length);
export const shown = (value) => (Number.isNaN(value) ? '–' : value.toFixed(3));
