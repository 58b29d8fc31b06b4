import type { Connector, ConnectorDefinition } from '../contract';
import { TextConnector } from './text-connector';

/** Says the same whatever is asked. No catalogue lists it. */
const DEFINITION: ConnectorDefinition = {
  name: 'fixed',
  aliases: [],
  display_name: 'Fixed answer',
  description: 'Answers with a given text.',
  texts: {
    es: { description: 'Responde con un texto dado.' },
    ca: { description: 'Respon amb un text donat.' },
    eu: { description: 'Testu jakin batekin erantzuten du.' },
  },
  icon: 'quote',
  capabilities: { streaming: true, vision: false, functions: false, image_generation: false },
  vendor: null,
  models: ['fixed'],
  defaultModel: 'fixed',
};

export const fixedAnswer = (text: string): Connector => new TextConnector(DEFINITION, () => text);
