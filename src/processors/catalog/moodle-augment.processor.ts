import type { AssembledMessages } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { MoodleService } from '../../moodle';
import { augment } from '../augment';
import type { GatherContext, Gathered, ProcessorDefinition, PromptInput, PromptProcessor } from '../contract';

const MOODLE_USER = 'moodle_user';

/** `simple_augment` with one more slot, `{moodle_user}`: who asks, as the authenticated request says. */
@Injectable()
export class MoodleAugmentProcessor implements PromptProcessor {
  readonly definition: ProcessorDefinition = {
    name: 'moodle_augment',
    aliases: [],
    description:
      'Like Simple. {moodle_user} in the template becomes the Moodle ID of the person asking, or their e-mail address.',
    texts: {
      en: {
        name: 'With the Moodle user',
        about:
          'Like Simple. {moodle_user} in the template becomes the Moodle ID of the person asking, or their e-mail address.',
      },
      es: {
        name: 'Con el usuario de Moodle',
        about:
          'Como el simple. {moodle_user} en la plantilla pasa a ser el ID de Moodle de la persona que pregunta, o su correo.',
      },
      ca: {
        name: 'Amb l’usuari de Moodle',
        about:
          'Com el simple. {moodle_user} a la plantilla esdevé l’ID de Moodle de la persona que pregunta, o el seu correu.',
      },
      eu: {
        name: 'Moodleko erabiltzailearekin',
        about:
          'Sinplea bezala. Txantiloiko {moodle_user} galdetzen duenaren Moodle IDa bihurtzen da, edo haren helbide elektronikoa.',
      },
    },
    slots: [MOODLE_USER],
  };

  constructor(@Inject(MoodleService) private readonly moodle: Pick<MoodleService, 'userText'>) {}

  async gather({ caller, owner, signal }: GatherContext): Promise<Gathered> {
    const { text, warnings } = await this.moodle.userText(caller, owner.organizationId, signal);
    return { values: new Map([[MOODLE_USER, text]]), warnings };
  }

  build(input: PromptInput): AssembledMessages {
    return augment(input, [MOODLE_USER]);
  }
}
