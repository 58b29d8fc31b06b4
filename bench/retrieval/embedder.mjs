// A server with OpenAI's embeddings API. By default its vectors are sums of random directions, one per word.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { random } from './passages.mjs';

export const DIMENSIONS = 384;
const directions = new Map();

function directionOf(word) {
  let direction = directions.get(word);
  if (direction === undefined) {
    let seed = 0;
    for (const unit of word) seed = (Math.imul(seed, 31) + unit.codePointAt(0)) >>> 0;
    const next = random(seed);
    direction = Float32Array.from({ length: DIMENSIONS }, () => next() + next() + next() - 1.5);
    directions.set(word, direction);
  }
  return direction;
}

/** Of length 1. */
export function embed(text) {
  const sum = new Float64Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? ['']) {
    directionOf(word).forEach((value, at) => (sum[at] += value / Math.max(1, 8 - word.length)));
  }
  const length = Math.hypot(...sum) || 1;
  return Array.from(sum, (value) => Number((value / length).toFixed(6)));
}

/** `embedOne` gives the vector of a text. */
export async function startEmbedder(embedOne = embed) {
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    const { input, encoding_format: format, model } = JSON.parse(Buffer.concat(parts).toString());
    const vectors = [];
    for (const text of [input].flat()) vectors.push(await embedOne(text));
    const data = vectors.map((vector, index) => {
      const embedding = format === 'base64' ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
      return { object: 'embedding', index, embedding };
    });
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data, model, usage }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/v1`, stop: () => server.close() };
}
