import { type JsonObject, isJsonObject } from '@bellwether/kernel';
import type { ConnectorDefinition, ConnectorPlugin, ModelRequest, ModelsWire } from '../../contract';
import {
  type InlineImages,
  formatIn,
  functionWishIn,
  functionsIn,
  maxTokensIn,
  numberIn,
  stopsIn,
  vendorPlugin,
} from '../../vendor';
import { GEMINI, geminiPost, keyHeader, versionFor } from './gemini';
import { type RecallSignature, contentsOf, instructionOf } from './gemini-contents';
import { GOOGLE_VENDOR } from './google.vendor';

const answers = ({ supportedGenerationMethods: methods }: JsonObject): boolean =>
  !Array.isArray(methods) || methods.includes('generateContent');

/** ai.google.dev/api/models, `models.list`; one page holds 1,000. Models that only embed or count are left out. */
const GEMINI_MODELS: ModelsWire = {
  request: (target) => ({ path: `${versionFor(target)}/models?pageSize=1000`, headers: keyHeader(target) }),
  read: (payload) => {
    if (!isJsonObject(payload) || !Array.isArray(payload['models'])) return null;
    return payload['models'].filter(isJsonObject).flatMap((model) => {
      const { name, displayName } = model;
      if (typeof name !== 'string' || !answers(model)) return [];
      return { id: name.replace(/^models\//, ''), name: typeof displayName === 'string' ? displayName : null };
    });
  },
};

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
function geminiRequest(
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

const DEFINITION: ConnectorDefinition = {
  name: 'google',
  aliases: ['gemini'],
  display_name: 'Google',
  description: 'Gemini models of Google, including those that create images.',
  texts: {
    es: { description: 'Modelos Gemini de Google; también los que crean imágenes.' },
    ca: { description: 'Models Gemini de Google; també els que creen imatges.' },
    eu: { description: 'Google-ren Gemini ereduak; irudiak sortzen dituztenak ere bai.' },
  },
  icon: 'sparkles',
  capabilities: { streaming: true, vision: true, functions: true, image_generation: true },
  vendor: GOOGLE_VENDOR,
  models: [],
  defaultModel: 'gemini-flash-latest',
};

/** Google's Gemini models. */
export const GOOGLE: ConnectorPlugin = {
  ...vendorPlugin(DEFINITION, {
    ...GEMINI,
    imageMessages: ({ messages }) => messages,
    encode: (call) =>
      geminiPost(
        call,
        geminiRequest(call.request, call.images, (callId) => call.recall(callId)?.text),
      ),
  }),
  models: GEMINI_MODELS,
};
