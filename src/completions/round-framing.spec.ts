import type { FunctionCallDelta, ModelChunk } from '../connectors';
import type { Completion } from './completion.types';
import { RoundFraming } from './round-framing';

const completion = {
  run: { id: 'r', startedAt: new Date(0) },
  facts: { model: 'm', prepared: null, callSources: [] },
} as unknown as Completion;

const chunkOf = (delta: object, finishReason: string | null, calls?: readonly FunctionCallDelta[]): ModelChunk => ({
  data: JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finishReason }] }),
  text: '',
  finishReason,
  usage: null,
  ...(calls === undefined ? {} : { calls }),
});

const callDelta = (name: string | null): FunctionCallDelta => ({ index: 0, id: 'a', name, arguments: '{}' });

describe('the frames of several rounds', () => {
  it.each(['tool_calls', 'stop'])('end with a finish chunk when no call has a name (%s)', (finishReason) => {
    const framing = new RoundFraming(completion);
    framing.begin();
    expect(framing.frameOf(chunkOf({}, null, [callDelta(null)]))).toBe('');
    const last = framing.frameOf(chunkOf({}, finishReason));
    expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ choices: [{ finish_reason: finishReason }] });
    expect(framing.round.calls).toEqual([]);
  });

  it('do not end while a call is to be made', () => {
    const framing = new RoundFraming(completion);
    framing.begin();
    framing.frameOf(chunkOf({}, null, [callDelta('f')]));
    expect(framing.frameOf(chunkOf({}, 'tool_calls'))).toBe('');
    expect(framing.round.calls).toHaveLength(1);
  });
});
