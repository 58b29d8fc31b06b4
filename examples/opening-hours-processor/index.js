import { definePlugin } from '@bellwether/plugin';

/** @import { ChatMessage } from '@bellwether/kernel' */
/** @import { ProcessorDefinition, PromptProcessor, RagProcessor } from '@bellwether/plugin' */

const HOURS = process.env.LIBRARY_HOURS ?? 'Monday to Friday, 8:00 to 20:00';

/**
 * Gives the opening hours of the library as the context of every question.
 * @implements {RagProcessor}
 */
export class OpeningHoursProcessor {
  /** @type {ProcessorDefinition} */
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

  /** @type {RagProcessor['run']} */
  async run() {
    return { content: `The library is open: ${HOURS}`, sources: [], confidence: null };
  }
}

/**
 * Puts the question first and the context after it.
 * @implements {PromptProcessor}
 */
export class QuestionFirstProcessor {
  /** @type {ProcessorDefinition} */
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

  /** @type {PromptProcessor['build']} */
  build({ messages, systemPrompt, rag }) {
    /** @type {ChatMessage[]} */
    const system = systemPrompt === '' ? [] : [{ role: 'system', content: systemPrompt }];
    /** @type {ChatMessage[]} */
    const context = rag === null ? [] : [{ role: 'system', content: rag.context }];
    return { messages: [...system, ...messages, ...context], droppedParts: 0 };
  }
}

export default definePlugin({ ragProcessors: [OpeningHoursProcessor], promptProcessors: [QuestionFirstProcessor] });
