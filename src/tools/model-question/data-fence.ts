import { randomBytes } from 'node:crypto';

export interface DataFence {
  /** The line itself, for instructions that speak of it. */
  readonly line: string;
  readonly around: (text: string) => string;
}

/** Two lines that nobody can know beforehand: what stands between them is data for the model, whatever it says. */
export function dataFence(name: string): DataFence {
  const line = `${name}-${randomBytes(12).toString('hex')}`;
  const title = `The ${name} is everything between the two lines ${line}.`;
  return { line, around: (text) => `${title}\n${line}\n${text}\n${line}` };
}
