import { AppError, type ChatMessage, lastUserIndex, textOf } from '@bellwether/kernel';
import type { ConnectorDefinition, ModelRequest } from '../../contract';
import { badResponse } from '../../transport';
import { wireOf, wirePlugin } from '../../vendor';
import { GEMINI, geminiPost } from './gemini';
import { partsOf } from './gemini-contents';
import { GOOGLE_VENDOR } from './google.vendor';

/** Aspect ratios that Gemini's image models support (ai.google.dev/gemini-api/docs/image-generation, "Aspect ratios"). */
const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const;

/** The nearest ratio to `1024x1536` or `2:3`; null for `auto` and for texts that are no size. */
export function aspectRatioOf(size: unknown): (typeof RATIOS)[number] | null {
  const match = typeof size === 'string' ? /^(\d{1,5})[x:](\d{1,5})$/.exec(size) : null;
  const [width, height] = [Number(match?.[1]), Number(match?.[2])];
  if (!(width > 0 && height > 0)) return null;
  const distance = (ratio: string): number => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return Math.abs(Math.log((width / height) * (down / across)));
  };
  return RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

const DEFINITION: ConnectorDefinition = {
  name: 'banana_img',
  aliases: [],
  display_name: 'Gemini images',
  description:
    'Creates pictures from a description, and changes pictures that you send, with the image models of Google.',
  texts: {
    es: {
      description:
        'Crea imágenes a partir de una descripción y modifica las que usted envía, con los modelos de imágenes de Google.',
    },
    ca: {
      description:
        'Crea imatges a partir d’una descripció i modifica les que envieu, amb els models d’imatges de Google.',
    },
    eu: {
      description:
        'Deskribapen batetik irudiak sortzen ditu, eta bidaltzen dituzunak aldatzen ditu, Google-ren irudi-ereduekin.',
    },
  },
  icon: 'image',
  capabilities: { streaming: true, vision: true, functions: false, image_generation: true },
  vendor: GOOGLE_VENDOR,
  models: [],
  modelPattern: 'image|imagen|banana',
  defaultModel: 'gemini-2.5-flash-image',
};

/** The last question. @throws AppError `bad_request` when it has no text to draw from */
function askedIn({ messages }: ModelRequest): ChatMessage {
  const asked = messages[lastUserIndex(messages)];
  if (asked !== undefined && textOf(asked.content).trim() !== '') return asked;
  throw new AppError('bad_request', 'Say what the image shall show');
}

const WIRE = wireOf({
  ...GEMINI,
  imageMessages: (request) => [askedIn(request)],
  encode: (call) => {
    const ratio = aspectRatioOf(call.request.params['size']);
    return geminiPost(call, {
      contents: [{ role: 'user', parts: partsOf(askedIn(call.request).content, call.images) }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        ...(ratio === null ? {} : { imageConfig: { aspectRatio: ratio } }),
      },
    });
  },
});

/**
 * Creates images with Gemini's image models from the text and images of the last question. The rest of the conversation
 * is not sent. The vendor is never asked for a stream, because an image comes whole.
 */
export const BANANA_IMG = wirePlugin(DEFINITION, {
  imageMessages: WIRE.imageMessages,
  encode: WIRE.encode,
  maxBodyBytes: GEMINI.maxBodyBytes,
  eventStream: false,
  whole: (payload, call) => {
    const answer = WIRE.whole(payload, call);
    if (answer.images === undefined && answer.text === '') throw badResponse('The model made no image');
    return answer;
  },
});
