import type { FunctionCallDelta, ModelChunk } from '../connectors';
import { RoundFraming } from './stream-frames';

const framingFor = (showsThoughts = true): RoundFraming => {
  const framing = new RoundFraming({ id: 'chatcmpl-r', created: 0, model: 'm' }, showsThoughts);
  framing.begin();
  return framing;
};
const end = { callsFollow: false, extension: '"run_id":"r"' };

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
    const framing = framingFor();
    expect(framing.frameOf(chunkOf({}, null, [callDelta(null)]), end)).toBe('');
    const last = framing.frameOf(chunkOf({}, finishReason), end);
    expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ choices: [{ finish_reason: finishReason }] });
  });

  it.each([true, false])('show the thoughts of the model to callers who see the whole prompt: %s', (shown) => {
    const framing = framingFor(shown);
    const thought = (delta: object, finishReason: string | null = null): ModelChunk => ({
      ...chunkOf(delta, finishReason),
      echoed: { reasoning_content: 'secret', extra_content: { google: { thought_signature: 'secret' } } },
    });
    const members = { reasoning_content: 'secret', extra_content: { google: { thought_signature: 'secret' } } };
    const frames = [
      thought({ role: 'assistant', content: null, ...members }),
      thought(members),
      { ...thought({ content: 'Hi', ...members }), text: 'Hi' },
      thought(members, 'stop'),
    ].map((chunk) => framing.frameOf(chunk, end));
    expect(frames.join('').includes('secret')).toBe(shown);
    expect(frames.join('')).toContain('"content":"Hi"');
  });

  it('do not end while a call is to be made', () => {
    const framing = framingFor();
    expect(framing.frameOf(chunkOf({}, null, [callDelta('f')]), end)).toBe('');
    expect(framing.frameOf(chunkOf({}, 'tool_calls'), { ...end, callsFollow: true })).toBe('');
  });
});
