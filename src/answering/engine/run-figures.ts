import type { ModelAnswer, ModelChunk, ModelRequest } from '../../connectors';
import { addUsage, isJsonObject, type JsonObject, type Usage } from '../../kernel';

/** Adds the run's earlier usage to the chunk's usage. */
export function chunkWithSpent(chunk: ModelChunk, spent: Usage | null): ModelChunk {
  if (spent === null || chunk.usage === null) return chunk;
  const usage = addUsage(chunk.usage, spent);
  const parsed: unknown = JSON.parse(chunk.data);
  if (!isJsonObject(parsed) || !isJsonObject(parsed['usage'])) return chunk;
  return { ...chunk, data: JSON.stringify({ ...parsed, usage: { ...parsed['usage'], ...usage } }) };
}

/** Adds the run's earlier usage to the answer's usage. */
export function answerWithSpent(answer: ModelAnswer, spent: Usage | null): ModelAnswer {
  if (spent === null || answer.usage === null) return answer;
  const { body } = answer;
  const own = isJsonObject(body['usage']) ? body['usage'] : {};
  return { ...answer, body: { ...body, usage: { ...own, ...addUsage(spent, answer.usage) } } };
}

/** A request without a usage chunk: after the rounds the client gets one chunk with the sum. */
export function withoutUsageChunk(request: ModelRequest): ModelRequest {
  const { stream_options: options, ...params } = request.params;
  if (!isJsonObject(options)) return request;
  const { include_usage: _usage, ...others } = options;
  const kept: JsonObject = Object.keys(others).length === 0 ? params : { ...params, stream_options: others };
  return { ...request, params: kept };
}
