import { AppError, type RunEvent } from '@bellwether/kernel';
import { Subject, from } from 'rxjs';
import type { ModelChunk } from '../connectors';
import type { Run } from '../runs';
import { type AnswerEvent, Backpressure } from './completion.types';
import { logged } from './background-completions.service';

const chunk = (text: string): ModelChunk => ({ data: '{}', text, finishReason: null, usage: null });
const delta = (...texts: readonly string[]): AnswerEvent => ({
  type: 'delta',
  chunks: texts.map(chunk),
  callsFollow: false,
});
const round = (n: number): AnswerEvent => ({ type: 'round', round: n });

function background(drained: () => Promise<void> = () => Promise.resolve()) {
  const events: RunEvent[] = [];
  const run = { id: 'r', emit: (event: RunEvent) => void events.push(event), drained } as unknown as Run;
  const pressure = new Backpressure();
  const said = (): string => events.map((event) => (event.type === 'llm.delta' ? event.text : '')).join('');
  return { completion: { run }, pressure, said };
}

describe('the answer of a background run', () => {
  it('is told piece by piece', async () => {
    const { completion, pressure, said } = background();
    await logged(from([delta('Hello ', 'you'), delta('', '.')]), completion, pressure);
    expect(said()).toBe('Hello you.');
  });

  it('has a paragraph for each round that says something', async () => {
    const { completion, pressure, said } = background();
    const rounds = [round(1), delta(''), round(2), delta('Let me look.'), round(3), delta('Do', 'ne.')];
    await logged(from(rounds), completion, pressure);
    expect(said()).toBe('Let me look.\n\nDone.');
  });

  it('holds its vendor until it is written down', async () => {
    let release = (): void => undefined;
    const full = new Promise<void>((resolve) => (release = resolve));
    const { completion, pressure } = background(() => full);
    const answer = new Subject<AnswerEvent>();
    const writing = logged(answer, completion, pressure);
    answer.next(delta('a'));
    let passed = false;
    const held = Promise.resolve(pressure.held).then(() => (passed = true));
    await new Promise((next) => setImmediate(next));
    expect(passed).toBe(false);
    release();
    await held;
    answer.complete();
    await writing;
  });

  it('is the report where one was asked for', async () => {
    const { completion, pressure, said } = background();
    await logged(from([{ type: 'report', markdown: '# Report', model: 'm' } as const]), completion, pressure);
    expect(said()).toBe('# Report');
  });

  it('ends quietly with a failure: the terminal event has told it', async () => {
    const { completion, pressure } = background();
    const error = new AppError('upstream_error', 'gone');
    const failed: AnswerEvent = { type: 'failed', record: { status: 'failed' }, error, cause: error };
    await expect(logged(from([failed]), completion, pressure)).resolves.toBeUndefined();
  });
});
