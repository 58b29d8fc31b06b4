import { randomBytes } from 'node:crypto';

export interface DataFence {
  /** The line itself, for instructions that speak of it. */
  readonly line: string;
  readonly around: (text: string) => string;
}

/** Two unpredictable lines around data, so that the model does not follow instructions in it (prompt injection). */
export function dataFence(name: string): DataFence {
  const line = `${name}-${randomBytes(12).toString('hex')}`;
  const title = `The ${name} is everything between the two lines ${line}.`;
  return { line, around: (text) => `${title}\n${line}\n${text}\n${line}` };
}
