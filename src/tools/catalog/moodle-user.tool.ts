import { Inject, Injectable } from '@nestjs/common';
import { MoodleService } from '../../moodle';
import type { Tool, ToolContext, ToolDefinition, ToolInput, ToolOutput } from '../contract';

/** The person who asks, from the authenticated request; like `moodle_augment` of classic assistants. */
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
  description:
    'Tells the model the Moodle ID of the person who asks, or their e-mail address. The ID needs your organization’s Moodle connection.',
  texts: {
    es: {
      name: 'Usuario de Moodle',
      about:
        'Indica al modelo el ID de Moodle de la persona que pregunta o su correo electrónico. Para el ID necesita la conexión de su organización con Moodle.',
    },
    ca: {
      name: 'Usuari de Moodle',
      about:
        'Indica al model l’ID de Moodle de la persona que pregunta o la seva adreça electrònica. Per a l’ID necessita la connexió de la vostra organització amb Moodle.',
    },
    eu: {
      name: 'Moodleko erabiltzailea',
      about:
        'Galdetzen duen pertsonaren Moodleko IDa edo helbide elektronikoa ematen dio ereduari. IDrako, zure erakundearen Moodlerako konexioa behar du.',
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
