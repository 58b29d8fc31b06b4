import { joinedTexts } from '../../answering';
import { isJsonObject, type JsonObject, type Usage } from '../../kernel';

/** The last round's body with the texts and the usage of all rounds, without function calls. */
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
