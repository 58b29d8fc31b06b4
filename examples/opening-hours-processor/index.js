import { definePlugin } from '@bellwether/plugin';

const HOURS = process.env.LIBRARY_HOURS ?? 'Monday to Friday, 8:00 to 20:00';

/**
 * Gives the opening hours of the library as the context of every question.
 * @implements {import('@bellwether/plugin').RagProcessor}
 */
export class OpeningHoursProcessor {
  /** @type {import('@bellwether/plugin').ProcessorDefinition} */
  definition = {
    name: 'opening_hours',
    aliases: [],
    description: 'Gives the opening hours of the library.',
    texts: {
      en: { name: 'Opening hours', about: 'Gives the opening hours of the library.' },
      es: { name: 'Horario', about: 'Da el horario de la biblioteca.' },
      ca: { name: 'Horari', about: 'Dona l’horari de la biblioteca.' },
      eu: { name: 'Ordutegia', about: 'Liburutegiaren ordutegia ematen du.' },
    },
    slots: ['context'],
  };

  /** @type {import('@bellwether/plugin').RagProcessor['run']} */
  async run() {
    return { content: `The library is open: ${HOURS}`, sources: [], confidence: null };
  }
}

/**
 * Puts the question first and the context after it.
 * @implements {import('@bellwether/plugin').PromptProcessor}
 */
export class QuestionFirstProcessor {
  /** @type {import('@bellwether/plugin').ProcessorDefinition} */
  definition = {
    name: 'question_first',
    aliases: [],
    description: 'Puts the question first and the context after it.',
    texts: {
      en: { name: 'Question first', about: 'Puts the question first and the context after it.' },
      es: { name: 'Primero la pregunta', about: 'Pone primero la pregunta y después el contexto.' },
      ca: { name: 'Primer la pregunta', about: 'Posa primer la pregunta i després el context.' },
      eu: { name: 'Galdera lehenik', about: 'Galdera lehenik eta testuingurua gero jartzen ditu.' },
    },
  };

  /** @type {import('@bellwether/plugin').PromptProcessor['build']} */
  build({ messages, systemPrompt, rag }) {
    const system = systemPrompt === '' ? [] : [{ role: 'system', content: systemPrompt }];
    const context = rag === null ? [] : [{ role: 'system', content: rag.context }];
    return { messages: [...system, ...messages, ...context], droppedParts: 0 };
  }
}

export default definePlugin({ ragProcessors: [OpeningHoursProcessor], promptProcessors: [QuestionFirstProcessor] });
