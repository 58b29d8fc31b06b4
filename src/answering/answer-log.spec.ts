import { AppError, type RunEvent } from '@bellwether/kernel';
import type { ModelChunk } from '../connectors';
import type { Run } from '../runs';
import { type AnswerEvent, Backpressure } from './completion.types';
import { answerLog } from './background-completions.service';

const chunk = (text: string): ModelChunk => ({ data: '{}', text, finishReason: null, usage: null });
const delta = (...texts: readonly string[]): AnswerEvent => ({
  type: 'delta',
  chunks: texts.map(chunk),
  callsFollow: false,
});
const round = (n: number): AnswerEvent => ({ type: 'round', round: n });

function background(drained: () => Promise<void> | undefined = () => undefined) {
  const events: RunEvent[] = [];
  const run = { id: 'r', emit: (event: RunEvent) => void events.push(event), drained } as unknown as Run;
  const pressure = new Backpressure();
  const said = (): string => events.map((event) => (event.type === 'llm.delta' ? event.text : '')).join('');
  return { completion: { run }, pressure, said };
}

describe('the answer of a background run', () => {
  it('is told piece by piece', () => {
    const { completion, pressure, said } = background();
    [delta('Hello ', 'you'), delta('', '.')].forEach(answerLog(completion, pressure));
    expect(said()).toBe('Hello you.');
  });

  it('has a paragraph for each round that says something', () => {
    const { completion, pressure, said } = background();
    const rounds = [round(1), delta(''), round(2), delta('Let me look.'), round(3), delta('Do', 'ne.')];
    rounds.forEach(answerLog(completion, pressure));
    expect(said()).toBe('Let me look.\n\nDone.');
  });

  it('holds its vendor until it is written down', async () => {
    let release = (): void => undefined;
    const full = new Promise<void>((resolve) => (release = resolve));
    const { completion, pressure } = background(() => full);
    answerLog(completion, pressure)(delta('a'));
    let passed = false;
    const held = Promise.resolve(pressure.held).then(() => (passed = true));
    await new Promise((next) => setImmediate(next));
    expect(passed).toBe(false);
    release();
    await held;
  });

  it('is the report where one was asked for', () => {
    const { completion, pressure, said } = background();
    answerLog(completion, pressure)({ type: 'report', markdown: '# Report', model: 'm' });
    expect(said()).toBe('# Report');
  });

  it('ends quietly with a failure: the terminal event has told it', () => {
    const { completion, pressure, said } = background();
    const error = new AppError('upstream_error', 'gone');
    const failed: AnswerEvent = { type: 'failed', record: { status: 'failed' }, error, cause: error };
    answerLog(completion, pressure)(failed);
    expect(said()).toBe('');
  });
});
