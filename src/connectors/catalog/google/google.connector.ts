import type { ConnectorDefinition, ConnectorPlugin } from '../../contract';
import { vendorPlugin } from '../../vendor';
import { GEMINI, geminiPost } from './gemini';
import { GEMINI_MODELS } from './gemini-models';
import { geminiRequest } from './gemini-request';
import { GOOGLE_VENDOR } from './google.vendor';

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
