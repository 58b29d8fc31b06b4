import { addUsage, type Principal } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { StructuredAnswers } from '../../../connectors';
import { QuestionRewriter, RetrievalService } from '../../../knowledge-bases';
import type { ToolContext, ToolDefinition, ToolInput } from '../../contract';
import type { QuestionText } from '../../search/retrieve-accessible';
import { type ModeSearchConfig, modeSearchDefinition, ModeSearchTool, type SearchRetrieval } from '../../search';
import { hypotheticalAnswer } from './hypothetical-answer';

export interface VectorSearchConfig extends ModeSearchConfig {
  /** Searches for a passage that a model made up, where it is sure enough of it. */
  readonly hyde: boolean;
  readonly hyde_threshold: number;
}

/** Passages whose meaning is near the question's. */
@Injectable()
export class VectorSearchTool extends ModeSearchTool<VectorSearchConfig> {
  readonly definition: ToolDefinition = DEFINITION;
  protected readonly mode = 'vector';

  constructor(
    @Inject(RetrievalService) retrieval: SearchRetrieval,
    @Inject(QuestionRewriter) rewriter: Pick<QuestionRewriter, 'rewrite'>,
    @Inject(StructuredAnswers) private readonly answers: Pick<StructuredAnswers, 'ask'>,
  ) {
    super(retrieval, rewriter);
  }

  protected override async question(
    config: VectorSearchConfig,
    input: ToolInput,
    context: ToolContext,
  ): Promise<QuestionText> {
    const question = await super.question(config, input, context);
    return config.hyde ? this.supposed(config, question, context) : question;
  }

  /** The question with the passage that would answer it; the question alone where the model is not sure enough. */
  private async supposed(
    { collections, hyde_threshold: threshold }: VectorSearchConfig,
    question: QuestionText,
    context: ToolContext,
  ): Promise<QuestionText> {
    if (
      question.isSmallTalk === true ||
      question.text.trim() === '' ||
      !(await this.hasVectors(collections, context.owner))
    )
      return question;
    const supposed = await hypotheticalAnswer(this.answers, question.text, context);
    const usage = addUsage(question.usage ?? null, supposed.usage);
    const warnings = [...question.warnings, ...supposed.warnings];
    if (supposed.text === null || supposed.confidence < threshold) {
      if (supposed.warnings.length === 0) context.progress('searching plainly: the hypothetical answer is too unsure');
      return { ...question, warnings, usage };
    }
    context.progress('searching with a hypothetical answer');
    const text = `${question.text}\n\n${supposed.text}`;
    return { text, warnings, rewritten: text, usage };
  }

  /** A keyword search gets no invented answer: its words would mislead the search. */
  private async hasVectors(collections: readonly string[], owner: Principal): Promise<boolean> {
    const missing = await this.retrieval.inaccessible(owner, collections);
    const readable = collections.filter((collection) => !missing.includes(collection));
    const unmet = await this.retrieval.unmet(owner, readable, 'vector');
    return readable.some((collection) => !unmet.has(collection));
  }
}

const DEFINITION = modeSearchDefinition({
  name: 'vector_search',
  display_name: 'Search by meaning',
  description: 'Finds the passages of your knowledge bases whose meaning is nearest to the question.',
  texts: {
    es: {
      name: 'Búsqueda por significado',
      about: 'Busca en sus bases de conocimiento los fragmentos cuyo significado está más cerca de la pregunta.',
    },
    ca: {
      name: 'Cerca per significat',
      about: 'Cerca a les vostres bases de coneixement els fragments amb el significat més proper a la pregunta.',
    },
    eu: {
      name: 'Esanahiaren araberako bilaketa',
      about: 'Galderaren esanahitik hurbilen dauden pasarteak bilatzen ditu zure ezagutza-baseetan.',
    },
  },
  icon: 'scan-search',
  properties: {
    hyde: {
      type: 'boolean',
      title: 'Hypothetical answer',
      description: 'The fast model drafts an answer, and the search looks for passages like it.',
      default: false,
    },
    hyde_threshold: {
      type: 'number',
      title: 'Minimum confidence of a hypothetical answer',
      description: 'Below it, the search uses the question unchanged.',
      minimum: 0,
      maximum: 1,
      default: 0.5,
    },
  },
  examples: [
    {
      query: 'Why do leaves look green?',
      parameters: { collections: ['course-materials'], top_k: 5 },
      expected_result: 'The five passages that come nearest in meaning, in whatever words.',
    },
  ],
  capabilities: ['semantic_search'],
  limitations: ['Needs knowledge bases with an embedding model; others are searched by words.'],
  cost: { unit: 'tokens', estimate: 0 },
});
