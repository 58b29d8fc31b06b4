import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of each stage of the Dockerfile, in order. */
export function imageStages(): readonly (readonly Instruction[])[] {
  const lines = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [name = '', ...rest] = line.split(' ');
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, text: rest.join(' ') });
  }
  return stages;
}

/** Arguments of the build, with their defaults. */
export function imageArguments(): Record<string, string> {
  return pairsOf('ARG');
}

/** Environment variables that the image sets, when it is built with these arguments. */
export function imageEnvironment(given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const values = { ...imageArguments(), ...given };
  const filled = Object.entries(pairsOf('ENV')).map(([name, value]) => [
    name,
    value.startsWith('$') ? values[value.slice(1)] : value,
  ]);
  return Object.fromEntries(filled) as Record<string, string>;
}

function pairsOf(instruction: string): Record<string, string> {
  const run = imageStages().at(-1) ?? [];
  const pairs = run.filter(({ name }) => name === instruction).flatMap(({ text }) => text.split(' '));
  return Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string]));
}
