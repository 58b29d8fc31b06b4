import { lastQuestion } from '@bellwether/kernel';
import type { ConnectorDefinition, ConnectorPlugin, ModelRequest } from '../../contract';
import { TextConnector } from '../../vendor';
import { type Quote, selectQuotes } from './select-quotes';
import { languageOf, type QuoteLanguage } from './words';

const MODEL = 'quotes';

const DEFINITION: ConnectorDefinition = {
  name: 'quotes',
  aliases: [],
  display_name: 'Quotations from your material',
  description: 'Answers with sentences of the material that the tools found, word for word. It needs no model.',
  texts: {
    es: {
      description:
        'Responde con frases del material que encontraron las herramientas, palabra por palabra. No necesita ningún modelo.',
    },
    ca: {
      description:
        'Respon amb frases del material que han trobat les eines, paraula per paraula. No necessita cap model.',
    },
    eu: {
      description: 'Tresnek aurkitutako materialaren esaldiekin erantzuten du, hitzez hitz. Ez du eredurik behar.',
    },
  },
  icon: 'quote',
  answers: 'quotations',
  capabilities: { streaming: true, vision: false, functions: false, image_generation: false },
  vendor: null,
  models: [MODEL],
  defaultModel: MODEL,
};

interface Texts {
  readonly note: string;
  readonly noAnswer: string;
  readonly noMaterial: string;
  readonly opening: string;
}

const TEXTS: Readonly<Record<QuoteLanguage, Texts>> = {
  en: {
    note: 'These are quotations; connect a model for written answers.',
    noAnswer: 'The material has no answer to this question.',
    noMaterial: 'No material was found for this question.',
    opening: 'The material begins:',
  },
  es: {
    note: 'Son citas textuales; conecte un modelo para obtener respuestas redactadas.',
    noAnswer: 'El material no responde a esta pregunta.',
    noMaterial: 'No se ha encontrado material para esta pregunta.',
    opening: 'El material empieza así:',
  },
  ca: {
    note: 'Són citacions textuals; connecteu un model per obtenir respostes redactades.',
    noAnswer: 'El material no respon aquesta pregunta.',
    noMaterial: "No s'ha trobat material per a aquesta pregunta.",
    opening: 'El material comença així:',
  },
  eu: {
    note: 'Hitzez hitzeko aipuak dira; konektatu eredu bat idatzizko erantzunak jasotzeko.',
    noAnswer: 'Materialak ez du galdera honen erantzunik.',
    noMaterial: 'Ez da materialik aurkitu galdera honetarako.',
    opening: 'Materiala honela hasten da:',
  },
};

export const QUOTES: ConnectorPlugin = {
  definition: DEFINITION,
  connect: () => new TextConnector(DEFINITION, answer),
};

/** Markdown: a block quote each, with the source's number as models write it, then one note. */
function answer({ material, messages }: ModelRequest): string {
  const question = material?.question ?? lastQuestion(messages);
  const passages = material?.passages ?? [];
  const { note, noAnswer, noMaterial, opening } = TEXTS[languageOf(question)];
  const { quotes, isOpening } = selectQuotes(question, passages);
  const body = quotes.length > 0 ? quotes.map(blockOf) : [passages.length === 0 ? noMaterial : noAnswer];
  return [...(isOpening && quotes.length > 0 ? [opening] : []), ...body, `*${note}*`].join('\n\n');
}

const blockOf = ({ text, n }: Quote): string => `> ${text.replace(/\s+/g, ' ')}${n === null ? '' : ` [${n}]`}`;
