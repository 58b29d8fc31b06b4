import { Inject, Injectable } from '@nestjs/common';
import { MoodleService } from '../../../moodle';
import type { Tool, ToolContext, ToolDefinition, ToolInput, ToolOutput } from '../../contract';

/** Who asks, as the authenticated request says; what `moodle_augment` fills in for classic assistants. */
@Injectable()
export class MoodleUserTool implements Tool {
  readonly definition: ToolDefinition = DEFINITION;

  constructor(@Inject(MoodleService) private readonly moodle: Pick<MoodleService, 'userText'>) {}

  async run(_: unknown, __: ToolInput, { caller, owner, signal }: ToolContext): Promise<ToolOutput> {
    const { text, warnings } = await this.moodle.userText(caller, owner.organizationId, signal);
    return { content: text, sources: [], confidence: null, warnings };
  }
}

const DEFINITION: ToolDefinition = {
  name: 'moodle_user',
  aliases: [],
  display_name: 'Moodle user',
  description: 'Puts the Moodle id, or else the e-mail address, of the person who asks into the prompt.',
  texts: {
    en: {
      name: 'Moodle user',
      about: 'Puts the Moodle id, or else the e-mail address, of the person who asks into the prompt.',
    },
    es: {
      name: 'Usuario de Moodle',
      about:
        'Incluye en el prompt el identificador de Moodle de quien pregunta o, si no lo hay, su correo electrónico.',
    },
    ca: {
      name: 'Usuari de Moodle',
      about: 'Inclou al prompt l’identificador de Moodle de qui pregunta o, si no n’hi ha, la seva adreça electrònica.',
    },
    eu: {
      name: 'Moodleko erabiltzailea',
      about:
        'Galdetzen duenaren Moodleko identifikatzailea sartzen du promptean, edo, halakorik ezean, haren helbide elektronikoa.',
    },
  },
  placeholder: 'moodle_user',
  category: 'lms',
  role: 'personal',
  version: '1.0.0',
  kind: 'pipeline',
  icon: 'id-card',
  allow_multiple: false,
  config_schema: { type: 'object', properties: {}, additionalProperties: false },
  parameters: {},
  examples: [
    {
      query: 'Which electives should I take?',
      parameters: {},
      expected_result: 'The number that Moodle knows the person by.',
    },
  ],
  capabilities: ['lms', 'personal_data'],
  limitations: ['Empty where nobody can be told, and for members of another organization.'],
  cost: { unit: 'request', estimate: 1 },
};
