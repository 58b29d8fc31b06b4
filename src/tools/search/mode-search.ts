import { Inject, Injectable } from '@nestjs/common';
import type { JsonObject, Principal } from '../../kernel';
import { QuestionRewriter, type RetrievalMode, RetrievalService } from '../../knowledge-bases';
import type { ConfigGap, Tool, ToolCaching, ToolContext, ToolDefinition, ToolInput, ToolOutput } from '../contract';
import { inLanguageOf, type QuestionText, questionText } from './retrieve-accessible';
import { searchCaching } from './search-caching';
import { chosenCollections, collectionGaps, searchCollections, type SearchRetrieval } from './search-collections';
import { COLLECTION_PROPERTIES, PASSAGE_PROPERTIES, searchOutputLimit, type SearchSettings } from './search-settings';

export type ModeSearchConfig = SearchSettings;

/** A search in one fixed mode, instead of the knowledge bases' own. */
@Injectable()
export abstract class ModeSearchTool<Config extends ModeSearchConfig = ModeSearchConfig> implements Tool<Config> {
  abstract readonly definition: ToolDefinition;
  readonly caching: ToolCaching<Config>;
  protected abstract readonly mode: RetrievalMode;

  constructor(
    @Inject(RetrievalService) protected readonly retrieval: SearchRetrieval,
    @Inject(QuestionRewriter) private readonly rewriter: Pick<QuestionRewriter, 'rewrite'>,
  ) {
    this.caching = searchCaching(retrieval);
  }

  async run(config: Config, input: ToolInput, context: ToolContext): Promise<ToolOutput> {
    chosenCollections(config);
    const question = await this.question(config, input, context);
    return searchCollections(this.retrieval, { ...config, mode: this.mode }, question, context, (languages) =>
      inLanguageOf(this.rewriter, config, input, context, languages),
    );
  }

  target({ collections }: Config, { owner }: Pick<ToolContext, 'owner'>): Promise<string | null> {
    return this.retrieval.target(owner, collections);
  }

  outputLimit(config: Config): number {
    return searchOutputLimit(config);
  }

  gaps({ collections }: Config, owner: Principal): Promise<readonly ConfigGap[]> {
    return collectionGaps(this.retrieval, { collections, mode: this.mode }, owner);
  }

  protected question(config: Config, input: ToolInput, context: ToolContext): Promise<QuestionText> {
    const collections = chosenCollections(config);
    return questionText(this.rewriter, config, input, context, () =>
      this.retrieval.languages(context.owner, collections),
    );
  }
}

/** Members in which searches differ; the rest of their definitions is the same. */
export interface ModeSearch extends Pick<
  ToolDefinition,
  'name' | 'display_name' | 'description' | 'texts' | 'icon' | 'examples' | 'capabilities' | 'limitations' | 'cost'
> {
  /** Settings of its own. */
  readonly properties?: JsonObject;
}

/** Spec 003 writes their names with hyphens. */
export const modeSearchDefinition = ({ properties = {}, ...own }: ModeSearch): ToolDefinition => ({
  ...own,
  aliases: [own.name.replaceAll('_', '-')],
  placeholder: 'context',
  category: 'search',
  role: 'search',
  material_search: { nothing_found: 'empty' },
  version: '1.0.0',
  kind: 'pipeline',
  allow_multiple: true,
  config_schema: {
    type: 'object',
    properties: { ...COLLECTION_PROPERTIES, ...properties, ...PASSAGE_PROPERTIES },
    required: ['collections'],
    additionalProperties: false,
  },
  parameters: {},
  capabilities: ['retrieval', 'question_answering', 'citations', ...own.capabilities],
});
