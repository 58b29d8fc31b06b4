import type { AssembledMessages } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { augment } from '../augment';
import type { ProcessorDefinition, PromptInput, PromptProcessor } from '../contract';

/** LAMB's prompt processor: `{user_input}` and `{context}` are filled, every other brace stays. */
@Injectable()
export class SimpleAugmentProcessor implements PromptProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'simple_augment',
    aliases: ['default', ''],
    description:
      'Puts the question and the content that was found into the prompt. A list of sources follows the content.',
    texts: {
      en: {
        name: 'Simple',
        about:
          'Puts the question and the content that was found into the prompt. A list of sources follows the content.',
      },
      es: {
        name: 'Simple',
        about: 'Incluye en el prompt la pregunta y el contenido encontrado. Tras el contenido va una lista de fuentes.',
      },
      ca: {
        name: 'Simple',
        about: 'Inclou al prompt la pregunta i el contingut trobat. Després del contingut hi ha una llista de fonts.',
      },
      eu: {
        name: 'Sinplea',
        about: 'Galdera eta aurkitutako edukia sartzen ditu promptean. Edukiaren ondoren iturrien zerrenda dator.',
      },
    },
  };

  build(input: PromptInput): AssembledMessages {
    return augment(input);
  }
}
