import type { RunEvent, Source, StampedRunEvent } from '@bellwether/kernel';
import type { LoggedEvent } from '../runs';
import { FAILED_FOR_ASKERS, forAskers, loggedForAskers, sourcesForAskers } from './asker-events';

const tool = { index: 0, plugin: 'secret_rag', placeholder: '1_secret', message: 'secret' } as const;
const source: Source = {
  type: 'knowledge_base',
  title: 'Cells',
  url: 'https://x.example',
  similarity: 0.04,
  document: 'cells.md',
  n: 1,
};
const figures = { chars: 919, sources: 1, duration_ms: 3, cached: false, confidence: 0.04, retries: 0 };
const MACHINERY = /secret|0\.04|919|580|prompt_tokens|similarity|confidence|"chars"/;

const EVENTS: readonly RunEvent[] = [
  { type: 'run.started', assistant_id: 7, assistant_type: 'multi_tool', strategy: 'secret' },
  { type: 'warning', code: 'placeholder.secret', message: '{9_secret} stays empty' },
  { type: 'tool.started', ...tool, label: 'secret' },
  { type: 'tool.completed', ...tool, ...figures },
  { type: 'tool.failed', ...tool, call: { id: 'c1', name: 'secret', round: 1 }, code: 'tool_failed' },
  { type: 'prompt.ready', messages: 2, chars: 919 },
  { type: 'llm.started', connector: 'secret', model: 'secret-4o' },
  { type: 'sources', sources: [source, { type: 'file', path: 'a.md', chars: 919, truncated: false }] },
  { type: 'usage', prompt_tokens: 580, completion_tokens: 1, total_tokens: 581 },
  { type: 'run.failed', code: 'tool_failed', message: 'secret_rag → 1_secret failed' },
];
const stamped = (event: RunEvent, at: number): StampedRunEvent => ({ run_id: 'r', seq: at + 1, at: 'now', ...event });

describe('events for people who may not edit the assistant', () => {
  it.each(EVENTS.map((event, at) => [event.type, stamped(event, at)] as const))(
    '%s hides the machinery',
    (_, event) => {
      const told = forAskers(event);
      expect(JSON.stringify(told)).not.toMatch(MACHINERY);
      const { run_id, seq, at, type } = event;
      expect(told).toMatchObject({ run_id, seq, at, type });
    },
  );

  it('say where the answer comes from, and how it ended', () => {
    expect(forAskers(stamped({ type: 'sources', sources: [source] }, 0))).toMatchObject({
      sources: [{ title: 'Cells', document: 'cells.md', n: 1 }],
    });
    expect(forAskers(stamped({ type: 'run.failed', code: 'tool_failed', message: 'x' }, 0))).toMatchObject({
      code: 'tool_failed',
      message: FAILED_FOR_ASKERS,
    });
  });

  it('keep a call apart from a tool, without its name', () => {
    const call = { id: 'c1', name: 'secret', round: 2 };
    expect(forAskers(stamped({ type: 'tool.started', ...tool, call }, 0))).toMatchObject({
      call: { id: 'c1', name: 'tool', round: 2 },
    });
  });

  it('hide members of events that this version does not know', () => {
    const event = { type: 'tool.secret', detail: 'secret', run_id: 'r', seq: 1, at: 'now' } as never;
    expect(forAskers(event)).toEqual({ type: 'tool.secret', run_id: 'r', seq: 1, at: 'now' });
  });

  it('are the bytes of the log where they are the answer', () => {
    const event = stamped({ type: 'llm.delta', text: 'a "secret"\ndata: {}' }, 0);
    const logged: LoggedEvent = { ...event, data: JSON.stringify(event) };
    expect(loggedForAskers(logged, new Set())).toBe(logged);
  });

  it('have no link to a document whose passages are hidden', () => {
    const knowledge_base = { id: 'b1', name: 'Biology' };
    const hidden: Source = { ...source, knowledge_base };
    expect(sourcesForAskers([hidden], new Set(['b1']))).toEqual([expect.objectContaining({ url: source.url })]);
    expect(sourcesForAskers([hidden], new Set())).toEqual([
      { type: 'knowledge_base', title: 'Cells', document: 'cells.md', n: 1, knowledge_base },
    ]);
  });
});
