import { dataFrame } from '../infrastructure/sse';
import { spliced } from './chunk-frames';
import type { ChunkIdentity } from './chunk-identity';

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** A report as an ordinary completion. */
export const reportBody = (markdown: string, { id, created, model }: ChunkIdentity): object => ({
  id,
  object: 'chat.completion',
  created,
  model,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: markdown, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: NO_USAGE,
});

/** A report as the frames of an ordinary stream, without the end mark. */
export function reportFrames(
  markdown: string,
  { id, created, model }: ChunkIdentity,
  extension: string,
  includeUsage: boolean,
): string {
  const chunk = (choices: readonly object[], more: object = {}): string =>
    JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices, ...more });
  const delta = (content: object, finish_reason: string | null): string =>
    chunk([{ index: 0, delta: content, logprobs: null, finish_reason }]);
  return [
    dataFrame(delta({ role: 'assistant', content: markdown }, null)),
    dataFrame(spliced(delta({}, 'stop'), extension)),
    includeUsage ? dataFrame(chunk([], { usage: NO_USAGE })) : '',
  ].join('');
}
