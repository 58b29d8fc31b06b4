import { isJsonObject, type JsonObject } from '../../kernel';

/** A function in OpenAI's `tools` parameter (API reference, "Create chat completion"). */
export interface OfferedFunction {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of type `object`. */
  readonly parameters: JsonObject;
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} };

export function functionsIn({ tools }: JsonObject): readonly OfferedFunction[] {
  return (Array.isArray(tools) ? tools.filter(isJsonObject) : []).flatMap(({ function: offered }) => {
    if (!isJsonObject(offered) || typeof offered['name'] !== 'string') return [];
    const { name, description, parameters } = offered;
    return [
      {
        name,
        description: typeof description === 'string' && description !== '' ? description : null,
        parameters: isJsonObject(parameters) && parameters['type'] === 'object' ? parameters : NO_PARAMETERS,
      },
    ];
  });
}

export type FunctionWish = 'auto' | 'none' | 'required' | { readonly name: string };

/** `tool_choice`; null when the request leaves it open. */
export function functionWishIn({ tool_choice: wish }: JsonObject): FunctionWish | null {
  if (wish === 'auto' || wish === 'none' || wish === 'required') return wish;
  const called = isJsonObject(wish) ? wish['function'] : null;
  return isJsonObject(called) && typeof called['name'] === 'string' ? { name: called['name'] } : null;
}

export const numberIn = (params: JsonObject, name: string): number | null => {
  const value = params[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};

/** The newer name wins. */
export const maxTokensIn = (params: JsonObject): number | null =>
  numberIn(params, 'max_completion_tokens') ?? numberIn(params, 'max_tokens');

export function stopsIn({ stop }: JsonObject): readonly string[] {
  const given: readonly unknown[] = Array.isArray(stop) ? stop : [stop];
  return given.filter((one): one is string => typeof one === 'string' && one !== '');
}

/** `response_format`: `json` for any object, the schema where one is given, null for text. */
export function formatIn({ response_format: format }: JsonObject): 'json' | JsonObject | null {
  if (!isJsonObject(format)) return null;
  if (format['type'] === 'json_object') return 'json';
  if (format['type'] !== 'json_schema') return null;
  const named = format['json_schema'];
  return isJsonObject(named) && isJsonObject(named['schema']) ? named['schema'] : 'json';
}

/** Arguments of a call as an object, for vendors that require one. Invalid JSON is wrapped, so the model can read it. */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : { invalid_arguments: text };
  } catch {
    return { invalid_arguments: text };
  }
}
