// The bytes that the mock model answers with and that the load generator expects back.
export const MODEL = 'gpt-4o-mini';
export const ANSWER = Array.from({ length: 50 }, (_, n) => `word${String(n).padStart(2, '0')}`).join(' ');

const usage = { prompt_tokens: 120, completion_tokens: 50, total_tokens: 170 };
const identity = { id: 'chatcmpl-bench', created: 1790000000, model: MODEL };

export const completion = JSON.stringify({
  ...identity,
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: ANSWER, refusal: null }, logprobs: null, finish_reason: 'stop' },
  ],
  usage,
  system_fingerprint: null,
});

const chunk = (delta, finish_reason = null, extra = {}) =>
  `data: ${JSON.stringify({
    ...identity,
    object: 'chat.completion.chunk',
    system_fingerprint: null,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...extra,
  })}\n\n`;

// `~@<sequence>:<µs>~`, both of fixed width, so that a frame's length never changes and stamping is a few digit writes.
export const STAMP_SIZE = 22;
const STAMP = '~@0000:00000000000000~';
const frame = chunk({ content: `${STAMP} word` });

export const roleFrame = chunk({ role: 'assistant', content: '' });
export const endFrames = (withUsage) =>
  chunk({}, 'stop') + (withUsage ? chunk({}, null, { choices: [], usage }) : '') + 'data: [DONE]\n\n';

const asChunk = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
export const httpChunk = (text) => Buffer.from(asChunk(text));

const template = httpChunk(frame);
const stampAt = template.indexOf('~@');

/** One token as an HTTP chunk, stamped with its sequence number and the moment it is written. */
export function tokenChunk(sequence, microseconds) {
  const bytes = Buffer.allocUnsafe(template.length);
  template.copy(bytes);
  digits(bytes, stampAt + 2, 4, sequence % 10_000);
  digits(bytes, stampAt + 7, 14, Math.floor(microseconds));
  return bytes;
}

/** A whole streamed answer in one write, for the ceiling run. */
export function burstBytes(tokens, withUsage) {
  const parts = [httpChunk(roleFrame)];
  for (let n = 0; n < tokens; n++) parts.push(tokenChunk(n, 0));
  parts.push(httpChunk(endFrames(withUsage)), Buffer.from('0\r\n\r\n'));
  return Buffer.concat(parts);
}

function digits(bytes, at, width, value) {
  let left = value;
  for (let i = at + width - 1; i >= at; i--) {
    bytes[i] = 48 + (left % 10);
    left = Math.floor(left / 10);
  }
}
