import { AppError, type ChatMessage, lastQuestion, type Principal, textOf } from '../../kernel';
import type { Passage, RetrievalQuery } from '../../knowledge-bases';
import { ToolFailure, type ToolRooms } from '../../tools';
import type { RoomState } from './recorded-inputs';

/** A budget that content does not reach counts as none: classic has none. */
const NO_BUDGET = 100_000;
const WHOLE_FILE = 10_000_000;

/** The organization of a rendering names the state of its rooms. */
const stateOf = (organizationId: string): RoomState =>
  organizationId === 'empty' || organizationId === 'failing' ? organizationId : 'full';

/** One for all: a stack costs more than the rest of a rendering. */
const FAILURE = new ToolFailure('tool.inaccessible', 'as the recorded input wants it');

function content(owner: Principal, full: string): string {
  const state = stateOf(owner.organizationId);
  if (state === 'failing') throw FAILURE;
  return state === 'full' ? full : '';
}

/** Up to top-k passages of each knowledge base where they are grouped, else top-k in all, as the real room answers. */
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

/**
 * Rooms whose content spells out every argument that they were given, so that a difference of arguments is a difference of
 * prompts. Nothing is waited for and no model is asked.
 */
export const PROOF_ROOMS: ToolRooms = {
  retrieval: {
    retrieve: (owner, query) => {
      const collections = [...new Set(query.collections)];
      return told(() => ({ collections: [], passages: passages(owner, { ...query, collections }), warnings: [] }));
    },
    inaccessible: () => Promise.resolve([]),
    unmet: () => Promise.resolve(new Map<string, string>()),
    contentVersion: () => Promise.resolve(null),
    readdress: (source) => source,
    target: () => Promise.resolve(null),
  },
  rewriter: {
    rewrite: ({ organizationId, messages }) =>
      Promise.resolve(
        stateOf(organizationId) === 'failing'
          ? { text: lastQuestion(messages), rewritten: false, warnings: [] }
          : { text: `what is asked in ${conversation(messages)}`, rewritten: true, warnings: [] },
      ),
  },
  rubrics: {
    forPrompt: (owner, id, format) =>
      told(() => ({
        text: content(owner, `rubric ${id} as ${format} {context}`),
        source: { type: 'rubric', rubric_id: String(id), title: `Rubric ${id}`, format },
      })),
    exists: () => Promise.resolve(true),
    contentVersion: () => Promise.resolve(''),
  },
  files: {
    readText: (owner, path, maxChars) =>
      told(() => {
        const text = content(owner, `file ${path} up to ${maxChars >= WHOLE_FILE ? 'its end' : maxChars} {user_input}`);
        return { path, text, chars: text.length, totalChars: text.length, truncated: false };
      }),
    exists: () => Promise.resolve(true),
    contentVersion: () => Promise.resolve(''),
  },
  moodle: {
    userText: ({ userId }, organizationId) =>
      Promise.resolve({
        text: stateOf(organizationId) === 'full' ? `moodle user of ${userId}` : '',
        warnings: [],
      }),
  },
  answers: {
    ask: () => Promise.reject(new AppError('connector_not_configured', 'no model is asked for a proof')),
    hostFor: () => Promise.resolve(null),
  },
};
