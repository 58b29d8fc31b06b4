import type { Dispatcher } from 'undici';
import { isJsonObject } from '../../kernel';
import { badResponse, errorInAnswer, type ModelPost, type ModelTransport } from '../transport';

/** Opens a stream of server-sent events; a plain answer in its place is the error that it holds, or a bad response. */
export async function openEventStream(transport: ModelTransport, post: ModelPost): Promise<Dispatcher.ResponseData> {
  const response = await transport.post(post);
  const type = response.headers['content-type'];
  if (type === undefined || String(type).toLowerCase().includes('text/event-stream')) return response;
  const payload = await transport.json(response);
  const failed = isJsonObject(payload) && (payload['error'] ?? null) !== null;
  throw failed ? errorInAnswer(payload, [post.target.apiKey]) : badResponse('The model vendor did not send a stream');
}
