import { isJsonObject, type JsonObject } from '@bellwether/kernel';
import type { ModelsWire } from '../../contract';
import { keyHeader, versionFor } from './gemini';

const answers = ({ supportedGenerationMethods: methods }: JsonObject): boolean =>
  !Array.isArray(methods) || methods.includes('generateContent');

/** ai.google.dev/api/models, `models.list`; one page holds 1,000. Models that only embed or count are left out. */
export const GEMINI_MODELS: ModelsWire = {
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
