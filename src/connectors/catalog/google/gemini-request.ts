import type { JsonObject } from '@bellwether/kernel';
import type { ModelRequest } from '../../contract';
import { formatIn, functionsIn, functionWishIn, type InlineImages, maxTokensIn, numberIn, stopsIn } from '../../vendor';
import { contentsOf, instructionOf, type RecallSignature } from './gemini-contents';

/** OpenAI's parameter → member of Gemini's `generationConfig`. */
const NUMBERS: readonly (readonly [from: string, to: string])[] = [
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['seed', 'seed'],
  ['presence_penalty', 'presencePenalty'],
  ['frequency_penalty', 'frequencyPenalty'],
];

/** Gemini refuses more. */
const MAX_STOPS = 5;

/**
 * A request to `generateContent` (ai.google.dev/api/generate-content). Parameters without an equivalent (`n`, `logprobs`,
 * `user`) are left out. @throws AppError `upstream_rejected` for parts that the API does not take
 */
export function geminiRequest(
  { model, messages, params }: ModelRequest,
  images: InlineImages,
  recall: RecallSignature,
): JsonObject {
  const instruction = instructionOf(messages);
  const config = generationConfig(params);
  return {
    contents: contentsOf(model, messages, images, recall),
    ...(instruction === '' ? {} : { systemInstruction: { parts: [{ text: instruction }] } }),
    ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
    ...toolsOf(params),
  };
}

function generationConfig(params: JsonObject): JsonObject {
  const numbers = NUMBERS.flatMap(([from, to]) => {
    const value = numberIn(params, from);
    return value === null ? [] : [[to, value] as const];
  });
  const maxTokens = maxTokensIn(params);
  const stops = stopsIn(params).slice(0, MAX_STOPS);
  const format = formatIn(params);
  return {
    ...Object.fromEntries(numbers),
    ...(maxTokens === null ? {} : { maxOutputTokens: maxTokens }),
    ...(stops.length === 0 ? {} : { stopSequences: stops }),
    ...(format === null ? {} : { responseMimeType: 'application/json' }),
    ...(format === null || format === 'json' ? {} : { responseJsonSchema: format }),
  };
}

function toolsOf(params: JsonObject): JsonObject {
  const declared = functionsIn(params);
  if (declared.length === 0) return {};
  const functionDeclarations = declared.map(({ name, description, parameters }) => ({
    name,
    ...(description === null ? {} : { description }),
    parametersJsonSchema: parameters,
  }));
  const config = callingConfig(params);
  const tools = [{ functionDeclarations }];
  return config === null ? { tools } : { tools, toolConfig: { functionCallingConfig: config } };
}

function callingConfig(params: JsonObject): JsonObject | null {
  const wish = functionWishIn(params);
  if (wish === null) return null;
  if (wish === 'auto') return { mode: 'AUTO' };
  if (wish === 'none') return { mode: 'NONE' };
  return wish === 'required' ? { mode: 'ANY' } : { mode: 'ANY', allowedFunctionNames: [wish.name] };
}
