import {
  addUsage,
  AppError,
  type ChatMessage,
  type JsonObject,
  type Principal,
  type Usage,
  withSpent,
  strictObject,
  orNull,
} from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ConnectorsService, type ModelAnswer } from '../../../connectors';
import { type RubricDocument, RubricsService } from '../../../rubrics';
import {
  type ConfigGap,
  type FunctionContext,
  type FunctionDeclaration,
  type FunctionOutput,
  type FunctionPlugin,
  type OfferContext,
  type ToolDefinition,
  ToolFailure,
} from '../../contract';
import { correction, evaluationMessages, readEvaluation } from './evaluation';

export interface RubricFunctionConfig extends JsonObject {
  /** The rubric's id, or the integer id that an imported rubric had at its source. */
  readonly rubric_id: string | number | null;
}

const TRIES = 2;
const MAX_WORK = 100_000;

/** Assesses a text with a rubric. The model chooses a level per criterion; the rubric gives the score of each level. */
@Injectable()
export class RubricFunction implements FunctionPlugin<RubricFunctionConfig> {
  readonly definition: ToolDefinition = DEFINITION;
  /** Long, because a model writes the whole evaluation and may need a second try. */
  readonly timeoutMs = 120_000;

  constructor(
    @Inject(RubricsService) private readonly rubrics: Pick<RubricsService, 'forEvaluation' | 'exists'>,
    @Inject(ConnectorsService) private readonly connectors: Pick<ConnectorsService, 'resolve'>,
  ) {}

  async offer(
    { rubric_id: rubricId }: RubricFunctionConfig,
    { owner }: OfferContext,
  ): Promise<readonly FunctionDeclaration[]> {
    const found = isEmpty(rubricId) ? null : await this.find(owner, rubricId);
    if (found === null) return [];
    const { title } = found.document;
    return [
      {
        name: functionName(title, found.source.rubric_id),
        description: `Assesses a piece of work by the rubric "${title}": a score and a reason for each criterion.`,
        parameters: PARAMETERS,
      },
    ];
  }

  async call(
    _: string,
    args: JsonObject,
    { rubric_id: rubricId }: RubricFunctionConfig,
    context: FunctionContext,
  ): Promise<FunctionOutput> {
    if (isEmpty(rubricId)) throw new ToolFailure('tool.config_incomplete', NO_RUBRIC);
    const found = await this.find(context.owner, rubricId);
    if (found === null) throw new ToolFailure('tool.unavailable', 'the rubric is not accessible');
    const { document, source } = found;
    context.progress(`evaluating by rubric ${source.rubric_id}`);
    try {
      const { content, usage } = await this.evaluate(document, String(args.text), context);
      return { content, usage, sources: [source] };
    } catch (error) {
      throw explained(error);
    }
  }

  async gaps({ rubric_id: rubricId }: RubricFunctionConfig, owner: Principal): Promise<readonly ConfigGap[]> {
    const path = 'rubric_id';
    if (isEmpty(rubricId)) return [{ path, code: 'tool.config_incomplete', message: NO_RUBRIC }];
    if (await this.rubrics.exists(owner, rubricId)) return [];
    return [{ path, code: 'tool.inaccessible', message: `rubric ${rubricId} is not accessible` }];
  }

  private async evaluate(
    rubric: RubricDocument,
    work: string,
    { owner, connector, signal, runId }: FunctionContext,
  ): Promise<{ content: string; usage: Usage | null }> {
    const resolved = await this.connectors.resolve(owner.organizationId, { connector, llm: null });
    const ask = (messages: readonly ChatMessage[]): Promise<ModelAnswer> => {
      const complete = (params: JsonObject): Promise<ModelAnswer> =>
        resolved.connector.complete({ model: resolved.model, messages, params }, resolved.target, {
          signal,
          runId,
          emit: () => undefined,
        });
      // Some models take neither parameter.
      return complete({ temperature: 0, response_format: { type: 'json_object' } }).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'upstream_rejected') return complete({});
        throw error;
      });
    };
    let messages = evaluationMessages(rubric, work);
    let usage: Usage | null = null;
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const answer: ModelAnswer = await ask(messages).catch((error: unknown) => {
        throw withSpent(error, usage);
      });
      usage = addUsage(usage, answer.usage);
      const read = readEvaluation(rubric, answer.text);
      if ('evaluation' in read) return { content: JSON.stringify({ rubric: rubric.title, ...read.evaluation }), usage };
      messages = [...messages, ...correction(answer.text, read.problems)];
    }
    throw new ToolFailure('tool.output_invalid', 'the model gave no evaluation that fits the rubric', { usage });
  }

  private find(
    owner: Principal,
    rubricId: string | number,
  ): Promise<Awaited<ReturnType<RubricsService['forEvaluation']>> | null> {
    return orNull('not_found', () => this.rubrics.forEvaluation(owner, rubricId));
  }
}

const NO_RUBRIC = 'no rubric is chosen';
const PREFIX = 'evaluate_';
const TITLE_CHARS = 40;

const isEmpty = (id: string | number | null): id is null | '' => id === null || id === '';

/** Ends in a digest of the id, because two rubrics may have the same title. */
function functionName(title: string, id: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .slice(0, TITLE_CHARS)
    .toLowerCase();
  return `${PREFIX}${plain}_${createHash('sha256').update(id).digest('hex').slice(0, 6)}`;
}

function explained(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, usage } = error;
  if (code === 'cancelled') return new ToolFailure('tool.cancelled', 'the call was cancelled', { usage });
  if (code === 'upstream_timeout')
    return new ToolFailure('tool.timeout', 'the model did not answer in time', { usage });
  return new ToolFailure('tool.failed', 'the model that evaluates cannot be asked now', { usage });
}

const PARAMETERS: JsonObject = strictObject({
  text: {
    type: 'string',
    minLength: 1,
    maxLength: MAX_WORK,
    description: 'The whole work to assess, word for word.',
  },
});

const DEFINITION: ToolDefinition = {
  name: 'rubric',
  aliases: [],
  display_name: 'Rubric assessment',
  description:
    'Lets the model assess a text with a rubric: a score and a reason for each criterion. It needs one of your rubrics.',
  texts: {
    es: {
      name: 'Evaluación con rúbrica',
      about:
        'Permite que el modelo evalúe un texto con una rúbrica: una puntuación y un motivo por criterio. Necesita una de sus rúbricas.',
    },
    ca: {
      name: 'Avaluació amb rúbrica',
      about:
        'Permet que el model avaluï un text amb una rúbrica: una puntuació i un motiu per criteri. Necessita una de les vostres rúbriques.',
    },
    eu: {
      name: 'Errubrika bidezko ebaluazioa',
      about:
        'Ereduari testu bat errubrika batekin ebaluatzeko aukera ematen dio: puntuazio bat eta arrazoi bat irizpide bakoitzeko. Zure errubriketako bat behar du.',
    },
  },
  placeholder: null,
  category: 'rubric',
  version: '1.0.0',
  kind: 'function',
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
    },
    additionalProperties: false,
  },
  parameters: PARAMETERS,
  examples: [
    {
      query: 'Please assess my essay: …',
      parameters: { rubric_id: '0195f2a0-0000-7000-8000-000000000000' },
      expected_result: 'A score and a reason for each criterion, and the weighted total.',
    },
  ],
  capabilities: ['assessment', 'rubric'],
  limitations: [`Texts up to ${MAX_WORK} characters; asks a model once more.`],
  cost: { unit: 'tokens', estimate: 2_000 },
};
