import { AppError, type ChatMessage, lastQuestion, type Principal, textOf } from '@bellwether/kernel';
import { StructuredAnswers } from '../../connectors';
import { FilesService } from '../../files';
import { AS_ASKED, type Passage, QuestionRewriter, type RetrievalQuery, RetrievalService } from '../../knowledge-bases';
import { MoodleService } from '../../moodle';
import type { Doubles } from '../../infrastructure/plugins';
import { RubricsService } from '../../rubrics';
import { type SearchRetrieval, ToolFailure } from '../../tools';
import type { ContentState } from './recorded-inputs';

/** A larger token budget counts as none, because classic assistants have none. */
const NO_BUDGET = 100_000;
const WHOLE_FILE = 10_000_000;

/** The organization id of a rendering is the state of its services. */
const stateOf = (organizationId: string): ContentState =>
  organizationId === 'empty' || organizationId === 'failing' ? organizationId : 'full';

/** Shared: capturing a stack would cost more than the rest of a rendering. */
const FAILURE = new ToolFailure('tool.inaccessible', 'fails in this recorded input');

function content(owner: Principal, full: string): string {
  const state = stateOf(owner.organizationId);
  if (state === 'failing') throw FAILURE;
  return state === 'full' ? full : '';
}

/** Up to top-k passages of each collection when grouped, else top-k in all, as the real search answers. */
function passages(owner: Principal, query: RetrievalQuery): readonly Passage[] {
  const asked = content(owner, spelledOut(query));
  if (asked === '') return [];
  const { collections, topK, grouped = false } = query;
  const lists = collections.flatMap((collection) =>
    Array.from({ length: Math.max(0, topK) }, (_, rank) => ({ collection, rank })),
  );
  return (grouped ? lists : lists.slice(0, topK)).map(({ collection, rank }, position) => {
    const title = `${collection} {context} ${rank}`;
    const similarity = 1 - rank / 64;
    return {
      text: position === 0 ? `${asked} ${title}` : title,
      similarity,
      source: { type: 'knowledge_base', title, url: `/${collection}/${rank}`, similarity, document: null },
      metadata: {},
    };
  });
}

const spelledOut = (query: RetrievalQuery): string => {
  const { text, collections, topK, threshold, mode, embeddingModel, maxTokens, reader, assistantId } = query;
  const budget = maxTokens === undefined || maxTokens >= NO_BUDGET ? null : maxTokens;
  const { parent = false, grouped = false } = query;
  const rest = { topK, threshold, mode, embeddingModel, budget, parent, grouped, reader: reader?.userId, assistantId };
  return JSON.stringify({ text, collections, ...rest });
};

const conversation = (messages: readonly ChatMessage[]): string =>
  messages.map((message) => `${message.role}: ${textOf(message.content)}`).join(' / ');

const told = <T>(make: () => T): Promise<T> => new Promise((resolve) => resolve(make()));

const RETRIEVAL: SearchRetrieval = {
  retrieve: (owner, query) => {
    const collections = [...new Set(query.collections)];
    return told(() => ({
      collections: [],
      passages: passages(owner, { ...query, collections }),
      question: AS_ASKED,
      warnings: [],
    }));
  },
  inaccessible: () => Promise.resolve([]),
  unlisted: () => Promise.resolve([]),
  unmet: () => Promise.resolve(new Map<string, string>()),
  languages: () => Promise.resolve([]),
  contentVersion: () => Promise.resolve(null),
  readdress: (source) => source,
  target: () => Promise.resolve(null),
};

const REWRITER: Pick<QuestionRewriter, 'rewrite'> = {
  rewrite: ({ organizationId, messages }) =>
    Promise.resolve(
      stateOf(organizationId) === 'failing'
        ? { text: lastQuestion(messages), rewritten: false, warnings: [] }
        : { text: `what is asked in ${conversation(messages)}`, rewritten: true, warnings: [] },
    ),
};

const RUBRICS: Pick<RubricsService, 'forPrompt' | 'exists' | 'contentVersion'> = {
  forPrompt: (owner, id, format, forEvaluation = false) =>
    told(() => ({
      text: content(owner, `rubric ${id} as ${format}${forEvaluation ? ' for evaluation' : ''} {context}`),
      source: { type: 'rubric', rubric_id: String(id), title: `Rubric ${id}`, format },
    })),
  exists: () => Promise.resolve(true),
  contentVersion: () => Promise.resolve(''),
};

const FILES: Pick<FilesService, 'readText' | 'readFailure' | 'exists' | 'contentVersion'> = {
  readText: (owner, path, maxChars) =>
    told(() => {
      const text = content(owner, `file ${path} up to ${maxChars >= WHOLE_FILE ? 'its end' : maxChars} {user_input}`);
      return { path, text, chars: text.length, totalChars: text.length, truncated: false };
    }),
  readFailure: () => Promise.resolve(null),
  exists: () => Promise.resolve(true),
  contentVersion: () => Promise.resolve(''),
};

const MOODLE: Pick<MoodleService, 'userText'> = {
  userText: ({ userId }, organizationId) =>
    Promise.resolve({
      text: stateOf(organizationId) === 'full' ? `moodle user of ${userId}` : '',
      warnings: [],
    }),
};

const ANSWERS: Pick<StructuredAnswers, 'ask' | 'hostFor'> = {
  ask: () => Promise.reject(new AppError('connector_not_configured', 'no model is asked for a proof')),
  hostFor: () => Promise.resolve(null),
};

/**
 * Services for plugins that print every argument into their content, so that different arguments give different prompts.
 * They do no I/O and ask no model. A plugin that injects another service fails in every rendering.
 */
export const PROOF_DOUBLES: Doubles = new Map<unknown, object>([
  [RetrievalService, RETRIEVAL],
  [QuestionRewriter, REWRITER],
  [RubricsService, RUBRICS],
  [FilesService, FILES],
  [MoodleService, MOODLE],
  [StructuredAnswers, ANSWERS],
]);
