import { joinedTexts } from '../../answering';
import { isJsonObject, type JsonObject, type Usage } from '../../kernel';

/** The body of the last of several model requests, with what all of them said and used, and without calls of ours. */
export function wholeBody(body: JsonObject, texts: readonly string[], usage: Usage | null): JsonObject {
  const { choices, ...rest } = body;
  const [first, ...others] = Array.isArray(choices) ? (choices as unknown[]) : [];
  if (!isJsonObject(first) || !isJsonObject(first['message'])) return body;
  const { tool_calls: _calls, ...message } = first['message'];
  const content = joinedTexts(texts);
  return {
    ...rest,
    choices: [{ ...first, message: content === '' ? message : { ...message, content } }, ...others],
    ...(usage === null ? {} : { usage }),
  };
}
