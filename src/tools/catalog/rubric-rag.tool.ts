import type { JsonObject, Principal } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { RUBRIC_FORMATS, type RubricFormat, RubricsService } from '../../rubrics';
import {
  type ConfigGap,
  type Tool,
  type ToolCaching,
  type ToolContext,
  type ToolDefinition,
  ToolFailure,
  type ToolInput,
  type ToolOutput,
} from '../contract';
import { citedText, SOURCES_PROPERTY, type SourcesInPrompt } from '../search/sources-block';

export interface RubricRagConfig extends JsonObject {
  /** The rubric's id, or the integer that an imported rubric had where it came from. */
  readonly rubric_id: string | number | null;
  readonly format: RubricFormat;
  /** With the steps of judging and the parts of the answer; migrated classic assistants have it. */
  readonly for_evaluation: boolean;
  readonly sources_in_prompt: SourcesInPrompt;
}

/** One rubric, rendered for the model. */
@Injectable()
export class RubricRagTool implements Tool<RubricRagConfig> {
  readonly definition: ToolDefinition = DEFINITION;

  readonly caching: ToolCaching<RubricRagConfig>;

  constructor(
    @Inject(RubricsService)
    private readonly rubrics: Pick<RubricsService, 'forPrompt' | 'exists' | 'contentVersion'>,
  ) {
    this.caching = {
      forEveryQuestion: true,
      contentVersion: ({ rubric_id }, { owner }) =>
        isEmpty(rubric_id) ? Promise.resolve(null) : rubrics.contentVersion(owner, rubric_id),
    };
  }

  async run(config: RubricRagConfig, _: ToolInput, context: ToolContext): Promise<ToolOutput> {
    const { rubric_id, format, for_evaluation: forEvaluation, sources_in_prompt: style } = config;
    if (isEmpty(rubric_id)) throw new ToolFailure('tool.config_incomplete', NO_RUBRIC);
    context.progress(`generating rubric ${rubric_id}`);
    const { text, source } = await this.rubrics.forPrompt(context.owner, rubric_id, format, forEvaluation);
    return { ...citedText([text], [source], style), sources: [source], confidence: null };
  }

  async gaps({ rubric_id }: RubricRagConfig, owner: Principal): Promise<readonly ConfigGap[]> {
    const path = 'rubric_id';
    if (isEmpty(rubric_id)) return [{ path, code: 'tool.config_incomplete', message: NO_RUBRIC }];
    if (await this.rubrics.exists(owner, rubric_id)) return [];
    const message = `rubric ${rubric_id} is not accessible`;
    return [{ path, code: 'tool.inaccessible', message }];
  }

  /** Half a rubric would judge wrongly. */
  outputLimit(): number {
    return Infinity;
  }
}

const NO_RUBRIC = 'no rubric is chosen';

const isEmpty = (id: string | number | null): id is null | '' => id === null || id === '';

const DEFINITION: ToolDefinition = {
  name: 'rubric_rag',
  aliases: ['rubric'],
  display_name: 'Assessment Rubric',
  description: 'Puts an assessment rubric into the prompt, so that feedback follows its criteria.',
  texts: {
    es: {
      name: 'Rúbrica de evaluación',
      about: 'Incluye una rúbrica de evaluación en el prompt para que los comentarios sigan sus criterios.',
    },
    ca: {
      name: 'Rúbrica d’avaluació',
      about: 'Inclou una rúbrica d’avaluació al prompt perquè els comentaris segueixin els seus criteris.',
    },
    eu: {
      name: 'Ebaluazio-errubrika',
      about: 'Ebaluazio-errubrika bat promptean sartzen du, iruzkinek haren irizpideei jarrai diezaieten.',
    },
  },
  placeholder: 'rubric',
  category: 'rubric',
  role: 'content',
  version: '1.0.0',
  kind: 'pipeline',
  icon: 'clipboard-check',
  allow_multiple: true,
  config_schema: {
    type: 'object',
    properties: {
      rubric_id: {
        type: ['string', 'integer', 'null'],
        title: 'Rubric',
        description: 'The rubric to assess with.',
        maxLength: 200,
        default: null,
        'x-reference': 'rubric',
      },
      format: {
        type: 'string',
        title: 'Format',
        description: 'How the model reads the rubric.',
        enum: [...RUBRIC_FORMATS],
        default: 'markdown',
      },
      for_evaluation: {
        type: 'boolean',
        title: 'Ask for an evaluation',
        description: 'Adds instructions to assess: a reason per criterion, the calculation and feedback.',
        default: false,
      },
      sources_in_prompt: SOURCES_PROPERTY,
    },
    required: ['rubric_id'],
    additionalProperties: false,
  },
  parameters: {},
  examples: [
    {
      query: 'Please comment on my essay.',
      parameters: { rubric_id: '0195f2a0-0000-7000-8000-000000000000', format: 'markdown' },
      expected_result: 'The rubric with its criteria, levels and weights as Markdown.',
    },
  ],
  capabilities: ['assessment', 'rubric'],
  limitations: ['One rubric per tool.'],
  cost: { unit: 'none', estimate: 0 },
};
