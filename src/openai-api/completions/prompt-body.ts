import { isJsonObject } from '../../kernel';

/**
 * LAMB also takes `prompt`, or `params.prompt`, in place of `messages`: a text, or several that are joined by blanks. A body
 * with `messages` stays as it is.
 */
export function withMessages(body: unknown): unknown {
  if (!isJsonObject(body) || body['messages'] !== undefined) return body;
  const { prompt, params, ...rest } = body;
  const own = textOf(prompt);
  const nested = own === null && isJsonObject(params) ? textOf(params['prompt']) : null;
  const content = own ?? nested;
  if (content === null) return body;
  const others = nested === null && params !== undefined ? { params } : {};
  return { ...rest, ...others, messages: [{ role: 'user', content }] };
}

function textOf(prompt: unknown): string | null {
  if (typeof prompt === 'string') return prompt;
  const isTexts = Array.isArray(prompt) && prompt.length > 0 && prompt.every((each) => typeof each === 'string');
  return isTexts ? prompt.join(' ') : null;
}
